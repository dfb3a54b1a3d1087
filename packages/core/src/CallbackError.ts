/**
 * The errors of receiving a callback.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * The reason why a callback is refused. It is plain data, because an attacker can cause many refusals and an
 * exception is more expensive.
 *
 * - `status`: the HTTP status of the response. Every failure of the checksum is 401.
 * - `reason`: text for the log of the merchant. It names fields, never values, and is not sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refusal {
  readonly status: 400 | 401 | 405 | 413 | 415
  readonly reason: string
}

/**
 * Error raised when the ledger cannot be written. The receiver responds 503, and the service repeats the
 * callback.
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
 * Error raised at the start when a merchant secret is empty, or has spaces or line breaks around it. It holds no
 * value.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidSecret extends Data.TaggedError("InvalidSecret")<{
  readonly secret: "current" | "previous"
}> {
  /** Empty, because programs print it: the message is all that the reader needs. */
  override readonly stack = ""
  override get message() {
    const variable = `PAWL_MERCHANT_SECRET${this.secret === "previous" ? "_PREVIOUS" : ""}`
    return `The ${this.secret} merchant secret (${variable} in the environment) cannot be used: give it without spaces or line breaks around it, and not empty`
  }
}
