/**
 * The errors of receiving a callback.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * The reason why a callback is refused. It is plain data, because an attacker can cause many refusals and a
 * thrown error takes more time.
 *
 * - `status`: the HTTP status of the response. Every failure of the checksum is 401.
 * - `reason`: text for the log of the merchant. It names fields, never values, and is not sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface RefusedCallback {
  readonly status: 400 | 401 | 405 | 413 | 415
  readonly reason: string
}

/**
 * Error raised when the store cannot be read or written. The receiver responds 503 to a callback, and the
 * service sends the callback again.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly cause?: unknown
}> {
  readonly code = "StoreUnavailable"
  override readonly message = "The store is not available"
}

/**
 * Error raised at the start when a merchant secret is empty, or has spaces or line breaks around it. The error
 * does not contain the secret.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidSecret extends Data.TaggedError("InvalidSecret")<{
  readonly secret: "current" | "previous"
}> {
  /** Empty, so that a program prints the message alone. */
  override readonly stack = ""
  override get message() {
    const variable = `PAWL_MERCHANT_SECRET${this.secret === "previous" ? "_PREVIOUS" : ""}`
    return `The ${this.secret} merchant secret (${variable} in the environment) cannot be used: give it without spaces or line breaks around it, and not empty`
  }
}
