/**
 * The file that lists the merchants of a receiver (`--merchants`). Problems name the field, never its value.
 */
import * as Json from "@pawl/core/internal/Json"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { dirname, resolve } from "node:path"
import * as Listing from "../internal/merchants/Listing.ts"
import type * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as MerchantEntry from "./MerchantEntry.ts"
import type { Merchant } from "./MerchantEntry.ts"
import * as Rules from "./SettingRules.ts"

interface Read {
  readonly merchants: ReadonlyArray<Merchant>
  readonly sentences: ReadonlyArray<string>
}

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
  const top = MerchantEntry.isRecord(json.success) ? json.success : {}
  const list = top["merchants"]
  if (!Array.isArray(list) || list.length === 0) {
    return failed('it must have the form {"merchants": [{"id": "…", …}, …]}')
  }
  const all = yield* Effect.forEach(list, (entry: unknown, index) =>
    MerchantEntry.read(entry, `merchants[${index}]`, fallback.baseUrl)
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
  const needsFallback = list.some(
    (entry) => MerchantEntry.isRecord(entry) && entry["baseUrl"] === undefined
  )
  const sentences = [
    ...MerchantEntry.unknownFields(top, "The file of the merchants", ["merchants"]),
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

const keysOfStore = (store: NodeStore.Store): ReadonlyArray<string> => {
  if (store._tag === "memory") return []
  return store._tag === "postgres"
    ? [`postgres ${Redacted.value(store.url)}`]
    : [`file ${resolve(store.filename)}`]
}
