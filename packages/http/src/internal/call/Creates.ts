/**
 * The creates of a client by their requestId: those in flight, and those that may have taken effect.
 *
 * **Details**
 *
 * The service answers a known requestId with the original response, even if the other fields differ
 * (`spec.md`, "Conventions"). So the second of two different requests with one requestId would get the
 * response to the first, and is refused. The same request may be in flight several times: the service processes
 * it once.
 *
 * A create that may have taken effect is in doubt from its start, also in a later call, until a readable response
 * ends the doubt. The client keeps the failure that left the doubt, and the number of later calls that were refused.
 */
import { OutcomeUnknown, type ReadError, ValidationFailed } from "@pawl/core/PaymentsError"
import type { Request } from "../../Transport.ts"
import * as ErrorResponse from "../wire/ErrorResponse.ts"
import type { CallFailure } from "../wire/Failure.ts"

/** Most requestIds that are kept. Beyond it the oldest is dropped; a caller then has to pass `inDoubt`. */
const maxDoubts = 10_000

/** The last failure that left a doubt, if it is known, and the number of calls that were refused. */
interface Open {
  cause: ReadError | undefined
  refusals: number
}

/** The creates of one client. */
export interface Creates {
  /** Adds a create in flight. Returns false if a different one with its requestId is in flight. */
  readonly enter: (requestId: string, request: Request) => boolean
  /** Removes a create that was added. */
  readonly leave: (requestId: string) => void
  /** Adds a doubt. `cause` is the failure that left it. */
  readonly add: (requestId: string, cause?: ReadError) => void
  readonly has: (requestId: string) => boolean
  readonly delete: (requestId: string) => void
  /** Creates the error of a failed call: `OutcomeUnknown` if its create is in doubt. */
  readonly toError: (
    requestId: string,
    failure: CallFailure,
    inDoubt: boolean
  ) => ReadError | OutcomeUnknown
}

/** Makes the creates of a new client. */
export const make = (): Creates => {
  const entries = new Map<string, { readonly request: Request; count: number }>()
  const doubts = new Map<string, Open>()
  const add: Creates["add"] = (requestId, cause) => {
    const open = doubts.get(requestId)
    if (open !== undefined) open.cause = cause ?? open.cause
    else doubts.set(requestId, { cause, refusals: 0 })
    const [oldest = requestId] = doubts.keys()
    if (doubts.size > maxDoubts) doubts.delete(oldest)
  }
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
    },
    add,
    has: (requestId) => doubts.has(requestId),
    delete: (requestId) => {
      doubts.delete(requestId)
    },
    toError: (requestId, { doubt, error }, inDoubt) => {
      const open = doubts.get(requestId)
      if (!inDoubt && doubt === undefined && open === undefined) return error
      const cause = doubt ?? open?.cause ?? error
      // The last attempt may have left a doubt too. Then nothing was refused.
      const isRefused = error !== doubt
      const refusals = isRefused ? (open?.refusals ?? 0) + (error.isRetryable ? 0 : 1) : 0
      if (open !== undefined) open.refusals = refusals
      return new OutcomeUnknown({
        requestId,
        cause,
        ...(isRefused && { refusal: error }),
        ...(refusals > 1 && { refusals }),
        ...ErrorResponse.partsOfError(error),
        ...ErrorResponse.partsOfError(cause)
      })
    }
  }
}

/** Creates the error for a create that `enter` refused. */
export const refusal = (): ValidationFailed =>
  new ValidationFailed({
    sent: false,
    fields: [{ path: "requestId", message: "A different request with this requestId is in flight" }]
  })
