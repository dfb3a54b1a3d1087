/**
 * The two checksums of the service: of a request, and of a callback (`spec.md`, "Authentication").
 *
 * **Gotchas**
 *
 * Joining with `|` is not injective: `"1|2" + "10"` and `"1" + "2|10"` sign alike. Whoever builds the
 * text has to refuse fields with a `|` in them; requests do so by their schemas, callbacks in the
 * verifier.
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import type { Signed } from "./Callback.ts"

/**
 * A text-signing function, HMAC-SHA256 under the merchant secret.
 *
 * @category models
 * @since 0.1.0
 */
export type Sign = (text: string) => Uint8Array

/**
 * Computes the checksum of an APM request: accountId, requestId, amount and currency, in lower-case
 * hex.
 *
 * **Details**
 *
 * The separator is not documented; `Profile.requestChecksumSeparator` is what callers pass.
 *
 * @category constructors
 * @since 0.1.0
 */
export const request = (
  sign: Sign,
  separator: string,
  fields: {
    readonly accountId: string
    readonly requestId: string
    readonly amount: string
    readonly currency: string
  }
): string =>
  Hex.encode(
    sign([fields.accountId, fields.requestId, fields.amount, fields.currency].join(separator))
  )

/**
 * Computes the checksum of a callback: account, amount, currency and transactionId joined with `|`,
 * in canonical base64. It is the value of the header `X-Checksum`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const callback = (sign: Sign, fields: Signed): string =>
  Base64.encode(
    sign([fields.account, fields.amount, fields.currency, fields.transactionId].join("|"))
  )

/**
 * Compares two checksums as text, in a time that depends on their length alone.
 *
 * **Details**
 *
 * Texts are compared, not decoded digests: ten spellings of one digest decode alike, and only the
 * canonical one is the checksum.
 *
 * @category guards
 * @since 0.1.0
 */
export const matches = (expected: string, given: string): boolean => {
  if (expected.length !== given.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at++) {
    difference |= expected.charCodeAt(at) ^ given.charCodeAt(at)
  }
  return difference === 0
}
