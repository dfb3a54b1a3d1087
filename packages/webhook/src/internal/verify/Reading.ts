/** Reads a possible callback by its layout, card or APM. */
import { type Body, type Signed } from "@pawl/core/Callback"
import { signedNames } from "@pawl/core/internal/SignedFields"
import type { RefusedCallback } from "@pawl/core/CallbackError"
import * as Grammar from "@pawl/core/internal/Grammar"
import * as Json from "@pawl/core/internal/Json"
import type { Method } from "@pawl/core/Kind"
import type { Switches } from "@pawl/core/Profile"
import { isStatus } from "@pawl/core/Status"
import type { TransactionId } from "@pawl/core/Transaction"
import type * as Schema from "effect/Schema"
import type { Incoming } from "../../VerifyCallback.ts"
import * as Token from "./Token.ts"

export const maxBytes = 64 * 1024

/** A request with the fields of a callback, none of them verified. */
export interface Reading {
  readonly method: Method
  readonly token: string | undefined
  readonly signed: Signed
  readonly draft: Json.Draft
}

export const refuse = (status: RefusedCallback["status"], reason: string): RefusedCallback => ({
  status,
  reason
})

/** A refused request, with the signed fields that its body has in each layout: it may be genuine. */
export interface Refused extends RefusedCallback {
  readonly candidates?: ReadonlyArray<Signed>
}

const charset = /^(?:(?!charset)|charset\s*=\s*"?utf-8"?$)/i

/** A parameter may be empty, and only the charset has a meaning. */
const isJson = (contentType: string): boolean => {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim())
  return /^application\/json$/i.test(type) && parameters.every((each) => charset.test(each))
}

type TypeSwitch = Partial<Pick<Switches, "callbackContentType">>

export const isTyped = (
  contentType: string | undefined,
  { callbackContentType }: TypeSwitch
): boolean => callbackContentType === "any" || isJson(contentType ?? "")

const kept = new WeakMap<Incoming, Reading | Refused>()

export const keep = (incoming: Incoming, profile: TypeSwitch): Reading | Refused => {
  const reading = read(incoming, profile)
  kept.set(incoming, reading)
  return reading
}

export const read = (incoming: Incoming, profile: TypeSwitch = {}): Reading | Refused =>
  kept.get(incoming) ?? parse(incoming, profile)

/** Returns the signed fields of a request; of a refused one, those of the first layout. */
export const signedIn = (reading: Reading | Refused): Signed | undefined =>
  "reason" in reading ? reading.candidates?.[0] : reading.signed

const maxNamed = 64

/** Shows the last four digits of a text that can have a card number: a field may have a wrong value. */
const nameOf = (text: string): string => {
  const digits = text.replaceAll(/[^0-9]/gu, "")
  return digits.length < 12 ? text.slice(0, maxNamed) : `…${digits.slice(-4)}`
}

/** Returns the account, and the merchant in the token, that a refused callback names, for a log. */
export const namesOf = (incoming: Incoming) => {
  const reading = read(incoming, { callbackContentType: "any" })
  const account = signedIn(reading)?.account
  const merchant = "reason" in reading ? undefined : Token.merchantOf(reading.token ?? "")
  return {
    ...(account !== undefined && { account: nameOf(account) }),
    ...(merchant !== undefined && { merchant: nameOf(merchant) })
  }
}

const parse = (incoming: Incoming, profile: TypeSwitch): Reading | Refused => {
  if (incoming.method !== "POST") return refuse(405, "the method is not POST")
  if (incoming.body.length > maxBytes) return refuse(413, "the body is larger than 64 KiB")
  if (!/^(?:identity)?$/i.test(incoming.contentEncoding ?? "")) {
    return refuse(415, "the body has a content encoding")
  }
  const draft = Json.draftBytes(incoming.body)
  const reading = isTyped(incoming.contentType, profile)
    ? readDraft(incoming.search, draft)
    : refuse(415, "the content type is not JSON")
  return "reason" in reading ? { ...reading, candidates: candidatesOf(draft) } : reading
}

