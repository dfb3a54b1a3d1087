/**
 * The token in a callback URL: which operation the URL was made for, signed.
 *
 * **Details**
 *
 * Two parts in base64url: a list of kind, requestId, account, amount and currency, and 128 bits of its
 * HMAC-SHA256 under the merchant secret. What is signed begins with a line of its own, and no signed
 * field of a request or a callback can have a line break: neither checksum is ever that of a token.
 *
 * @since 0.1.0
 */
import * as Checksum from "@pawl/core/Checksum"
import * as Json from "@pawl/core/Json"
import type { KnownKind, Method } from "@pawl/core/Kind"
import * as Base64Url from "effect/encoding/Base64Url"
import { type Ordered, orderedOf } from "../../Row.ts"

/** The query parameter it travels in. */
export const parameter = "pawl"

/** The operations a URL can be made for: those with an endpoint of their own, and the two intents. */
export const kinds = [
  "apm-payment",
  "apm-payout",
  "card-payment",
  "card-payout",
  "refund",
  "payment",
  "payout"
] as const

export type Origin = (typeof kinds)[number]

export interface Token {
  readonly origin: Origin
  readonly ordered: Ordered
}

const domain = "pawl callback url 1\n"
const bytes = 16
const longest = 1024

type Text = string | null
type Content = readonly [Origin, Text, Text, Text, Text]

const isContent = (value: unknown): value is Content =>
  Array.isArray(value) &&
  value.length === 5 &&
  kinds.includes(value[0]) &&
  value.slice(1).every((each) => each === null || typeof each === "string")

/** Nothing else is decoded, so that nothing throws. */
const base64Url = /^[\w-]*$/

const contentOf = (text: string): Content | undefined => {
  if (text.length % 4 === 1 || !base64Url.test(text)) return undefined
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
  const read = Json.readBytes(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)))
  return "json" in read && isContent(read.json) ? read.json : undefined
}

const tag = (sign: Checksum.Sign, content: string): string =>
  Base64Url.encode(sign(domain + content).subarray(0, bytes))

/** Writes a token. */
export const encode = (sign: Checksum.Sign, { origin, ordered }: Token): string => {
  const { account, amount, currency, requestId } = ordered
  const list = [origin, requestId, account, amount, currency].map((each) => each ?? null)
  const content = Base64Url.encode(JSON.stringify(list))
  return `${content}.${tag(sign, content)}`
}

/** Reads a token; undefined when it is not one that this secret signed. */
export const decode = (sign: Checksum.Sign, token: string): Token | undefined => {
  if (token.length > longest) return undefined
  const [content = "", given = "", ...rest] = token.split(".")
  if (rest.length > 0 || !Checksum.matches(tag(sign, content), given)) return undefined
  const list = contentOf(content)
  if (list === undefined) return undefined
  const [origin, requestId, account, amount, currency] = list
  const ordered = orderedOf({
    requestId: requestId ?? undefined,
    account: account ?? undefined,
    amount: amount ?? undefined,
    currency: currency ?? undefined
  })
  return { origin, ordered: ordered ?? {} }
}

/** The kind that a callback of a method has; what an intent was paid with is known only then. */
export const kindOf = (origin: Origin, method: Method): KnownKind =>
  origin === "payment" || origin === "payout" ? `${method}-${origin}` : origin
