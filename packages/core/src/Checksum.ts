/**
 * The two checksums of the service: of requests and of callbacks (`spec.md`, "Authentication").
 *
 * **Gotchas**
 *
 * Joining with `|` is ambiguous: `"1|2" + "10"` and `"1" + "2|10"` have the same checksum. So a field with a
 * `|` must be refused before the checksum is computed. The schemas of requests and the verifier of callbacks
 * refuse it.
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import type { Signed } from "./Callback.ts"

/**
 * A function that returns the HMAC-SHA256 of a text under the merchant secret.
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
 * The specification does not show the separator. Pass `Profile.requestChecksumSeparator`.
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
 * in canonical base64. This is the value of the header `X-Checksum`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const callback = (sign: Sign, fields: Signed): string =>
  Base64.encode(
    sign([fields.account, fields.amount, fields.currency, fields.transactionId].join("|"))
  )

/**
 * Tells whether two checksums are the same text, in a time that depends only on their lengths.
 *
 * **Details**
 *
 * The texts are compared, not the decoded digests: several spellings decode to one digest, and only the canonical
 * one is the checksum. The loop reads every character, so its time does not tell an attacker where the first
 * difference is.
 *
 * @category guards
 * @since 0.1.0
 */
export const matches = (expected: string, received: string): boolean => {
  if (expected.length !== received.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at++) {
    difference |= expected.charCodeAt(at) ^ received.charCodeAt(at)
  }
  return difference === 0
}
