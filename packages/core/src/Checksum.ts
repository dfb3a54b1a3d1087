/**
 * The checksums of requests and of callbacks (`spec.md`, "Authentication").
 *
 * **Gotchas**
 *
 * Joining with `|` is ambiguous: `"1|2" + "10"` and `"1" + "2|10"` have one checksum. The schemas of
 * requests and the verifier of callbacks refuse a field with a `|`.
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import type { Signed } from "./Callback.ts"

/**
 * Returns the HMAC-SHA256 of a text under the merchant secret.
 *
 * @category models
 * @since 0.1.0
 */
export type Sign = (text: string) => Uint8Array

/**
 * Computes the checksum of an APM request, in lower-case hex. `separator` is that of `Profile`.
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
 * Computes the `X-Checksum` of a callback, in canonical base64.
 *
 * @category constructors
 * @since 0.1.0
 */
export const callback = (sign: Sign, fields: Signed): string =>
  Base64.encode(
    sign([fields.account, fields.amount, fields.currency, fields.transactionId].join("|"))
  )

/**
 * Compares two checksums in a time that depends only on their lengths.
 *
 * **Gotchas**
 *
 * It compares the texts, because several spellings of base64 decode to one digest and only the canonical
 * one is valid.
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
