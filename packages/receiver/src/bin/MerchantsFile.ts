/**
 * The file that lists the merchants of a receiver (`--merchants`). Problems name the field, never
 * its value.
 */
import * as Json from "@pawl/core/internal/Json"
import * as RetentionSettings from "@pawl/webhook/internal/work/RetentionSettings"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as OwnFile from "@pawl/webhook/internal/NodeOwnFile"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as MerchantId from "../internal/merchants/MerchantId.ts"
import * as Faults from "./Faults.ts"
import * as MerchantSettings from "./MerchantSettings.ts"

/** Merchant of the file; `name` is the place of the entry. */
interface Entry extends MerchantSettings.Merchant {
  readonly name: string
  readonly faults: Faults.Faults
}

interface Fallback {
  readonly name: string
  readonly baseUrl: string
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
  "forwardSecret",
  "keepMonths",
  "storeMegabytes"
]

/** Reads the merchants of a file: none if it cannot be read. */
export const read = Effect.fnUntraced(function* (
  file: string,
  fallback: Fallback,
  faults: Faults.Faults
): Effect.fn.Return<ReadonlyArray<MerchantSettings.Merchant>> {
  const failed = (reason: string) => {
    faults.refuse(`The merchants file ${file}`, reason)
    return []
  }
  const text = yield* Effect.result(readText(file))
  if (Result.isFailure(text)) return failed(text.failure)
  const json = Json.fromOwnText(text.success)
  if (Result.isFailure(json)) {
    const place = Json.placeOf(text.success)
    return failed(`it is not valid JSON (${json.failure} at ${place})`)
  }
  const top = isRecord(json.success) ? json.success : {}
  const list: unknown = top["merchants"]
  if (!Array.isArray(list) || list.length === 0) {
    return failed('it must have the form {"merchants": [{"id": "…", …}, …]}')
  }
  refuseUnknown(faults, top, "The merchants file", ["merchants"])
  const all: ReadonlyArray<unknown> = list
  if (all.some((entry) => isRecord(entry) && entry["baseUrl"] === undefined)) {
    const { baseUrl, name } = fallback
    if (baseUrl === "") {
      faults.say("PAWL_BASE_URL", "is not set: set it, or give each merchant a baseUrl")
    } else {
      yield* MerchantSettings.checkClient(faults, name, { baseUrl })
    }
  }
  const entries: Array<Entry> = []
  for (const [index, entry] of all.entries()) {
    const name = `merchants[${index}]`
    if (isRecord(entry)) entries.push(yield* readEntry(entry, name, fallback.baseUrl))
    else faults.refuse(name, "give an object with the fields of a merchant")
  }
  refuseShared(entries)
  for (const { faults: own } of entries) {
    for (const sentence of own.sentences) faults.unless(false, sentence)
  }
  return entries
})

