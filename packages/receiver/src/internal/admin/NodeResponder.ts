/** Sends the result of an effect as the response to a request of Node. */
import * as NodeConnections from "@pawl/webhook/internal/doors/NodeConnections"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ServerResponse } from "node:http"
import type { Response } from "./Response.ts"

/**
 * Returns a function that interrupts the effect when the client has gone. A defect is logged, and
 * answered with 500.
 */
export const make: Effect.Effect<
  (effect: Effect.Effect<Response>, response: ServerResponse) => void
> = Effect.map(Effect.context(), (context) => (effect, response) => {
  const fork = Effect.runForkWith(context)
  const fiber = fork(effect)
  response.once("close", () => fiber.interruptUnsafe())
  fiber.addObserver((exit) => {
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
      fork(Effect.logError(defect, exit.cause))
    }
    const { body, headers, status } = Exit.isSuccess(exit)
      ? exit.value
      : { status: 500, headers: {}, body: "" }
    NodeConnections.send(response, status, headers, body)
  })
})

const defect =
  "A request to the admin port or to a health endpoint was answered with 500, because its response ended with a defect"
