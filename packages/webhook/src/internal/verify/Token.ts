/**
 * The token in a callback URL, which names the operation of the URL.
 *
 * It has two parts in base64url, joined by a dot: a JSON list of kind, requestId, account, amount,
 * currency and perhaps merchant; and the first 128 bits of its HMAC-SHA256 under the merchant
 * secret. The signed text has a line break, which no checksum signs, so a checksum is never a valid
 * tag.
 */
import * as Checksum from "@pawl/core/Checksum"
import * as Json from "@pawl/core/internal/Json"
import type { KnownKind, Method } from "@pawl/core/Kind"
import * as Base64Url from "effect/encoding/Base64Url"
import { type Ordered, orderedOf } from "../rule/Row.ts"

export const parameter = "pawl"

export const operations = [
  "apm-payment",
  "apm-payout",
  "card-payment",
  "card-payout",
  "refund",
  "payment",
  "payout"
] as const

export type Operation = (typeof operations)[number]

export interface Token {
  readonly operation: Operation
  readonly ordered: Ordered
  readonly merchant?: string | undefined
}

const signedPrefix = "pawl callback url 1\n"
const tagBytes = 16
/** A longer token is neither read nor issued. */
export const maxLength = 1024

type Text = string | null
type Content = readonly [Operation, Text, Text, Text, Text, Text?]

const isContent = (value: unknown): value is Content =>
  Array.isArray(value) &&
  value.length === (typeof value[5] === "string" ? 6 : 5) &&
  operations.includes(value[0]) &&
  value.slice(1).every((each) => each === null || typeof each === "string")

/** The only characters on which `atob` does not throw. */
const base64Url = /^[\w-]*$/

const contentOf = (text: string): Content | undefined => {
  if (text.length % 4 === 1 || !base64Url.test(text)) return undefined
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
  const parsed = Json.readBytes(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)))
  return "json" in parsed && isContent(parsed.json) ? parsed.json : undefined
}

const tagOf = (sign: Checksum.Sign, content: string): string =>
  Base64Url.encode(sign(signedPrefix + content).subarray(0, tagBytes))

export const encode = (sign: Checksum.Sign, { merchant, operation, ordered }: Token): string => {
  const { account, amount, currency, requestId } = ordered
  const list = [operation, requestId, account, amount, currency].map((each) => each ?? null)
  const content = Base64Url.encode(
    JSON.stringify(merchant === undefined ? list : [...list, merchant])
  )
  return `${content}.${tagOf(sign, content)}`
}

/** Reads the token of a callback. The account of an intent is a mid, which no APM callback has. */
export const decode = (sign: Checksum.Sign, token: string, method: Method): Token | undefined => {
  if (token.length > maxLength) return undefined
  const [content = "", tag = "", ...rest] = token.split(".")
  if (rest.length > 0 || !Checksum.matches(tagOf(sign, content), tag)) return undefined
  const list = contentOf(content)
  if (list === undefined) return undefined
  const [operation, requestId, account, amount, currency] = list
  const ordered = orderedOf({
    requestId: requestId ?? undefined,
    account: (method === "apm" && isIntent(operation) ? null : account) ?? undefined,
    amount: amount ?? undefined,
    currency: currency ?? undefined
  })
  return { operation, ordered: ordered ?? {} }
}

/** Returns the merchant that an unverified token names; it only chooses the secret. */
export const merchantOf = (token: string): string | undefined =>
  token.length > maxLength ? undefined : (contentOf(token.split(".")[0] ?? "")?.[5] ?? undefined)

/** The callback of an intent names the method. */
export const kindOf = (operation: Operation, method: Method): KnownKind =>
  isIntent(operation) ? `${method}-${operation}` : operation

const isIntent = (operation: Operation): operation is "payment" | "payout" =>
  operation.startsWith("pay")
