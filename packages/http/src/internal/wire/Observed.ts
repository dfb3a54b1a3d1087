/**
 * Sends a request and shows it to the hooks of the client, to its tracer and to its metrics.
 *
 * **Details**
 *
 * Span and metric have the names of OpenTelemetry's semantic conventions for HTTP clients. The span has
 * `url.template` and not `url.full`, so no exporter gets the ids of a path under a name of its own.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Hooks, RequestEvent, ResponseEvent } from "../../Hooks.ts"
import * as Metrics from "./Metrics.ts"
import type * as Transport from "../../Transport.ts"
import type { Sent } from "../call/Attempts.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import type * as Target from "./Target.ts"

/** A request, and its place in its call. */
export interface Observed {
  readonly operation: { readonly name: string; readonly target: Target.Target }
  readonly request: Transport.Request
  /** The number of the request among those of its call, from 1. */
  readonly attempt: number
  readonly requestId?: string | undefined
}

/** Records the duration of a request. With a tracer it is a span; with hooks these run before and after it. */
export const observe = (hooks: Hooks | undefined, observed: Observed, sent: Sent): Sent => {
  const { attempt, operation } = observed
  const { target } = operation
  const timed: Sent = Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const start = clock.monotonicTimeNanosUnsafe()
    const record = (exit: Exited): Target.End["attributes"] => {
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
    return Effect.useSpan(
      target.spanName,
      { kind: "client", attributes: target.attributes },
      (span) => {
        if (attempt > 1) span.attribute("http.request.resend_count", attempt - 1)
        return Effect.onExitPrimitive(sent, (exit) => {
          const attributes = record(exit)
          for (const name in attributes) span.attribute(name, attributes[name])
          const error = attributes["error.type"]
          // The span ends here, because it must not keep the response, and fails with a status of 400 or more.
          span.end(
            clock.currentTimeNanosUnsafe(),
            Exit.isFailure(exit)
              ? exit
              : error === undefined
                ? Exit.void
                : Exit.fail(`status ${error}`)
          )
          return undefined
        })
      }
    )
  })
  return hooks === undefined ? timed : withHooks(hooks, observed, timed)
}

type Exited = Exit.Exit<Transport.Response, Effect.Error<Sent>>

const withHooks = (
  hooks: Hooks,
  { attempt, operation, request: { method, url }, requestId }: Observed,
  sent: Sent
): Sent =>
  Effect.withFiber((fiber) => {
    const event: RequestEvent = {
      operation: operation.name,
      method,
      url,
      attempt,
      ...(requestId !== undefined && { requestId })
    }
    const clock = fiber.getRef(Clock.Clock)
    const start = clock.monotonicTimeNanosUnsafe()
    return Effect.andThen(
      runHook(hooks.onRequest, event),
      Effect.onExit(sent, (exit) =>
        runHook(hooks.onResponse, {
          ...event,
          milliseconds: Number(clock.monotonicTimeNanosUnsafe() - start) / 1e6,
          ...endOf(exit)
        })
      )
    )
  })

const endOf = (exit: Exited): Pick<ResponseEvent, "status" | "serviceRequestId" | "error"> =>
  exit._tag === "Success"
    ? ErrorResponse.receivedOf(exit.value)
    : { error: Metrics.outcomeOf(exit) }

const runHook = <Event>(
  hook: ((event: Event) => Effect.Effect<void, unknown>) | undefined,
  event: Event
): Effect.Effect<void> =>
  hook === undefined ? Effect.void : Effect.ignoreCause(Effect.suspend(() => hook(event)))
