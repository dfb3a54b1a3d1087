/**
 * The creates of a client by their requestId: those in flight, and those in doubt.
 *
 * **Details**
 *
 * The service answers a known requestId with the original response, even to other fields, so a
 * different request with the requestId of one in flight is refused.
 */
import { OutcomeUnknown, type ReadError, ValidationFailed } from "@pawl/core/PaymentsError"
import type { Request } from "../../Transport.ts"
import * as ErrorResponse from "../wire/ErrorResponse.ts"
import type { CallFailure } from "../wire/Failure.ts"

/** Then the caller of the oldest has to pass `inDoubt`. */
const maxDoubts = 10_000

/** The last failure that left a doubt, if known, and the number of refused calls. */
interface Open {
  cause: ReadError | undefined
  refusals: number
}

export const make = () => {
  const entries = new Map<string, { readonly request: Request; count: number }>()
  const doubts = new Map<string, Open>()
  const add = (requestId: string, cause?: ReadError): void => {
    const open = doubts.get(requestId)
    if (open !== undefined) open.cause = cause ?? open.cause
    else doubts.set(requestId, { cause, refusals: 0 })
    const [oldest = requestId] = doubts.keys()
    if (doubts.size > maxDoubts) doubts.delete(oldest)
  }
  return {
    /** Adds a create. Returns false if a different one with its requestId is in flight. */
    enter: (requestId: string, request: Request): boolean => {
      const entry = entries.get(requestId)
      if (entry === undefined) entries.set(requestId, { request, count: 1 })
      else if (entry.request.url !== request.url || entry.request.body !== request.body)
        return false
      else entry.count++
      return true
    },
    leave: (requestId: string): void => {
      const entry = entries.get(requestId)
      if (entry !== undefined && --entry.count === 0) entries.delete(requestId)
    },
    add,
    delete: (requestId: string) => doubts.delete(requestId),
    /** Returns `OutcomeUnknown` if the create is in doubt. */
    toError: (
      requestId: string,
      { doubt, error }: CallFailure,
      inDoubt: boolean
    ): ReadError | OutcomeUnknown => {
      const open = doubts.get(requestId)
      if (!inDoubt && doubt === undefined && open === undefined) return error
      const cause = doubt ?? open?.cause ?? error
      // The last attempt may have left a doubt too. Then nothing was refused.
      const isRefused = error !== doubt
      const refusals = isRefused ? (open?.refusals ?? 0) + (isOfService(error) ? 1 : 0) : 0
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

/** An error of the credentials, or before sending, says nothing about the create. */
const isOfService = (error: ReadError): boolean =>
  !error.isRetryable && error._tag !== "Unauthorized" && !("sent" in error && !error.sent)

export const refusal = (): ValidationFailed =>
  new ValidationFailed({
    sent: false,
    fields: [{ path: "requestId", message: "A different request with this requestId is in flight" }]
  })
