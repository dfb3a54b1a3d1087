/**
 * The file that lists the merchants of a receiver (`--merchants`). Problems name the field, never its value.
 */
import * as Json from "@pawl/core/Json"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { dirname, resolve } from "node:path"
import type { Secret } from "../internal/admin/Overview.ts"
import * as Listing from "../internal/merchants/Listing.ts"
import * as NodeSqlite from "../NodeSqlite.ts"
import * as NodeStore from "../NodeStore.ts"
import * as Rules from "./SettingRules.ts"

/** The settings of a merchant. */
export interface Merchant {
  readonly id: string
  readonly accounts: ReadonlyArray<string>
  readonly service: {
    readonly baseUrl: string
    readonly merchantKey: string
    readonly merchantSecret: Redacted.Redacted
  }
  readonly secrets: {
    readonly current: Redacted.Redacted
    readonly previous: Redacted.Redacted | undefined
  }
  readonly forward: string | undefined
  readonly forwardSecret: Redacted.Redacted
  readonly stores: NodeStore.Stores
  readonly named: ReadonlyArray<Secret>
}

interface Read {
  readonly merchants: ReadonlyArray<Merchant>
  readonly sentences: ReadonlyArray<string>
}

/** An entry of the file. `name` is its place, and `merchant` is undefined if it has no store. */
interface Entry {
  readonly name: string
  readonly merchant: Merchant | undefined
  readonly sentences: ReadonlyArray<string>
  /** The fields that a sentence names. */
  readonly refused: ReadonlySet<string>
}

const fields = [
  "id",
  "accounts",
  "merchantKey",
  "merchantSecret",
  "merchantSecretPrevious",
  "baseUrl",
  "store",
  "forward",
  "forwardSecret"
]

/** Reads the file. `fallback` is the base URL of the merchants without one, and the name of its setting. */
export const read = Effect.fnUntraced(function* (
  file: string,
  fallback: { readonly name: string; readonly baseUrl: string }
): Effect.fn.Return<Read, never, FileSystem.FileSystem> {
  const failed = (reason: string): Read => ({
    merchants: [],
    sentences: [`The file of the merchants ${file} cannot be used: ${reason}.`]
  })
  const text = yield* Effect.result(readText(file))
  if (Result.isFailure(text)) return failed(text.failure)
  const json = Json.fromOwnText(text.success)
  if (Result.isFailure(json)) return failed(`it is not valid JSON (${json.failure})`)
  const top = isRecord(json.success) ? json.success : {}
  const list = top["merchants"]
  if (!Array.isArray(list) || list.length === 0) {
    return failed('it must have the form {"merchants": [{"id": "…", …}, …]}')
  }
  const all = yield* Effect.forEach(list, (entry: unknown, index) =>
    readOne(entry, `merchants[${index}]`, fallback.baseUrl)
  )
  const entries = all.flatMap(({ merchant, name, refused }) =>
    merchant ? [{ ...merchant, name, refused }] : []
  )
  const listed = Listing.problemsOf(entries).flatMap(({ field, message, position }) => {
    const entry = entries[position]
    return entry === undefined || entry.refused.has(field)
      ? []
      : [`${entry.name}.${field} cannot be used. ${message}.`]
  })
  const needsFallback = list.some((entry) => isRecord(entry) && entry["baseUrl"] === undefined)
  const sentences = [
    ...unknownFields(top, "The file of the merchants", ["merchants"]),
    ...(needsFallback ? yield* problemsOfUrl(fallback) : []),
    ...all.flatMap(({ sentences }) => sentences),
    ...listed,
    ...repeated(entries)
  ]
  return { merchants: entries, sentences }
})

/** Returns the problem of the base URL that merchants share. It is one sentence for all of them. */
const problemsOfUrl = ({
  baseUrl,
  name
}: {
  readonly name: string
  readonly baseUrl: string
}): Effect.Effect<ReadonlyArray<string>> =>
  baseUrl === ""
    ? Effect.succeed(["PAWL_BASE_URL is not set: set it, or give each merchant a baseUrl."])
    : Effect.match(PawlConfig.make({ ...Rules.validSettings, baseUrl }), {
        onFailure: ({ advice }) => [`${name} cannot be used: ${advice}.`],
        onSuccess: () => []
      })

