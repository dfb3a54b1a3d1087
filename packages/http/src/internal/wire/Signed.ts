/**
 * Adds the checksum to the fields of an APM request (`spec.md`, "Request checksum").
 */
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import { Profile } from "@pawl/core/Profile"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { PawlConfig } from "../../PawlConfig.ts"

/** Tells which requests of an endpoint have a checksum: all, or those that `Profile.payoutChecksum` selects. */
export type ChecksumRule = "always" | "payout"

/** Returns the function that adds the checksum to the fields of a request, if its endpoint has a checksum. */
export type Signed = (
  rule: ChecksumRule | undefined
) => (fields: object | undefined) => object | undefined

/** Makes that function. It signs with the current secret, whose key is prepared once for each secret. */
export const make = Effect.gen(function* () {
  const { payoutChecksum, requestChecksumSeparator } = yield* Profile
  const { currentSecret } = yield* PawlConfig
  const { keyed } = yield* Hmac
  let secret = currentSecret()
  let sign = keyed(secret)
  const currentSign = () => {
    const current = currentSecret()
    if (current !== secret) {
      secret = current
      sign = keyed(current)
    }
    return sign
  }
  const add = (fields: object | undefined) => ({
    ...fields,
    // The schema of the request refuses missing fields afterwards.
    checksum: Checksum.request(currentSign(), requestChecksumSeparator, fields as SignedFields)
  })
  const signed: Signed = (rule) =>
    rule === "always" || (rule === "payout" && payoutChecksum) ? add : identity
  return signed
})

type SignedFields = Parameters<typeof Checksum.request>[2]
