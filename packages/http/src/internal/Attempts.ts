/**
 * Runs the attempts of a call: timeouts, retries and backoff.
 *
 * **Details**
 *
 * An attempt ends at its own timeout or at the deadline of the call, whichever is first. It ends in the
 * transport, which knows whether the request was sent, so its failure tells whether the request may have
 * taken effect. There
 * is no retry when its wait would end after the deadline: the call then fails with the last failure.
 * `Retry-After` lengthens a wait, so the deadline limits it too.
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
import * as ErrorResponse from "./ErrorResponse.ts"

/** An error after which the request may have taken effect. */
export type Doubt = Unreachable | ServiceFailed | UnexpectedResponse

/** One attempt of a call. `number` counts from 1, `remaining` is the time to the deadline of the call. */
export interface Attempt {
  readonly number: number
  readonly remaining: () => Duration.Duration
}

/**
 * The failure of one attempt.
 *
 * - `transient`: a retry may help.
 * - `doubt`: the error, when the request may have taken effect.
 * - `retryAfter`: the least wait before a retry, in milliseconds.
 * - `isSent`: false when there was no access token, so that the request was not sent.
 */
export interface AttemptFailure {
  readonly error: ReadError
  readonly transient: boolean
  readonly doubt: Doubt | undefined
  readonly retryAfter: number | undefined
  readonly isSent: boolean
}

/** The failure of a call: the error of its last attempt, and the latest doubt of all its attempts. */
export interface CallFailure {
  readonly error: ReadError
  readonly doubt: Doubt | undefined
}

/** Makes the failure of an attempt from its error. `retryAfter` is in milliseconds. */
export const toFailure = (error: ReadError, retryAfter?: number): AttemptFailure => {
  const doubt = isDoubt(error) ? error : undefined
  return {
    error,
    transient: error.isRetryable || doubt !== undefined,
    doubt,
    retryAfter,
    isSent: true
  }
}

/**
 * Makes the failure of an attempt of a create. A 409, 423 or 425 means that the same requestId may be processed
 * right now, and a redirect may come from behind the service: both leave a doubt. Only the first is retried.
 */
export const ofCreate = (failure: AttemptFailure): AttemptFailure => {
  const { doubt, error, isSent } = failure
  if (!isSent || doubt !== undefined || error._tag !== "UnexpectedResponse") return failure
  const isBusy = error.status === 409 || error.status === 423
  return isBusy || error.status < 400 ? { ...failure, doubt: error, transient: isBusy } : failure
}

/** Makes a failure without retry: the request was not sent. */
export const finalFailure = (error: ReadError): AttemptFailure => ({
  error,
  transient: false,
  doubt: undefined,
  retryAfter: undefined,
  isSent: false
})

/** A refusal, documented or not, leaves no doubt. A success that cannot be read does. */
const isDoubt = (error: ReadError): error is Doubt =>
  error._tag === "ServiceFailed" ||
  (error._tag === "Unreachable" && error.sent) ||
  (error._tag === "UnexpectedResponse" && (error.status < 300 || error.status >= 500))

/** Returns whether a retry may help. */
export const isTransient = ({ transient }: AttemptFailure): boolean => transient

/** Returns whether the request may have taken effect. */
export const isInDoubt = ({ doubt }: AttemptFailure): boolean => doubt !== undefined

/** Returns whether a connection failed before the request was sent. */
export const isUnsent = ({ error, isSent }: AttemptFailure): boolean =>
  isSent && error._tag === "Unreachable" && !error.sent

/** Sends a request once, within the remaining time. Fails when there is no response. */
export const send = (
  config: PawlConfig["Service"],
  transport: Transport.Transport["Service"],
  request: Transport.Request,
  { number, remaining }: Attempt
): Effect.Effect<Transport.Response, AttemptFailure> => {
  const total = remaining()
  const within = Duration.min(config.attemptTimeout, total)
  const headers = { ...config.headers, ...request.headers }
  const response = transport.send({ ...request, headers }, within, total)
  return (transport.keepsTime === true ? response : interruptAfter(response, within)).pipe(
    Effect.mapError((error) =>
      toFailure(
        error._tag === "Unreachable"
          ? new Unreachable({ ...withHost(config, error), attempts: number })
          : error
      )
    )
  )
}