const readDraft = (
  search: string,
  draft: ReturnType<typeof Json.draftBytes>
): Reading | RefusedCallback => {
  if ("fault" in draft) return refuse(400, `the body is not valid JSON: ${draft.fault}`)
  if (!isBody(draft.json)) return refuse(400, "the body is not a JSON object")
  const route = routeOf(search, draft.json)
  if ("reason" in route) return route
  const signed = signedOf(route.method, draft.json, draft.sourceOf)
  return "reason" in signed ? signed : { ...route, signed, draft }
}

const candidatesOf = (draft: ReturnType<typeof Json.draftBytes>): ReadonlyArray<Signed> => {
  if ("fault" in draft || !isBody(draft.json)) return []
  const { json, sourceOf } = draft
  return (["apm", "card"] as const).flatMap((method) => {
    const signed = signedOf(method, json, sourceOf)
    return "reason" in signed ? [] : signed
  })
}

const isBody = (value: Schema.Json): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the route of a callback, whose query names the method that the body must agree with. */
export const routeOf = (
  search: string,
  body: Body
): { readonly method: Method; readonly token: string | undefined } | RefusedCallback => {
  const methods: Array<string> = []
  const types: Array<string> = []
  const tokens: Array<string> = []
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === "paymentMethod") methods.push(value)
    else if (name === "apmType") types.push(value)
    else if (name === Token.parameter) tokens.push(value)
    else if (Grammar.routing.test(name)) {
      return { status: 400, reason: "the query has another spelling of paymentMethod or apmType" }
    }
  }
  const [method] = methods
  if (methods.length !== 1 || (method !== "card" && method !== "apm")) {
    return { status: 400, reason: "paymentMethod is not exactly one of card and apm" }
  }
  if (types.length > (method === "apm" ? 1 : 0)) {
    return { status: 400, reason: "apmType is repeated, or the callback is a card callback" }
  }
  if (tokens.length > 1) return { status: 400, reason: "the query has more than one token" }
  const [type] = types
  const bodyType = body["apmType"]
  if (type !== undefined && bodyType !== undefined && bodyType !== null && bodyType !== type) {
    return { status: 400, reason: "apmType differs between query and body" }
  }
  const other = signedNames[method === "card" ? "apm" : "card"]
  if (other.every((name) => Object.hasOwn(body, name))) {
    return { status: 400, reason: "the body has the signed fields of the other layout" }
  }
  return { method, token: tokens[0] }
}

// oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
const forbidden = /[|\u0000-\u001f\u007f-\u009f]/

/** Refuses a value that makes the signed text ambiguous. */
export const signedOf = (
  method: Method,
  body: Body,
  sourceOf: Json.Draft["sourceOf"]
): Signed | RefusedCallback => {
  const values: Array<string> = []
  for (const name of signedNames[method]) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (typeof value !== "string" && typeof value !== "number") {
      return { status: 400, reason: `${name} is neither a text nor a number` }
    }
    const text = typeof value === "number" ? (sourceOf(name) ?? "") : value
    if (text === "" || forbidden.test(text) || !text.isWellFormed()) {
      return {
        status: 400,
        reason: `${name} is empty or has a character that is not allowed in signed fields`
      }
    }
    values.push(text)
  }
  const [account = "", amount = "", currency = "", transactionId = ""] = values
  return { account, amount, currency, transactionId }
}

export const isIdentifier = (text: string): text is TransactionId =>
  Grammar.identifier.test(text) && !/^\.{1,2}$/u.test(text)

const backslash = 0x5c

/** Returns the field because of which a callback cannot be acted on. */
export const quarantineOf = (signed: Signed, body: Body, bytes: Uint8Array): string | undefined => {
  if (!isIdentifier(signed.transactionId)) return "transactionId"
  if (!Grammar.signedAmount.test(signed.amount)) return "amount"
  if (!Grammar.currency.test(signed.currency)) return "currency"
  if (!isStatus(body["transactionStatus"])) return "transactionStatus"
  // Such text always has an escape; this skips the walk, 10 % of the time.
  return bytes.includes(backslash) && hasUnstorableText(body)
    ? "text that cannot be stored"
    : undefined
}

/** Tells whether a value has text that databases refuse: a NUL or a lone surrogate. */
const hasUnstorableText = (value: unknown): boolean => {
  if (typeof value === "string") return value.includes("\u0000") || !value.isWellFormed()
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(
    ([key, each]) => hasUnstorableText(key) || hasUnstorableText(each)
  )
}
