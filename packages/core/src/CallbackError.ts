/**
 * The errors of receiving a callback.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * A refused callback. It is plain data, because an attacker can cause many.
 *
 * @category models
 * @since 0.1.0
 */
export interface RefusedCallback {
  /** HTTP status of the response; 401 for every failure of the checksum. */
  readonly status: 400 | 401 | 405 | 413 | 415
  /** Text for the merchant's log. It names fields, never values, and is not sent. */
  readonly reason: string
  /** True if its checksum is valid, so that the service sent it. Undefined if that cannot be known. */
  readonly isGenuine?: boolean
}

/**
 * Error raised when the store cannot be read or written. The receiver then responds 503, and the service
 * sends the callback again.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  /** The error of the store. */
  readonly cause?: unknown
}> {
  /** The tag, for programs without Effect. */
  readonly code = "StoreUnavailable"
  override readonly message = "The store is not available"
}

/**
 * Error raised at the start when a merchant secret is empty or surrounded by white space. It does not
 * contain the secret.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidSecret extends Data.TaggedError("InvalidSecret")<{
  /** Which of the two secrets is invalid. */
  readonly secret: "current" | "previous"
}> {
  /** Empty, so that a program prints the message alone. */
  override readonly stack = ""
  override get message() {
    const variable = `PAWL_MERCHANT_SECRET${this.secret === "previous" ? "_PREVIOUS" : ""}`
    return `The ${this.secret} merchant secret (${variable} in the environment) cannot be used: it must not be empty or have spaces or line breaks around it`
  }
}
