/**
 * Options of one call. Every operation takes them as its last argument.
 *
 * **Example** (A status that is needed within a second)
 *
 * ```ts
 * import { ApmPayments } from "@pawl/http/ApmPayments"
 * import * as Effect from "effect/Effect"
 *
 * export const statusSoon = Effect.fn("statusSoon")(function* (id: string) {
 *   const payments = yield* ApmPayments
 *   return yield* payments.status(id, { totalTimeout: "1 second", maxAttempts: 2 })
 * })
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type { Options } from "./PawlConfig.ts"

/**
 * Options of a call; the defaults are those of the client. An invalid value fails with `ValidationFailed`
 * before anything is sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOptions {
  /** Time limit of one attempt. */
  readonly attemptTimeout?: Options["attemptTimeout"]
  /** Time limit of the call with its attempts and waits. */
  readonly totalTimeout?: Options["totalTimeout"]
  /** Maximum attempts of the call. */
  readonly maxAttempts?: Options["maxAttempts"]
  /** Backoff between attempts. */
  readonly retrySchedule?: Options["retrySchedule"]
}

/**
 * Options of a create.
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateOptions extends CallOptions {
  /** Idempotency key, if the input has none. If both have one, they must be equal. */
  readonly requestId?: string
  /** Time after which the call starts no attempt. It awaits one in flight. */
  readonly sendWithin?: Duration.Input | undefined
  /**
   * Whether an earlier request with this requestId may have taken effect, such as one of a process that
   * ended; false. If so, every error is `OutcomeUnknown`: only a readable response ends the doubt. A
   * client remembers up to 10,000 doubts of its own.
   */
  readonly inDoubt?: boolean | undefined
}