const readEntry = Effect.fnUntraced(function* (
  entry: Readonly<Record<string, unknown>>,
  name: string,
  defaultUrl: string
): Effect.fn.Return<Entry> {
  const faults = Faults.make((field) => `${name}.${field}`)
  refuseUnknown(faults, entry, name, fields)
  const textIn = (field: string): string => {
    const value = entry[field] ?? ""
    if (typeof value === "string") return value
    faults.refuse(field, "give a string")
    return ""
  }
  const textsIn = (field: string): ReadonlyArray<string> => {
    const texts: ReadonlyArray<unknown> = [entry[field] ?? []].flat()
    if (texts.every((text) => typeof text === "string" && text !== "")) return texts.map(String)
    faults.refuse(field, "give strings")
    return []
  }
  /** A secret is a text, or the name of the variable that has it. */
  const secretIn = Effect.fnUntraced(function* (field: string) {
    const value = entry[field] ?? ""
    const variable = isRecord(value) ? value["env"] : undefined
    if (typeof value === "string") return Redacted.make(value)
    if (typeof variable !== "string") {
      faults.refuse(
        field,
        'give a string, or {"env": "NAME"} with the name of a variable that is set'
      )
      return Redacted.make("")
    }
    const secret = yield* Effect.orDie(secretOf(variable))
    if (MerchantSettings.nonEmpty(secret) === undefined) {
      // A text in place of the name may be the secret.
      const shown = /^[A-Z][A-Z0-9_]*$/u.test(variable) ? `variable ${variable}` : "variable in env"
      faults.refuse(field, `the ${shown} is not set`)
    }
    return secret
  })

  for (const field of ["id", "merchantKey", "merchantSecret", "store"]) {
    if (entry[field] === undefined) faults.say(field, "is missing")
  }
  // The merchants that share the base URL get one sentence for all.
  if (entry["baseUrl"] === undefined) faults.skip("baseUrl")
  const id = textIn("id")
  if (!MerchantId.isValid(id)) faults.say("id", `cannot be used. ${MerchantId.rule}`)
  const accounts = textsIn("accounts")
  if (entry["accounts"] !== undefined && accounts.length === 0) {
    faults.refuse("accounts", "name at least one, or omit the field to accept every account")
  }
  const stores = NodeStore.parseEach(textsIn("store"))
  if (stores === undefined) {
    faults.refuse("store", MerchantSettings.storeAdvice)
  }
  const numberIn = (
    field: string,
    read: (text: string) => number | undefined,
    advice: string
  ): number | undefined => {
    const value = entry[field]
    if (value === undefined) return undefined
    const given =
      typeof value === "number" || typeof value === "string" ? read(String(value)) : undefined
    if (given === undefined) faults.refuse(field, advice)
    return given
  }
  const { adviceOfMonths, adviceOfSize, bytesIn, monthsIn } = RetentionSettings
  const keepMonths = numberIn("keepMonths", monthsIn, adviceOfMonths)
  const storeBytes = numberIn("storeMegabytes", bytesIn, adviceOfSize)
  const merchant = yield* MerchantSettings.make(faults, {
    service: {
      baseUrl: entry["baseUrl"] === undefined ? defaultUrl : textIn("baseUrl"),
      merchantKey: textIn("merchantKey"),
      merchantSecret: yield* secretIn("merchantSecret")
    },
    previous: yield* secretIn("merchantSecretPrevious"),
    forward: entry["forward"] === undefined ? undefined : textIn("forward"),
    forwardSecret: yield* secretIn("forwardSecret")
  })
  if (entry["forwardSecret"] === "") {
    faults.refuse(
      "forwardSecret",
      "give a non-empty string, or omit the field to use merchantSecret"
    )
  }
  return {
    ...merchant,
    id,
    accounts,
    keepMonths,
    storeBytes,
    stores: stores ?? [{ _tag: "memory" }],
    name,
    faults
  }
})

const secretOf = (variable: string) =>
  Config.Redacted(variable).pipe(Config.withDefault(Redacted.make("")))

/** Only plain words are shown, because a text in the wrong place may be a secret. */
const refuseUnknown = (
  faults: Faults.Faults,
  record: Readonly<Record<string, unknown>>,
  name: string,
  known: ReadonlyArray<string>
) => {
  for (const field of Object.keys(record)) {
    const shown = /^[a-z_]{1,32}$/iu.test(field) ? ` ${field}` : ""
    faults.unless(
      known.includes(field),
      `${name} has an unknown field${shown}: give ${known.join(", ")}.`
    )
  }
}

const refuseShared = (entries: ReadonlyArray<Entry>) => {
  const owners = new Map<string, string>()
  const check = ({ faults, name }: Entry, field: string, keys: ReadonlyArray<string>) => {
    const other = keys.map((key) => owners.get(key)).find((owner) => owner && owner !== name)
    if (other !== undefined) {
      faults.refuse(field, `${other} has it too, and each merchant needs its own`)
    }
  }
  for (const entry of entries) {
    const { accounts, id, name, secrets, stores } = entry
    const owned = {
      id: [`id ${id}`],
      accounts: accounts.map((account) => `account ${account}`),
      merchantSecret: keysOfSecret(secrets.current),
      merchantSecretPrevious: keysOfSecret(secrets.previous),
      store: stores.flatMap((store) => NodeStore.keyOf(store) ?? [])
    }
    for (const [field, keys] of Object.entries(owned)) {
      check(entry, field, keys)
      for (const key of keys) owners.set(key, owners.get(key) ?? name)
    }
  }
  // An application knows its secret and the key. Several merchants may have one application.
  for (const entry of entries) {
    const { forwardSecret, secrets } = entry
    const [own] = keysOfSecret(secrets.current)
    const keys = [`secret ${Redacted.value(forwardSecret)}`, ...keysOfSecret(forwardSecret)]
    const others = keys.filter((key) => key !== own)
    check(entry, "forwardSecret", others)
  }
}

const keysOfSecret = (secret: Redacted.Redacted | undefined): ReadonlyArray<string> =>
  secret === undefined || MerchantSettings.nonEmpty(secret) === undefined
    ? []
    : [`secret ${Redacted.value(MerchantSettings.keyOf(secret))}`]

const readText = (file: string): Effect.Effect<string, string> => {
  const folder = dirname(resolve(file))
  return existsSync(folder)
    ? Effect.mapError(OwnFile.read(file), ({ reason }) => reason)
    : Effect.fail(`the folder ${folder} does not exist`)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