/** Limits the time of a transport that keeps none. The request may have been sent. */
const interruptAfter = <A, E>(response: Effect.Effect<A, E>, duration: Duration.Duration) =>
  Effect.timeoutOrElse(response, {
    duration,
    orElse: () =>
      Effect.fail(new Unreachable({ reason: "no response in time", sent: true, attempts: 1 }))
  })

/** Adds the host to the reason. */
const withHost = ({ baseUrl }: PawlConfig["Service"], { reason, sent }: Unreachable) => ({
  reason: `${new URL(baseUrl).host}: ${reason}`,
  sent
})

/** Returns a 2xx response, and fails with the error of any other. */
export const requireSuccess = (
  request: Transport.Request,
  response: Transport.Response,
  attempt: Attempt
): Effect.Effect<Transport.Response, AttemptFailure> =>
  response.status >= 200 && response.status < 300
    ? Effect.succeed(response)
    : Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const retryAfter = ErrorResponse.readRetryAfter(response.headers["retry-after"], now)
        return Effect.fail(
          toFailure(
            ErrorResponse.toError(request, response, attempt.number, retryAfter),
            retryAfter
          )
        )
      })

/** Annotations of a call for logs and spans: its operation, and the ids of its input. */
export interface Annotations {
  readonly operation: string
  readonly [name: string]: string
}

/** The retries that all calls of a client share. */
export interface RetryBudget {
  /** Adds the share of one call. */
  readonly earn: () => void
  /** Takes one retry. Returns false if there is none. */
  readonly spend: () => boolean
}

/** Retries of a client that has made no call, and the most that calls without retries leave. */
const [firstRetries, maxRetries] = [10, 100]

/** Makes a budget to which each call adds a ratio of a retry. */
export const makeRetryBudget = (ratio: number): RetryBudget => {
  let retries = firstRetries
  return {
    earn: () => {
      retries = Math.min(retries + ratio, Math.max(maxRetries, ratio))
    },
    spend: () => {
      if (retries < 1) return false
      retries--
      return true
    }
  }
}

/**
 * Runs attempts until one succeeds, `shouldRetry` returns false, or attempts, time or the budget of retries run
 * out.
 */
export const run = <A>(
  { maxAttempts, totalTimeout }: PawlConfig["Service"],
  budget: RetryBudget,
  annotations: Annotations,
  shouldRetry: (failure: AttemptFailure) => boolean,
  attempt: (attempt: Attempt) => Effect.Effect<A, AttemptFailure>
): Effect.Effect<A, CallFailure> =>
  Effect.withFiber((fiber) => {
    budget.earn()
    const clock = fiber.getRef(Clock.Clock)
    const count = (outcome: string) =>
      Metrics.attempts(annotations.operation, outcome).updateUnsafe(1, fiber.context)
    const deadline = clock.monotonicTimeNanosUnsafe() + Duration.toNanosUnsafe(totalTimeout)
    const remaining = () => {
      const nanos = deadline - clock.monotonicTimeNanosUnsafe()
      return nanos > 0n ? Duration.nanos(nanos) : Duration.zero
    }
    let doubt: Doubt | undefined
    const runFrom = (number: number): Effect.Effect<A, CallFailure> =>
      Effect.matchEffect(attempt({ number, remaining }), {
        onSuccess: (value) => {
          count("Success")
          return Effect.succeed(value)
        },
        onFailure: (failure) => {
          count(failure.error._tag)
          doubt = failure.doubt ?? doubt
          const callFailure = Effect.fail({ error: failure.error, doubt })
          if (number >= maxAttempts || !shouldRetry(failure)) return callFailure
          return Effect.flatMap(waitAfter(number, failure, remaining()), (wait) => {
            if (!Duration.isLessThan(wait, remaining()) || !budget.spend()) return callFailure
            Metrics.retries(annotations.operation).updateUnsafe(1, fiber.context)
            return Effect.logDebug(
              `Attempt ${number} failed. The next attempt is in ${Duration.format(wait)}. ${failure.error.message}`
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
  { retryAfter = 0 }: AttemptFailure,
  remaining: Duration.Duration
): Effect.Effect<Duration.Duration> =>
  Effect.map(Random.nextBetween(0, 0.2), (jitter) => {
    const backoff = Math.min(100 * 2 ** number, 5000) * (0.8 + 2 * jitter)
    const jittered = Duration.millis(Math.max(backoff, Math.ceil(retryAfter * (1 + jitter))))
    return Duration.isLessThan(jittered, remaining)
      ? jittered
      : Duration.millis(Math.max(backoff, retryAfter))
  })
