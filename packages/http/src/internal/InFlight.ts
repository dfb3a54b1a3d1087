/**
 * Refuses a create while a different one with the same requestId is in flight.
 *
 * **Details**
 *
 * The service answers a known requestId with the original response, even if the other fields differ
 * (`spec.md`, "Conventions"). So the second of two different requests with one requestId would get the
 * response to the first. The same request may be in flight several times: the service processes it once.
 */
import { ValidationFailed } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import type { Request } from "../Transport.ts"

/** Makes a function that runs `send`, or fails while a different request with its requestId is in flight. */
export const make = () => {
  const inFlight = new Map<string, { readonly text: string; count: number }>()
  return <A, E, R>(
    requestId: string,
    request: Request,
    send: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ValidationFailed, R> =>
    Effect.suspend(() => {
      let isCounted = false
      const enter = Effect.suspend((): Effect.Effect<A, E | ValidationFailed, R> => {
        const text = `${request.url} ${request.body}`
        const entry = inFlight.get(requestId) ?? { text, count: 0 }
        if (entry.text !== text) return Effect.fail(refuse())
        isCounted = true
        entry.count++
        inFlight.set(requestId, entry)
        return send
      })
      return Effect.ensuring(
        enter,
        Effect.sync(() => {
          const entry = inFlight.get(requestId)
          if (isCounted && entry !== undefined && --entry.count === 0) inFlight.delete(requestId)
        })
      )
    })
}

const refuse = () =>
  new ValidationFailed({
    sent: false,
    fields: [{ path: "requestId", message: "A different request with this requestId is in flight" }]
  })
