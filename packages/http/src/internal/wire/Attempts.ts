/**
 * Runs the attempts of a call: time-outs, retries and backoff.
 *
 * **Details**
 *
 * The schedule of the caller, by default `backoff`, decides how long a retry waits; the rules here decide
 * whether there is one. None starts whose wait, which `Retry-After` lengthens, would end after the
 * deadline. An attempt ends in the transport, which knows whether the request was sent.
 */
import { type UnexpectedResponse, Unreachable } from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type * as Transport from "../../Transport.ts"
import type { Limits } from "../config/Settings.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as Metrics from "./Metrics.ts"
import * as Failure from "./Failure.ts"

/** Schedule of the waits between attempts: 200, 400, 800, … ms, at most 5 s, ±20 %. */
const backoff = Schedule.exponential("200 millis").pipe(
  Schedule.modifyDelay(({ duration }) =>
    Effect.succeed(Duration.min(duration, Duration.seconds(5)))
  ),
  Schedule.jittered
)

export interface Attempt {
  readonly number: number
  /** Milliseconds to the deadline of the call. */
  readonly remaining: () => number
  /** Milliseconds in which the request may still be sent. */
  readonly sendable: () => number
}

interface Annotations {
  readonly operation: string
  readonly [name: string]: string
}

export type RetryBudget = ReturnType<typeof makeBudget>

/** The retries of a new client, and the most that are kept. */
const [firstRetries, maxRetries] = [10, 100]

/** All calls of a client share a budget, so that an outage does not multiply the traffic. */
export const makeBudget = (ratio: number) => {
  let retries = firstRetries
  return {
    earn: (): void => {
      retries = Math.min(retries + ratio, Math.max(maxRetries, ratio))
    },
    spend: (): boolean => {
      if (retries < 1) return false
      retries--
      return true
    }
  }
}

export interface Rules {
  readonly limits: Limits
  readonly budget: RetryBudget
  readonly annotations: Annotations
  readonly shouldRetry: (failure: Failure.AttemptFailure) => boolean
  readonly classify?: ((failure: Failure.AttemptFailure) => Failure.AttemptFailure) | undefined
}

export type Sent = Effect.Effect<Transport.Response, Unreachable | UnexpectedResponse>

/**
 * Sends a request once, within `attemptTimeout` in milliseconds and the remaining time of the call. The
 * queue of the transport counts for the call only.
 */
export const send = (
  transport: Transport.Transport["Service"],
  request: Transport.Request,
  attemptTimeout: number,
  { remaining, sendable }: Attempt
): Sent =>
  Effect.suspend(() => {
    const total = remaining()
    // A slow hook may have taken the rest of the time.
    const left = Math.min(total, sendable())
    if (left <= 0) return unreachable("it is too late to send the request")
    const duration = Math.min(attemptTimeout, total)
    const response = transport.send(
      request,
      Duration.millis(duration),
      Duration.millis(total),
      Duration.millis(left)
    )
    if (transport.keepsTime === true) return response
    // The request may have been sent.
    return Effect.timeoutOrElse(response, {
      duration,
      orElse: () => unreachable("no response in time", true)
    })
  })

export const unreachable = (reason: string, sent = false, attempts = 1) =>
  Effect.fail(new Unreachable({ reason, sent, attempts }))

export const requireSuccess = <A = Transport.Response>(
  request: Transport.Request,
  sent: Sent,
  { number }: Attempt,
  use: (response: Transport.Response) => Effect.Effect<A, Failure.AttemptFailure>
): Effect.Effect<A, Failure.AttemptFailure> =>
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
    onSuccess: (response) => {
      ErrorResponse.keepRequest(response, request)
      return response.status >= 200 && response.status < 300
        ? use(response)
        : Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const retryAfter = ErrorResponse.readRetryAfter(response.headers["retry-after"], now)
            const error = ErrorResponse.toError(request, response, number, retryAfter)
            return Effect.fail(Failure.toFailure(error, retryAfter))
          })
    }
  })

/**
 * Runs attempts until one succeeds or none may follow. `start` is in nanoseconds of the monotonic
 * clock.
 */
export const run = <A>(
  { annotations, budget, classify, limits, shouldRetry }: Rules,
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
    const sendable = () => limits.sendWithin - elapsed()
    const current = { number: 0, remaining, sendable }
    let doubt: Failure.Doubt | undefined
    let last: Failure.AttemptFailure | undefined

    const schedule = whenFailed(() =>
      ofFailures(limits.retrySchedule ?? backoff).pipe(
        Schedule.modifyDelay(({ duration, input }) => waitAfter(duration, input, remaining())),
        Schedule.while(({ attempt: number, duration, input }) => {
          if (number >= limits.maxAttempts || !shouldRetry(input)) return false
          const wait = Duration.toMillis(duration)
          const isTooLong = wait >= Math.min(remaining(), sendable())
          if (isTooLong || !budget.spend()) return false
          Metrics.retries(annotations.operation).updateUnsafe(1, fiber.context)
          return Effect.logDebug(
            `Attempt ${number} failed. The next attempt is in ${Math.round(wait)} ms. ${input.error.message}`
          ).pipe(Effect.annotateLogs(annotations), Effect.as(true))
        })
      )
    )
    const once = Effect.suspend(() => {
      // A busy process ends its wait too late.
      if (last !== undefined && remaining() <= 0) return Effect.fail(last)
      current.number++
      return Effect.mapError(attempt(current), (failure) => {
        const classified = classify?.(failure) ?? failure
        count(classified.error._tag)
        doubt = classified.doubt ?? doubt
        return (last = classified)
      })
    })
    return Effect.matchEffect(Effect.retry(once, schedule), {
      onSuccess: (value) => {
        count("Success")
        return Effect.succeed(value)
      },
      onFailure: ({ error }) => Effect.fail({ error, doubt })
    })
  })

const ofFailures = (
  schedule: NonNullable<Limits["retrySchedule"]>
): Schedule.Schedule<unknown, Failure.AttemptFailure> =>
  Schedule.fromStep(
    Effect.map(
      Schedule.toStep(schedule),
      (step) =>
        (now, { error }) =>
          step(now, error)
    )
  )

/** Builds a schedule at its first step, because nearly every call has none. */
const whenFailed = <Output, Input>(
  make: () => Schedule.Schedule<Output, Input>
): Schedule.Schedule<Output, Input> =>
  Schedule.fromStep(
    Effect.sync(() => {
      type Step = Effect.Success<ReturnType<typeof Schedule.toStep<Output, Input, never, never>>>
      let step: Step | undefined
      const first: Step = (now, input) =>
        Effect.flatMap(Schedule.toStep(make()), (made) => (step = made)(now, input))
      return (now: number, input: Input) => (step ?? first)(now, input)
    })
  )

/**
 * Waits at least `Retry-After`, and up to 20 % longer, so that the clients of one outage do not all
 * return at once.
 */
const waitAfter = (
  backoff: Duration.Duration,
  { retryAfter }: Failure.AttemptFailure,
  remaining: number
): Effect.Effect<Duration.Duration> =>
  retryAfter === undefined
    ? Effect.succeed(backoff)
    : Effect.map(Random.nextBetween(retryAfter, retryAfter * 1.2), (jittered) =>
        Duration.max(backoff, Duration.millis(jittered < remaining ? jittered : retryAfter))
      )
