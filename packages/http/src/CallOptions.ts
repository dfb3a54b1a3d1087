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
 * Options of a call. Each one that is absent has the value of the client's configuration.
 *
 * - `attemptTimeout`: time limit of one attempt.
 * - `totalTimeout`: time limit of the call with all its attempts and waits.
 * - `maxAttempts`: most attempts of the call.
 * - `retrySchedule`: the waits between its attempts.
 *
 * An invalid value fails with `ValidationFailed` before anything is sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOptions extends Pick<
  Options,
  "attemptTimeout" | "totalTimeout" | "maxAttempts" | "retrySchedule"
> {}

/**
 * Options of a create.
 *
 * - `requestId`: the requestId, as in the input. When both have one, they must be equal.
 * - `sendWithin`: the time after which the call sends the create no more. A request that was sent before is awaited.
 * - `inDoubt`: whether an earlier request with this requestId may have taken effect, for example in a process
 *   that ended before its response. Then only a readable response of the service ends the doubt: every error of
 *   the call is an `OutcomeUnknown`. A client remembers the doubts of its own calls by itself, up to 10,000.
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateOptions extends CallOptions {
  readonly requestId?: string | undefined
  readonly sendWithin?: Duration.Input | undefined
  readonly inDoubt?: boolean | undefined
}
