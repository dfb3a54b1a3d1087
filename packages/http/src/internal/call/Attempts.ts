/**
 * Runs the attempts of a call: timeouts, retries and backoff.
 *
 * **Details**
 *
 * An attempt ends at its own timeout or at the deadline of the call, whichever is first. It ends in the
 * transport, which knows whether the request was sent, so its failure tells whether the request may have
 * taken effect. There is no retry when its wait would end after the deadline, or after the time in which the request
 * may be sent: the call then fails with the last failure. `Retry-After` lengthens a wait, so the deadline limits it too.
 */
import { type UnexpectedResponse, Unreachable } from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Metrics from "../wire/Metrics.ts"
import type * as Transport from "../../Transport.ts"
import * as ErrorResponse from "../wire/ErrorResponse.ts"
import * as Failure from "./Failure.ts"
import type { Limits } from "../config/Limits.ts"
import type { RetryBudget } from "./RetryBudget.ts"

/**
 * One attempt of a call. `number` counts from 1, `remaining` is the time to the deadline of the call in
 * milliseconds. `isLate` tells whether the time is over in which the call may send its request.
 */
export interface Attempt {
  readonly number: number
  readonly remaining: () => number
  readonly isLate: () => boolean
}

/** Annotations of a call for logs and spans: its operation, and the ids of its input. */
export interface Annotations {
  readonly operation: string
  readonly [name: string]: string
}

/** The rules of the attempts of a call. */
export interface Rules {
  readonly limits: Limits
  readonly budget: RetryBudget
  readonly annotations: Annotations
  readonly shouldRetry: (failure: Failure.AttemptFailure) => boolean
}

/** The result of sending a request: a response of any status, or the reason why there is none. */
export type Sent = Effect.Effect<Transport.Response, Unreachable | UnexpectedResponse>

/**
 * Sends a request once, within `attemptTimeout` and the remaining time of the call, both in milliseconds. The
 * time in a queue of the transport counts for the call only.
 */
export const send = (
  transport: Transport.Transport["Service"],
  request: Transport.Request,
  attemptTimeout: number,
  total: number
): Sent => {
  const within = Math.min(attemptTimeout, total)
  const response = transport.send(request, Duration.millis(within), Duration.millis(total))
  return transport.keepsTime === true ? response : interruptAfter(response, within)
}

/** Limits the time of a transport that keeps none. The request may have been sent. */
const interruptAfter = <A, E>(response: Effect.Effect<A, E>, duration: number) =>
  Effect.timeoutOrElse(response, {
    duration,
    orElse: () =>
      Effect.fail(new Unreachable({ reason: "no response in time", sent: true, attempts: 1 }))
  })

/** Returns a 2xx response, and fails with the error of any other. */
export const requireSuccess = (
  request: Transport.Request,
  sent: Sent,
  { number }: Attempt
): Effect.Effect<Transport.Response, Failure.AttemptFailure> =>
  Effect.matchEffect(sent, {
    onFailure: (error) =>
      Effect.fail(
        Failure.toFailure(
          error._tag === "Unreachable"
            ? new Unreachable({
                reason: `${new URL(request.url).host}: ${error.reason}`,
                sent: error.sent,
                attempts: number
              })
            : error
        )
      ),
    onSuccess: (response) =>
      isSuccess(response)
        ? Effect.succeed(response)
        : Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const retryAfter = ErrorResponse.readRetryAfter(response.headers["retry-after"], now)
            const error = ErrorResponse.toError(request, response, number, retryAfter)
            return Effect.fail(Failure.toFailure(error, retryAfter))
          })
  })

/** Tells whether the status of a response is 2xx. */
export const isSuccess = ({ status }: Transport.Response): boolean => status >= 200 && status < 300

/**
 * Runs attempts until one succeeds, `shouldRetry` returns false, or attempts, time or the budget of retries run
 * out. `start` is the begin of the call, in nanoseconds of the monotonic clock.
 */
export const run = <A>(
  { annotations, budget, limits, shouldRetry }: Rules,
  attempt: (attempt: Attempt) => Effect.Effect<A, Failure.AttemptFailure>,
  start?: bigint
): Effect.Effect<A, Failure.CallFailure> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const count = (outcome: string) =>
      Metrics.attempts(annotations.operation, outcome).updateUnsafe(1, fiber.context)
    const begin = start ?? clock.monotonicTimeNanosUnsafe()
    const elapsed = () => Number(clock.monotonicTimeNanosUnsafe() - begin) / 1e6
    const remaining = () => Math.max(0, limits.totalTimeout - elapsed())
    const isLate = () => elapsed() >= limits.sendWithin
    let doubt: Failure.Doubt | undefined
    const runFrom = (number: number): Effect.Effect<A, Failure.CallFailure> =>
      Effect.matchEffect(attempt({ number, remaining, isLate }), {
        onSuccess: (value) => {
          count("Success")
          return Effect.succeed(value)
        },
        onFailure: (failure) => {
          count(failure.error._tag)
          doubt = failure.doubt ?? doubt
          const callFailure = Effect.fail({ error: failure.error, doubt })
          if (number >= limits.maxAttempts || !shouldRetry(failure)) return callFailure
          return Effect.flatMap(waitAfter(number, failure, remaining()), (wait) => {
            const isTooLong = wait >= Math.min(remaining(), limits.sendWithin - elapsed())
            if (isTooLong || !budget.spend()) return callFailure
            Metrics.retries(annotations.operation).updateUnsafe(1, fiber.context)
            return Effect.logDebug(
              `Attempt ${number} failed. The next attempt is in ${Math.round(wait)} ms. ${failure.error.message}`
            ).pipe(
              Effect.annotateLogs(annotations),
              Effect.andThen(Effect.sleep(wait)),
              Effect.andThen(Effect.suspend(() => runFrom(number + 1)))
            )
          })
        }
      })
    return runFrom(1)
  })

/**
 * The backoff: 200, 400, 800, … ms, at most 5 s, with a jitter of 20 %, and never less than `Retry-After`. That
 * is lengthened by up to 20 % where the deadline allows it, so that the clients of one outage do not all return
 * at the same time.
 */
const waitAfter = (
  number: number,
  { retryAfter = 0 }: Failure.AttemptFailure,
  remaining: number
): Effect.Effect<number> =>
  Effect.map(Random.nextBetween(0, 0.2), (jitter) => {
    const backoff = Math.min(100 * 2 ** number, 5000) * (0.8 + 2 * jitter)
    const jittered = Math.max(backoff, retryAfter * (1 + jitter))
    return jittered < remaining ? jittered : Math.max(backoff, retryAfter)
  })
