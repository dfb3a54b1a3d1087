/**
 * The creates under way, by requestId.
 *
 * **Details**
 *
 * The service answers a requestId it knows with the original, whatever else the request says
 * (`spec.md`, "Conventions"): two requests under one requestId would be one, and one of their callers
 * told of the other's. So another request is refused while the first is under way. The same request
 * passes, since the service acts on it once.
 *
 * @since 0.1.0
 */
import { ValidationFailed } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import type { Request } from "../Transport.ts"

/** Makes a function that runs what sends a request, unless another is under way under its requestId. */
export const make = () => {
  const underWay = new Map<string, { readonly text: string; count: number }>()
  return <A, E, R>(
    requestId: string,
    request: Request,
    send: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ValidationFailed, R> =>
    Effect.suspend(() => {
      let isIn = false
      const enter = Effect.suspend((): Effect.Effect<A, E | ValidationFailed, R> => {
        const text = `${request.url} ${request.body}`
        const entry = underWay.get(requestId) ?? { text, count: 0 }
        if (entry.text !== text) return Effect.fail(refuse())
        isIn = true
        entry.count++
        underWay.set(requestId, entry)
        return send
      })
      return Effect.ensuring(
        enter,
        Effect.sync(() => {
          const entry = underWay.get(requestId)
          if (isIn && entry !== undefined && --entry.count === 0) underWay.delete(requestId)
        })
      )
    })
}

const refuse = () =>
  new ValidationFailed({
    sent: false,
    fields: [{ path: "requestId", message: "Another request is under way with this requestId" }]
  })
