/**
 * Reads one merchant of the file of the merchants. Problems name the field, never its value.
 */
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Secret } from "../internal/admin/Overview.ts"
import * as RetentionSettings from "@pawl/webhook/internal/work/RetentionSettings"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
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
  /** The months that transactions are kept, infinite for ever. Undefined if the setting of the process counts. */
  readonly keepMonths?: number | undefined
  readonly named: ReadonlyArray<Secret>
}

/** An entry of the file. `name` is its place, and `merchant` is undefined if it has no store. */
export interface Entry {
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
  "forwardSecret",
  "keepMonths"
]

/** Returns a sentence for each field of a record that is not known. */
export const unknownFields = (
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

/** Reads an entry of the file. `defaultUrl` is the base URL of the merchants without one. */
export const read = Effect.fnUntraced(function* (
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
  const givenMonths = entry["keepMonths"]
  const keepMonths =
    typeof givenMonths === "number" || typeof givenMonths === "string"
      ? RetentionSettings.monthsIn(String(givenMonths))
      : undefined
  if (givenMonths !== undefined && keepMonths === undefined) {
    refuse("keepMonths", RetentionSettings.adviceOfMonths)
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
    keepMonths,
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

const variableOf = (name: string) => Config.String(name).pipe(Config.withDefault(undefined))

/** Tells whether a value of JSON is an object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
