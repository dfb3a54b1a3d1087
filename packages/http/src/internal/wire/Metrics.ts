/**
 * Metrics of the client (`docs/decisions/0027-metrics-and-spans.md`).
 *
 * **Details**
 *
 * The names are OpenTelemetry's; the receiver's `/metrics` has the names of Prometheus.
 *
 * | metric | in Prometheus | value | attributes |
 * |---|---|---|---|
 * | `pawl.http.attempts` | `pawl_http_attempts_total` | attempts of calls | operation, outcome |
 * | `pawl.http.retries` | `pawl_http_retries_total` | attempts after a failed attempt | operation |
 * | `pawl.http.token.refreshes` | `pawl_http_token_refreshes_total` | requests for an access token | outcome |
 * | `pawl.http.leniencies` | `pawl_http_leniencies_total` | response fields that were not as documented and read anyway | operation, field |
 * | `pawl.http.call.duration` | `pawl_http_call_duration_seconds` | histogram: seconds a call takes, with its attempts and waits | operation, outcome |
 * | `http.client.request.duration` | `http_client_request_duration_seconds` | histogram: seconds from a request to its response | those of OpenTelemetry's conventions |
 *
 * An outcome is `Success`, which includes a declined payment, the tag of the error, `Interrupted` or `Defect`. No attribute
 * has an identifier, so the number of time series is bounded.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"

/** Keeps one metric for each pair of attributes: a new one for each update would be looked up by them. */
const series = <A>(make: (one: string, other: string) => A) => {
  const metrics = new Map<string, Map<string, A>>()
  return (one: string, other = ""): A => {
    let row = metrics.get(one)
    if (row === undefined) metrics.set(one, (row = new Map()))
    let metric = row.get(other)
    if (metric === undefined) row.set(other, (metric = make(one, other)))
    return metric
  }
}

const counter = (name: string, description: string, attributes: Readonly<Record<string, string>>) =>
  Metric.counter(`pawl.http.${name}`, { description, attributes, incremental: true })

export const attempts = series((operation, outcome) =>
  counter("attempts", "Attempts of calls", { operation, outcome })
)

export const retries = series((operation) =>
  counter("retries", "Attempts after a failed attempt", { operation })
)

export const tokenRefreshes = series((outcome) =>
  counter("token.refreshes", "Requests for an access token", { outcome })
)

export const leniencies = series((operation, field) =>
  counter("leniencies", "Response fields that were not as documented and read anyway", {
    operation,
    field
  })
)

export const callDuration = series((operation, outcome) =>
  Metric.histogram("pawl.http.call.duration", {
    description: "Seconds a call takes, with its attempts and waits",
    attributes: { operation, outcome, unit: "s" },
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
  })
)

/** Name, unit and buckets are those of OpenTelemetry's conventions for HTTP clients. */
export const requestDuration = (
  attributes: Readonly<Record<string, string | number>>
): Metric.Histogram<number> =>
  Metric.histogram("http.client.request.duration", {
    description: "Seconds from a request to its response",
    attributes: {
      ...Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => [name, String(value)])
      ),
      unit: "s"
    },
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
  })

/**
 * Records the duration of a call, which gets its fiber and its begin, in nanoseconds of the monotonic
 * clock.
 */
export const timed = <A, E extends { readonly _tag: string }, R>(
  operation: string,
  call: (fiber: Fiber.Fiber<unknown, unknown>, start: bigint) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const start = clock.monotonicTimeNanosUnsafe()
    return Effect.onExitPrimitive(call(fiber, start), (exit) => {
      const seconds = Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9
      callDuration(operation, outcomeOf(exit)).updateUnsafe(seconds, fiber.context)
      return undefined
    })
  })

export const outcomeOf = <A, E extends { readonly _tag: string }>(
  exit: Exit.Exit<A, E>
): string => {
  if (Exit.isSuccess(exit)) return "Success"
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return error?._tag ?? (Cause.hasInterruptsOnly(exit.cause) ? "Interrupted" : "Defect")
}
