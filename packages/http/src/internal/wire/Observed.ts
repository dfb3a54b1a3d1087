/**
 * Shows a request to the hooks, the tracer and the metrics of the client, with OpenTelemetry's names. The
 * span has `url.template` and not `url.full`, so no exporter gets the ids of a path.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Metric from "effect/Metric"
import * as Tracer from "effect/Tracer"
import type { Hooks, RequestEvent } from "../../Hooks.ts"
import type * as Transport from "../../Transport.ts"
import type { Sent } from "./Attempts.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as Metrics from "./Metrics.ts"

type Attributes = Readonly<Record<string, string | number>>

export interface Target {
  readonly spanName: string
  readonly attributes: Attributes
  readonly endOf: (end: number | string) => {
    readonly attributes: Attributes
    readonly durations: Metric.Histogram<number>
  }
}

export const target = (method: string, baseUrl: string, path: string): Target => {
  const { hostname, pathname, port, protocol } = new URL(baseUrl)
  // The paths of the contract start at the root of the host, and a base URL ends in /api.
  const template = pathname + path.slice("/api".length).replace(/:(\w+)/gu, "{$1}")
  const attributes = {
    "http.request.method": method,
    "url.template": template,
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "http:" ? 80 : 443)
  }
  const ends = new Map<number | string, ReturnType<Target["endOf"]>>()
  return {
    spanName: `${method} ${template}`,
    attributes,
    endOf: (end) => {
      let found = ends.get(end)
      if (found === undefined) {
        const added = {
          ...(typeof end === "number" && { "http.response.status_code": end }),
          ...(!(Number(end) < 400) && { "error.type": String(end) })
        }
        const durations = Metrics.requestDuration({ ...attributes, ...added })
        ends.set(end, (found = { attributes: added, durations }))
      }
      return found
    }
  }
}

/**
 * Runs an effect in a span if the fiber has a tracer. `Effect.fn` makes a span in every call: a tenth of
 * the cost of a create in `bench client`.
 */
export const spanned = <A, E, R>(
  name: string,
  run: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ cache }) =>
    cache.tracer === undefined
      ? run()
      : Effect.useSpan(name, (span) => Effect.provideService(run(), Tracer.ParentSpan, span))
  )

export interface Observed {
  readonly operation: { readonly name: string; readonly target: Target }
  readonly request: Transport.Request
  readonly attempt: number
  readonly requestId?: string | undefined
}

export const observe = (hooks: Hooks | undefined, observed: Observed, sent: Sent): Sent => {
  const { attempt, operation } = observed
  const { target } = operation
  const timed: Sent = Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const start = clock.monotonicTimeNanosUnsafe()
    const record = (exit: Exited): Attributes => {
      const end = Exit.isSuccess(exit) ? exit.value.status : Metrics.outcomeOf(exit)
      const { attributes, durations } = target.endOf(end)
      const seconds = Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9
      durations.updateUnsafe(seconds, fiber.context)
      return attributes
    }
    if (fiber.cache.tracer === undefined) {
      return Effect.onExitPrimitive(sent, (exit) => {
        record(exit)
        return undefined
      })
    }
    const options = { kind: "client", attributes: target.attributes } as const
    return Effect.useSpan(target.spanName, options, (span) => {
      if (attempt > 1) span.attribute("http.request.resend_count", attempt - 1)
      return Effect.onExitPrimitive(sent, (exit) => {
        const attributes = record(exit)
        for (const name in attributes) span.attribute(name, attributes[name])
        const error = attributes["error.type"]
        // The span must not keep the response.
        const answered = error === undefined ? Exit.void : Exit.fail(`status ${error}`)
        span.end(clock.currentTimeNanosUnsafe(), Exit.isFailure(exit) ? exit : answered)
        return undefined
      })
    })
  })
  return hooks === undefined ? timed : withHooks(hooks, observed, timed)
}

type Exited = Exit.Exit<Transport.Response, Effect.Error<Sent>>

const withHooks = (
  hooks: Hooks,
  { attempt, operation, request, requestId }: Observed,
  sent: Sent
): Sent => {
  const { method, url } = request
  const event: RequestEvent = {
    operation: operation.name,
    method,
    url,
    attempt,
    ...(requestId !== undefined && { requestId })
  }
  // The time of the first hook is not that of the request.
  const hooked: Sent = Effect.clockWith((clock) => {
    const start = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(sent, (exit) =>
      runHook(hooks.onResponse, {
        ...event,
        milliseconds: Number(clock.monotonicTimeNanosUnsafe() - start) / 1e6,
        ...(exit._tag === "Success"
          ? ErrorResponse.receivedOf(exit.value, request)
          : { error: Metrics.outcomeOf(exit) })
      })
    )
  })
  return Effect.andThen(runHook(hooks.onRequest, event), hooked)
}

const runHook = <Event>(
  hook: ((event: Event) => Effect.Effect<void, unknown>) | undefined,
  event: Event
): Effect.Effect<void> =>
  hook === undefined
    ? Effect.void
    : Effect.suspend(() => hook(event)).pipe(
        Effect.timeout("10 seconds"),
        Effect.ignoreCause({ log: "Debug", message: "A hook failed, which changes nothing" })
      )