/** Reads the text of a file, or fails with the reason. */
const readText = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const folder = dirname(resolve(file))
  return yield* Effect.gen(function* () {
    if (!(yield* files.exists(folder)))
      return yield* Effect.fail(`the folder ${folder} does not exist`)
    if (!(yield* files.exists(file))) return yield* Effect.fail("the file does not exist")
    const { type } = yield* files.stat(file)
    if (type === "Directory") return yield* Effect.fail("it is a directory")
    return yield* files.readFileString(file)
  }).pipe(
    Effect.catchIf(
      (error) => typeof error !== "string",
      ({ reason }) =>
        Effect.fail(
          reason._tag === "PermissionDenied" ? "this user may not read it" : "it cannot be read"
        )
    )
  )
})

const unknownFields = (
  record: Readonly<Record<string, unknown>>,
  name: string,
  known: ReadonlyArray<string>
): ReadonlyArray<string> =>
  Object.keys(record)
    .filter((field) => !known.includes(field))
    .map((field) => {
      // A text in the wrong place may be a secret.
      const shown = /^[a-z_]{1,32}$/iu.test(field) ? ` ${field}` : ""
      return `${name} has an unknown field${shown}: give ${known.join(", ")}.`
    })

const readOne = Effect.fnUntraced(function* (
  given: unknown,
  name: string,
  defaultUrl: string
): Effect.fn.Return<Entry> {
  if (!isRecord(given)) {
    const sentence = `${name} cannot be used: give an object with the fields of a merchant.`
    return { name, merchant: undefined, sentences: [sentence], refused: new Set() }
  }
  const entry = given
  const sentences = [...unknownFields(entry, name, fields)]
  const refused = new Set<string>()
  const say = (field: string, sentence: string) => {
    if (!refused.has(field)) sentences.push(`${name}.${field} ${sentence}.`)
    refused.add(field)
  }
  /** The first problem of a field is the one to correct. */
  const refuse = (field: string, advice: string) => say(field, `cannot be used: ${advice}`)
  const require = (...required: ReadonlyArray<string>) => {
    for (const field of required) if (entry[field] === undefined) say(field, "is missing")
  }
  const textIn = (field: string, fallback = ""): string => {
    const value = entry[field] ?? fallback
    if (typeof value === "string") return value
    refuse(field, "give a text")
    return ""
  }
  /** A secret is a text, or the name of the variable that has it. */
  const secretIn = Effect.fnUntraced(function* (field: string) {
    const value = entry[field] ?? ""
    const variable = isRecord(value) ? value["env"] : undefined
    const secret =
      typeof variable === "string" ? (yield* Effect.orDie(variableOf(variable))) || value : value
    if (typeof secret !== "string" && typeof variable === "string") {
      // A text in the place of the name may be the secret itself.
      const shown = /^[A-Z][A-Z0-9_]*$/u.test(variable) ? `variable ${variable}` : "variable in env"
      refuse(field, `the ${shown} is not set`)
    } else if (typeof secret !== "string") {
      refuse(field, 'give a text, or {"env": "NAME"} with the name of a variable that is set')
    } else if (secret !== secret.trim()) {
      refuse(field, "give it without white space around it")
    } else {
      return Redacted.make(secret)
    }
    return Redacted.make("")
  })
  const textsIn = (field: string): ReadonlyArray<string> => {
    const value = entry[field] ?? []
    const texts: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    if (texts.every((text) => typeof text === "string" && text !== "")) {
      return texts as ReadonlyArray<string>
    }
    refuse(field, "give texts")
    return []
  }

  require("id", "merchantKey", "merchantSecret", "store")
  const id = textIn("id")
  const service = {
    baseUrl: textIn("baseUrl", defaultUrl),
    merchantKey: textIn("merchantKey"),
    merchantSecret: yield* secretIn("merchantSecret")
  }
  for (const setting of ["merchantKey", "merchantSecret", "baseUrl"] as const) {
    // One sentence is enough for the base URL that merchants share.
    if (setting === "baseUrl" && entry["baseUrl"] === undefined) continue
    const checked = PawlConfig.make({ ...Rules.validSettings, [setting]: service[setting] })
    yield* Effect.match(checked, {
      onFailure: ({ advice }) => refuse(setting, advice),
      onSuccess: () => undefined
    })
  }
  const forward = entry["forward"] === undefined ? undefined : textIn("forward")
  if (forward !== undefined && !Rules.isForwardUrl(forward)) {
    refuse("forward", "give an http or https URL without credentials")
  }
  const forwardSecret = yield* secretIn("forwardSecret")
  if (entry["forwardSecret"] === "") {
    refuse(
      "forwardSecret",
      "give a text that is not empty, or leave the field out to use merchantSecret"
    )
  }
  if (!Rules.isForwardSecret(forwardSecret)) {
    refuse("forwardSecret", "after whsec_ give the key in base64")
  }
  const accounts = textsIn("accounts")
  if (Array.isArray(entry["accounts"]) && entry["accounts"].length === 0) {
    refuse("accounts", "name at least one, or leave the field out to accept every account")
  }
  const stores = NodeStore.parseEach(textsIn("store"))
  if (stores === undefined) {
    refuse(
      "store",
      "give memory, sqlite:FILE or postgres://USER@HOST/DATABASE, or a list of shards"
    )
  }
  const previous = Rules.nonEmpty(yield* secretIn("merchantSecretPrevious"))
  const merchant: Merchant | undefined = stores && {
    id,
    accounts,
    service,
    secrets: { current: service.merchantSecret, previous },
    forward,
    forwardSecret: Rules.nonEmpty(forwardSecret) ?? service.merchantSecret,
    stores,
    named: Rules.named(
      { current: service.merchantSecret, previous, forward: forwardSecret },
      {
        current: "merchantSecret",
        previous: "merchantSecretPrevious",
        forward: "forwardSecret"
      }
    )
  }
  return { name, merchant, sentences, refused }
})

