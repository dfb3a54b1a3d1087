/** Sends the result of an effect as the response to a request of Node. */
import * as NodeConnections from "@pawl/webhook/internal/doors/NodeConnections"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ServerResponse } from "node:http"
import type { Response } from "./Response.ts"

/** Returns a function that interrupts the effect when the client has gone. */
export const make: Effect.Effect<
  (effect: Effect.Effect<Response>, response: ServerResponse) => void
> = Effect.map(Effect.context(), (context) => (effect, response) => {
  const fiber = Effect.runForkWith(context)(effect)
  response.once("close", () => fiber.interruptUnsafe())
  fiber.addObserver((exit) => {
    const { body, headers, status } = Exit.isSuccess(exit)
      ? exit.value
      : { status: 500, headers: {}, body: "" }
    NodeConnections.send(response, status, headers, body)
  })
})
