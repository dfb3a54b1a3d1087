/**
 * Trying again: how often, how long, after which waits, and what is left in doubt.
 *
 * **Details**
 *
 * Every attempt ends by itself, at its own time-out or at the deadline of the whole call, whichever
 * is first; nothing is cut off from outside, so it is always known whether an attempt may have taken
 * effect. A wait that would end after the deadline is not begun: the last failure is the answer.
 * That is also the cap on `Retry-After`, before which nothing is sent.
 *
 * @since 0.1.0
 */
import {
  type ReadError,
  type ServiceFailed,
  type UnexpectedResponse,
  Unreachable
} from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { PawlConfig } from "../PawlConfig.ts"
import type * as Transport from "../Transport.ts"
import * as Refusal from "./Refusal.ts"

/** An error after which a request may have taken effect all the same. */
export type Doubt = Unreachable | ServiceFailed | UnexpectedResponse

/** Which attempt this is, from 1, and how long the call may still take. */
export interface Attempt {
  readonly number: number
  readonly left: Effect.Effect<Duration.Duration>
}

/** How one attempt failed: for good, or so that another may follow. */
export interface Failed {
  readonly error: ReadError
  readonly transient: boolean
  readonly doubt: Doubt | undefined
  readonly retryAfter: number | undefined
}

/** How a call failed, after all its attempts: `doubt` is what any of them left open. */
export interface Ended {
  readonly error: ReadError
  readonly doubt: Doubt | undefined
}

/** Judges an error of an exchange. */
export const failed = (error: ReadError, retryAfter?: number): Failed => {
  const doubt = isDoubt(error) ? error : undefined
  return { error, transient: error.isRetryable || doubt !== undefined, doubt, retryAfter }
}

/** Ends a call with an error that no attempt of it can mend, and that leaves nothing open. */
export const final = (error: ReadError): Failed => ({
  error,
  transient: false,
  doubt: undefined,
  retryAfter: undefined
})

/** An answer that is a refusal, even an undocumented one, is no doubt; a broken success is. */
const isDoubt = (error: ReadError): error is Doubt =>
  error._tag === "ServiceFailed" ||
  (error._tag === "Unreachable" && error.sent) ||
  (error._tag === "UnexpectedResponse" && (error.status < 300 || error.status >= 500))

/** Whether a repetition may help. */
export const isTransient = ({ transient }: Failed): boolean => transient

/** Whether a request may have taken effect all the same. */
export const isInDoubt = ({ doubt }: Failed): boolean => doubt !== undefined

/** Sends a request once, within what time is left. Fails where no response came. */
export const send = Effect.fnUntraced(function* (
  config: PawlConfig["Service"],
  transport: Transport.Transport["Service"],
  request: Transport.Request,
  attempt: Attempt
): Effect.fn.Return<Transport.Response, Failed> {
  return yield* transport.send(request).pipe(
    Effect.timeoutOrElse({
      duration: Duration.min(config.attemptTimeout, yield* attempt.left),
      orElse: () =>
        Effect.fail(new Unreachable({ reason: "no answer in time", sent: true, attempts: 1 }))
    }),
    Effect.mapError((error) =>
      failed(
        error._tag === "Unreachable"
          ? new Unreachable({ reason: error.reason, sent: error.sent, attempts: attempt.number })
          : error
      )
    )
  )
})

/** Passes a 2xx on, and fails with what any other response means. */
export const accept = Effect.fnUntraced(function* (
  request: Transport.Request,
  response: Transport.Response,
  attempt: Attempt
): Effect.fn.Return<Transport.Response, Failed> {
  if (response.status >= 200 && response.status < 300) return response
  const retryAfter = Refusal.readRetryAfter(
    response.headers["retry-after"],
    yield* Clock.currentTimeMillis
  )
  return yield* Effect.fail(
    failed(Refusal.toError(request, response, attempt.number, retryAfter), retryAfter)
  )
})

/** Runs attempts until one succeeds or fails so that none may follow, or attempts or time are used up. */
export const run = Effect.fnUntraced(function* <A>(
  config: PawlConfig["Service"],
  mayFollow: (failure: Failed) => boolean,
  attempt: (attempt: Attempt) => Effect.Effect<A, Failed>
): Effect.fn.Return<A, Ended> {
  const start = yield* Clock.monotonicTimeNanos
  const left = Effect.map(Clock.monotonicTimeNanos, (now) =>
    Duration.max(Duration.zero, Duration.subtract(config.totalTimeout, Duration.nanos(now - start)))
  )
  let number = 0
  let doubt: Doubt | undefined
  return yield* Effect.suspend(() => attempt({ number: ++number, left })).pipe(
    Effect.tapError((failure) =>
      Effect.sync(() => {
        doubt = failure.doubt ?? doubt
      })
    ),
    Effect.retry({
      schedule: Schedule.while(backoff, ({ duration }) =>
        Effect.map(left, Duration.isGreaterThan(duration))
      ),
      times: config.maxAttempts - 1,
      while: mayFollow
    }),
    Effect.mapError((failure) => ({ error: failure.error, doubt }))
  )
})

/** 200 ms, 400, 800, … up to 5 s, a fifth more or less; never before the service wants it. */
const backoff = Schedule.min([
  Schedule.exponential("200 millis"),
  Schedule.spaced("5 seconds")
]).pipe(
  Schedule.jittered,
  Schedule.setInputType<Failed>(),
  Schedule.modifyDelay(({ duration, input }) =>
    Effect.succeed(Duration.max(duration, Duration.millis(input.retryAfter ?? 0)))
  )
)
