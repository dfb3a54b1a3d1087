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
import type { Request } from "../../Transport.ts"

/** The creates in flight. */
export interface InFlight {
  /** Adds a create. Returns false if a different one with its requestId is in flight. */
  readonly enter: (requestId: string, request: Request) => boolean
  /** Removes a create that was added. */
  readonly leave: (requestId: string) => void
}

/** Makes an empty set of creates. */
export const make = (): InFlight => {
  const entries = new Map<string, { readonly request: Request; count: number }>()
  return {
    enter: (requestId, request) => {
      const entry = entries.get(requestId)
      if (entry === undefined) entries.set(requestId, { request, count: 1 })
      else if (entry.request.url !== request.url || entry.request.body !== request.body)
        return false
      else entry.count++
      return true
    },
    leave: (requestId) => {
      const entry = entries.get(requestId)
      if (entry !== undefined && --entry.count === 0) entries.delete(requestId)
    }
  }
}

/** Creates the error for a create that `enter` refused. */
export const refusal = (): ValidationFailed =>
  new ValidationFailed({
    sent: false,
    fields: [{ path: "requestId", message: "A different request with this requestId is in flight" }]
  })
