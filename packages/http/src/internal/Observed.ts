/**
 * Sends a request and runs the hooks of the client.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { Hooks, RequestEvent, ResponseEvent } from "../Hooks.ts"
import * as Metrics from "../Metrics.ts"
import type * as Transport from "../Transport.ts"
import type { Sent } from "./Attempts.ts"
import * as ErrorResponse from "./ErrorResponse.ts"

/** Runs the hooks before and after a request. Without hooks it costs nothing. */
export const observe = (hooks: Hooks | undefined, request: () => RequestEvent, sent: Sent): Sent =>
  hooks === undefined
    ? sent
    : Effect.withFiber((fiber) => {
        const event = request()
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

const endOf = (
  exit: Exit.Exit<Transport.Response, Effect.Error<Sent>>
): Pick<ResponseEvent, "status" | "serviceRequestId" | "error"> =>
  exit._tag === "Success"
    ? ErrorResponse.receivedOf(exit.value)
    : { error: Metrics.outcomeOf(exit) }

const runHook = <Event>(
  hook: ((event: Event) => Effect.Effect<void, unknown>) | undefined,
  event: Event
): Effect.Effect<void> =>
  hook === undefined ? Effect.void : Effect.ignoreCause(Effect.suspend(() => hook(event)))
