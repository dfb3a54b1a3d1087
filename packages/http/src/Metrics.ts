/**
 * What the client counts and times, for whoever exports metrics.
 *
 * **Details**
 *
 * | metric | kind | attributes |
 * |---|---|---|
 * | `pawl_http_attempts` | counter: requests that were sent, or were to be | operation, outcome |
 * | `pawl_http_retries` | counter: attempts that followed a failed one | operation |
 * | `pawl_http_token_refreshes` | counter: times a token was asked for | outcome |
 * | `pawl_http_call_duration_seconds` | histogram: calls, with their attempts and waits | operation, outcome |
 *
 * The operation is the endpoint's name in the contract, such as `createApmPayment`; the outcome is
 * `Success`, or the tag of the error. A transaction that was declined is a `Success` here: the call went
 * well. No attribute holds an identifier, so the number of series has a bound.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"

/** Makes each series once, since a metric finds its own state faster than a new one. */
const series = <A>(make: (operation: string, outcome: string) => A) => {
  const made = new Map<string, A>()
  return (operation: string, outcome: string): A => {
    const key = `${operation} ${outcome}`
    let one = made.get(key)
    if (one === undefined) made.set(key, (one = make(operation, outcome)))
    return one
  }
}

/**
 * Returns the counter of the attempts of one operation that had one outcome.
 *
 * @category metrics
 * @since 0.1.0
 */
export const attempts: (operation: string, outcome: string) => Metric.Counter<number> = series(
  (operation, outcome) =>
    Metric.counter("pawl_http_attempts", {
      description: "Requests that were sent, or were to be",
      attributes: { operation, outcome },
      incremental: true
    })
)

const retriesOf = series((operation) =>
  Metric.counter("pawl_http_retries", {
    description: "Attempts that followed a failed one",
    attributes: { operation },
    incremental: true
  })
)

/**
 * Returns the counter of the attempts of one operation that followed a failed one.
 *
 * @category metrics
 * @since 0.1.0
 */
export const retries = (operation: string): Metric.Counter<number> => retriesOf(operation, "")

const refreshesOf = series((_, outcome) =>
  Metric.counter("pawl_http_token_refreshes", {
    description: "Times a token was asked for",
    attributes: { outcome },
    incremental: true
  })
)

/**
 * Returns the counter of the times that a token was asked for, with one outcome.
 *
 * @category metrics
 * @since 0.1.0
 */
export const tokenRefreshes = (outcome: string): Metric.Counter<number> => refreshesOf("", outcome)

/**
 * Returns the histogram of how long the calls of one operation took that had one outcome, in seconds.
 *
 * @category metrics
 * @since 0.1.0
 */
export const callDuration: (operation: string, outcome: string) => Metric.Histogram<number> =
  series((operation, outcome) =>
    Metric.histogram("pawl_http_call_duration_seconds", {
      description: "How long calls took, with their attempts and waits, in seconds",
      attributes: { operation, outcome },
      boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    })
  )

/**
 * Times a call.
 *
 * @category instrumenting
 * @since 0.1.0
 */
export const timed = <A, E extends { readonly _tag: string }, R>(
  operation: string,
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const start = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(call, (exit) => {
      const seconds = Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9
      callDuration(operation, outcomeOf(exit)).updateUnsafe(seconds, fiber.context)
      return Effect.void
    })
  })

/**
 * Names the outcome of a call: `Success`, the tag of its error, `Interrupted` or `Defect`.
 *
 * @category instrumenting
 * @since 0.1.0
 */
export const outcomeOf = <A, E extends { readonly _tag: string }>(
  exit: Exit.Exit<A, E>
): string => {
  if (Exit.isSuccess(exit)) return "Success"
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return error?._tag ?? (Cause.hasInterruptsOnly(exit.cause) ? "Interrupted" : "Defect")
}
