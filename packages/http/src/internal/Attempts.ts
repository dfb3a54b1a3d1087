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
import * as Random from "effect/Random"
import * as Metrics from "../Metrics.ts"
import type { PawlConfig } from "../PawlConfig.ts"
import type * as Transport from "../Transport.ts"
import * as Refusal from "./Refusal.ts"

/** An error after which a request may have taken effect all the same. */
export type Doubt = Unreachable | ServiceFailed | UnexpectedResponse

/** Which attempt this is, from 1, and how long the call may still take. */
export interface Attempt {
  readonly number: number
  readonly left: () => Duration.Duration
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
export const send = (
  config: PawlConfig["Service"],
  transport: Transport.Transport["Service"],
  request: Transport.Request,
  { left, number }: Attempt
): Effect.Effect<Transport.Response, Failed> =>
  transport.send(request).pipe(
    Effect.timeoutOrElse({
      duration: Duration.min(config.attemptTimeout, left()),
      orElse: () =>
        Effect.fail(new Unreachable({ reason: "no answer in time", sent: true, attempts: 1 }))
    }),
    Effect.mapError((error) =>
      failed(
        error._tag === "Unreachable"
          ? new Unreachable({ ...atHost(config, error), attempts: number })
          : error
      )
    )
  )

/** Says which host it was. */
const atHost = ({ baseUrl }: PawlConfig["Service"], { reason, sent }: Unreachable) => ({
  reason: `${new URL(baseUrl).host}: ${reason}`,
  sent
})

/** Passes a 2xx on, and fails with what any other response means. */
export const accept = (
  request: Transport.Request,
  response: Transport.Response,
  attempt: Attempt
): Effect.Effect<Transport.Response, Failed> =>
  response.status >= 200 && response.status < 300
    ? Effect.succeed(response)
    : Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const retryAfter = Refusal.readRetryAfter(response.headers["retry-after"], now)
        return Effect.fail(
          failed(Refusal.toError(request, response, attempt.number, retryAfter), retryAfter)
        )
      })

/** What a call is about, for logs and spans: its operation, and the identifiers it was given. */
export interface About {
  readonly operation: string
  readonly [name: string]: string
}

/** Runs attempts until one succeeds or fails so that none may follow, or attempts or time are used up. */
export const run = <A>(
  { maxAttempts, totalTimeout }: PawlConfig["Service"],
  about: About,
  mayFollow: (failure: Failed) => boolean,
  attempt: (attempt: Attempt) => Effect.Effect<A, Failed>
): Effect.Effect<A, Ended> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const count = (outcome: string) =>
      Metrics.attempts(about.operation, outcome).updateUnsafe(1, fiber.context)
    const end = clock.monotonicTimeNanosUnsafe() + Duration.toNanosUnsafe(totalTimeout)
    const left = () => {
      const nanos = end - clock.monotonicTimeNanosUnsafe()
      return nanos > 0n ? Duration.nanos(nanos) : Duration.zero
    }
    let doubt: Doubt | undefined
    const from = (number: number): Effect.Effect<A, Ended> =>
      Effect.matchEffect(attempt({ number, left }), {
        onSuccess: (value) => {
          count("Success")
          return Effect.succeed(value)
        },
        onFailure: (failure) => {
          count(failure.error._tag)
          doubt = failure.doubt ?? doubt
          const ended = Effect.fail({ error: failure.error, doubt })
          if (number >= maxAttempts || !mayFollow(failure)) return ended
          return Effect.flatMap(waitAfter(number, failure), (wait) => {
            if (!Duration.isLessThan(wait, left())) return ended
            Metrics.retries(about.operation).updateUnsafe(1, fiber.context)
            return Effect.logDebug(
              `Attempt ${number} failed, another one follows in ${Duration.format(wait)}. ${failure.error.message}`
            ).pipe(
              Effect.annotateLogs(about),
              Effect.andThen(Effect.sleep(wait)),
              Effect.andThen(Effect.suspend(() => from(number + 1)))
            )
          })
        }
      })
    return from(1)
  })

/** 200 ms, 400, 800, … up to 5 s, a fifth more or less; never before the service wants it. */
const waitAfter = (number: number, { retryAfter = 0 }: Failed): Effect.Effect<Duration.Duration> =>
  Effect.map(Random.nextBetween(0.8, 1.2), (spread) =>
    Duration.millis(Math.max(Math.min(100 * 2 ** number, 5000) * spread, retryAfter))
  )
