/**
 * The floor of the receiver benchmarks: all checks of the verifier in plain code, in the same
 * order, and a Map as store.
 */
import type { Incoming } from "@pawl/webhook/VerifyCallback"
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto"
import { secret } from "./callbacks.ts"

export type Checked =
  | {
      readonly key: string
      readonly status: string
      readonly body: Readonly<Record<string, unknown>>
    }
  | number

const key = createSecretKey(secret, "utf8")
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const type = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-8"?)?\s*$/iu
const routing = /^(?:paymentmethod|apmtype)(?:\[|$)/iu
// oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
const forbidden = /[|\u0000-\u001f\u007f-\u009f]/u
const identifier = /^[A-Za-z0-9_-]{1,64}$/u
const amountText = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u
const currencyText = /^[A-Z]{3}$/u
const names = {
  card: ["mid", "orderAmount", "orderCurrency", "transactionId"],
  apm: ["accountId", "amount", "currency", "transactionId"]
} as const
const statuses = new Set([
  "NEW",
  "PENDING",
  "PROCESSING",
  "CUSTOMER_VERIFICATION",
  "SUCCEED",
  "FAILED",
  "CANCELLED",
  "REFUNDED",
  "CHARGEBACK"
])

const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined && String(value) !== context.source
    ? context.source
    : value

/** Returns NaN for text that databases refuse. */
const walk = (value: unknown): number => {
  if (typeof value === "string") {
    return value.includes("\u0000") || !value.isWellFormed() ? Number.NaN : 0
  }
  if (typeof value !== "object" || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const each of value) count += walk(each)
  else for (const name of Object.keys(value)) count += 1 + walk(name) + walk((value as never)[name])
  return count
}

const read = (bytes: Uint8Array): unknown => {
  const text = utf8.decode(bytes)
  let [depth, deepest, members, numbers] = [0, 0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      for (at++; at < text.length; at++) {
        const inside = text.charCodeAt(at)
        if (inside === 0x22) break
        if (inside === 0x5c) at++
      }
    } else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x3a) members++
    else if (code >= 0x30 && code <= 0x39) numbers = true
  }
  if (deepest > 64 || members > 1000) throw new Error("too deep or too large")
  const value: unknown = numbers ? JSON.parse(text, exact) : JSON.parse(text)
  const count = walk(value)
  if (!Number.isNaN(count) && count !== members) throw new Error("a key is repeated")
  return value
}

export const check = (incoming: Incoming): Checked => {
  if (incoming.method !== "POST") return 405
  if (incoming.body.length > 65_536) return 413
  if (incoming.contentEncoding !== undefined && incoming.contentEncoding !== "identity") return 415
  if (!type.test(incoming.contentType ?? "")) return 415
  let value: unknown
  try {
    value = read(incoming.body)
  } catch {
    return 400
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return 400
  const body = value as Readonly<Record<string, unknown>>
  const query = new URLSearchParams(incoming.search)
  const [method, ...methods] = query.getAll("paymentMethod")
  if (methods.length > 0 || (method !== "card" && method !== "apm")) return 400
  for (const name of query.keys()) {
    if (routing.test(name) && name !== "paymentMethod" && name !== "apmType") return 400
  }
  const types = query.getAll("apmType")
  if (types.length > (method === "apm" ? 1 : 0)) return 400
  const apmType = body["apmType"]
  if (types.length === 1 && apmType !== undefined && apmType !== null && apmType !== types[0])
    return 400
  if (names[method === "apm" ? "card" : "apm"].every((name) => Object.hasOwn(body, name)))
    return 400
  const signed: Array<string> = []
  for (const name of names[method]) {
    const field = Object.hasOwn(body, name) ? body[name] : undefined
    if (typeof field !== "string" && typeof field !== "number") return 400
    const text = String(field)
    if (text === "" || forbidden.test(text) || !text.isWellFormed()) return 400
    signed.push(text)
  }
  const expected = createHmac("sha256", key).update(signed.join("|"), "utf8").digest("base64")
  const given = incoming.checksum ?? ""
  if (given.length !== expected.length) return 401
  if (!timingSafeEqual(Buffer.from(expected, "latin1"), Buffer.from(given, "latin1"))) return 401
  const [, amount = "", currency = "", transactionId = ""] = signed
  const status = body["transactionStatus"]
  if (!identifier.test(transactionId) || !amountText.test(amount)) return 422
  if (!currencyText.test(currency) || typeof status !== "string" || !statuses.has(status))
    return 422
  return { key: `${method}/${transactionId}`, status, body }
}

/** Returns false for a repeat. */
export const remember = (
  seen: Map<string, unknown>,
  { body, key, status }: Exclude<Checked, number>
): boolean => {
  const name = `${key}/${status}`
  const isNew = !seen.has(name)
  seen.set(name, body)
  return isNew
}
