/**
 * Why a callback was not taken in.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * A refusal of a callback that may be an attack: plain data, so that a refusal costs no exception.
 *
 * - `status` is the answer: 405, 413, 415, 400, or 401 for every failure of the checksum alike.
 * - `reason` is for the merchant's log; it names fields and never a value, and is not sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refusal {
  readonly status: 400 | 401 | 405 | 413 | 415
  readonly reason: string
}

/**
 * Error raised when the ledger cannot store now; the callback is answered 503 and comes again.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly cause?: unknown
}> {
  override readonly message = "The ledger cannot be written now"
}

/**
 * Error raised at the start when a merchant secret is missing or was not copied as it is. Holds no value.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidSecret extends Data.TaggedError("InvalidSecret")<{
  readonly secret: "current" | "previous"
}> {
  /** Where it was noticed says nothing: what a program prints of it is the sentence. */
  override readonly stack = ""
  override get message() {
    const variable = `PAWL_MERCHANT_SECRET${this.secret === "previous" ? "_PREVIOUS" : ""}`
    return `The ${this.secret} merchant secret (${variable} in the environment) cannot be used: give it without spaces or line breaks around it, and not empty`
  }
}
