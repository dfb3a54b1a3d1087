/**
 * The type of each stage is the ticket to the next: what was not verified is not accepted.
 */
import type * as Brand from "effect/Brand"
import type { Ledger } from "../src/Ledger.ts"
import type { Incoming, Verified, Verifier } from "../src/Verifier.ts"

declare const ledger: Ledger["Service"]
declare const verifier: Verifier["Service"]
declare const incoming: Incoming
declare const verified: Verified

export const accepted = ledger.accept(verified, 0)

// @ts-expect-error: nobody has looked at its checksum
export const unverified = ledger.accept(incoming, 0)

// @ts-expect-error: it may have been refused
export const unread = ledger.accept(verifier.verify(incoming), 0)

/** Every field of a verified callback, and yet none. */
const lookalike: Brand.Brand.Unbranded<Verified> = {
  method: verified.method,
  signed: verified.signed,
  claim: verified.claim,
  quarantine: verified.quarantine,
  secret: verified.secret,
  body: verified.body,
  bytes: verified.bytes
}

// @ts-expect-error: only the verifier makes a verified callback
export const forged = ledger.accept(lookalike, 0)
