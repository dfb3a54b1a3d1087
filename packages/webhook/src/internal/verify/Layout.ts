/**
 * Reads a callback by its layout: which of the two it has, what it signs, and what in it is not ours to
 * understand.
 *
 * @since 0.1.0
 */
import { type Body, type Signed, signedNames } from "@pawl/core/Callback"
import type { Refusal } from "@pawl/core/CallbackError"
import * as Grammar from "@pawl/core/Grammar"
import { isStatus } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type { TransactionId } from "@pawl/core/Transaction"
import type { Json } from "effect/Schema"
import * as Token from "./Token.ts"

/** Tells whether a value is an object. */
export const isBody = (value: Json): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Every spelling under which a routing parameter could be smuggled past us. */
const routing = /^(?:paymentmethod|apmtype)(?:\[|$)/i

/** Says the method and the token. The method is said by the query and by the fields, and they have to agree. */
export const route = (
  search: string,
  body: Body
): { readonly method: Method; readonly token: string | undefined } | Refusal => {
  const methods: Array<string> = []
  const types: Array<string> = []
  const tokens: Array<string> = []
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === "paymentMethod") methods.push(value)
    else if (name === "apmType") types.push(value)
    else if (name === Token.parameter) tokens.push(value)
    else if (routing.test(name)) {
      return { status: 400, reason: "the query spells paymentMethod or apmType in another way" }
    }
  }
  const [method] = methods
  if (methods.length !== 1 || (method !== "card" && method !== "apm")) {
    return { status: 400, reason: "paymentMethod is not exactly one of card and apm" }
  }
  if (types.length > (method === "apm" ? 1 : 0)) {
    return { status: 400, reason: "apmType is repeated, or comes with a card callback" }
  }
  if (tokens.length > 1) return { status: 400, reason: "the query repeats our token" }
  const [type] = types
  const told = body["apmType"]
  if (type !== undefined && told !== undefined && told !== null && told !== type) {
    return { status: 400, reason: "apmType differs between query and body" }
  }
  const other = signedNames[method === "card" ? "apm" : "card"]
  if (other.every((name) => Object.hasOwn(body, name))) {
    return { status: 400, reason: "the body has the signed fields of both kinds" }
  }
  return { method, token: tokens[0] }
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const forbidden = /[|\u0000-\u001f\u007f-\u009f]/

/** Returns the signed fields as text; what would make the joined text ambiguous is refused. */
export const signedOf = (method: Method, body: Body): Signed | Refusal => {
  const values: Array<string> = []
  for (const name of signedNames[method]) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (typeof value !== "string" && typeof value !== "number") {
      return { status: 400, reason: `${name} is neither text nor number` }
    }
    const text = String(value)
    if (text === "" || forbidden.test(text) || !text.isWellFormed()) {
      return { status: 400, reason: `${name} is empty or has characters that may not be signed` }
    }
    values.push(text)
  }
  const [account = "", amount = "", currency = "", transactionId = ""] = values
  return { account, amount, currency, transactionId }
}

/** Tells whether a text can be an id of the service. */
export const isIdentifier = (text: string): text is TransactionId => Grammar.identifier.test(text)

const backslash = 0x5c

/** Names what in a genuine callback is outside our grammar; undefined when nothing is. */
export const strangeness = (signed: Signed, body: Body, bytes: Uint8Array): string | undefined => {
  if (!isIdentifier(signed.transactionId)) return "transactionId"
  if (!Grammar.amount.test(signed.amount)) return "amount"
  if (!Grammar.currency.test(signed.currency)) return "currency"
  if (!isStatus(body["transactionStatus"])) return "transactionStatus"
  // What cannot be stored comes by an escape alone: the walk, a tenth of all of this, is for those.
  return bytes.includes(backslash) && unstorable(body) ? "text that cannot be stored" : undefined
}

/** A NUL or a lone surrogate in any key or value: databases refuse them, and a retry would too. */
const unstorable = (value: unknown): boolean => {
  if (typeof value === "string") return value.includes("\u0000") || !value.isWellFormed()
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(([key, each]) => unstorable(key) || unstorable(each))
}