/** Returns a sentence for each secret and store of a merchant that another one has, too. */
const repeated = (
  merchants: ReadonlyArray<Merchant & { readonly name: string }>
): ReadonlyArray<string> => {
  const owners = new Map<string, string>()
  const ownerOf = (name: string, keys: ReadonlyArray<string>) =>
    keys.map((key) => owners.get(key)).find((owner) => owner !== undefined && owner !== name)
  const problem = (name: string, field: string, keys: ReadonlyArray<string>) => {
    const owner = ownerOf(name, keys)
    return owner === undefined
      ? []
      : [`${name}.${field} cannot be used: ${owner} has it, too, and each merchant needs his own.`]
  }
  const take = (name: string, field: string, keys: ReadonlyArray<string>) => {
    const sentences = problem(name, field, keys)
    for (const key of keys) owners.set(key, owners.get(key) ?? name)
    return sentences
  }
  return [
    ...merchants.flatMap(({ name, secrets, stores }) => [
      ...take(name, "merchantSecret", keysOfSecret(secrets.current)),
      ...take(name, "merchantSecretPrevious", keysOfSecret(secrets.previous)),
      ...take(name, "store", stores.flatMap(keysOfStore))
    ]),
    // An application knows its secret. Several merchants may have one application.
    ...merchants.flatMap(({ forwardSecret, name, service }) =>
      forwardSecret === service.merchantSecret
        ? []
        : problem(name, "forwardSecret", keysOfSecret(forwardSecret))
    )
  ]
}

const keysOfSecret = (secret: Redacted.Redacted | undefined): ReadonlyArray<string> =>
  secret === undefined || Rules.nonEmpty(secret) === undefined
    ? []
    : [`secret ${Redacted.value(secret)}`]

/** A file has another file beside it, its archive. */
const keysOfStore = (store: NodeStore.Store): ReadonlyArray<string> => {
  if (store._tag === "memory") return []
  if (store._tag === "postgres") return [`postgres ${Redacted.value(store.url)}`]
  const { filename } = store
  return [filename, NodeSqlite.archiveOf(filename)].map((file) => `file ${resolve(file)}`)
}

const variableOf = (name: string) => Config.String(name).pipe(Config.withDefault(undefined))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
