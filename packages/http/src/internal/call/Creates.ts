/**
 * The requestIds of creates that may have taken effect. A create with such a requestId is in doubt from its
 * start, also in a later call, until a readable response ends the doubt.
 */
import { OutcomeUnknown, type ReadError } from "@pawl/core/PaymentsError"
import * as ErrorResponse from "../wire/ErrorResponse.ts"
import type { Doubt } from "./Failure.ts"

/** Most requestIds that are kept. Beyond it the oldest is dropped; a caller then has to pass `inDoubt`. */
const maxDoubts = 10_000

/** The requestIds in doubt. */
export interface Doubts {
  readonly add: (requestId: string) => void
  readonly has: (requestId: string) => boolean
  readonly delete: (requestId: string) => void
}

/** Makes an empty set of doubts. */
export const make = (): Doubts => {
  const requestIds = new Set<string>()
  return {
    add: (requestId) => {
      requestIds.add(requestId)
      const [oldest = requestId] = requestIds
      if (requestIds.size > maxDoubts) requestIds.delete(oldest)
    },
    has: (requestId) => requestIds.has(requestId),
    delete: (requestId) => {
      requestIds.delete(requestId)
    }
  }
}

/** Creates the error of a create in doubt. `error` is that of its last attempt. */
export const toOutcomeUnknown = (
  requestId: string,
  error: ReadError,
  doubt: Doubt | undefined
): OutcomeUnknown => {
  const cause = doubt ?? error
  return new OutcomeUnknown({
    requestId,
    cause,
    ...(error !== cause && { refusal: error }),
    ...ErrorResponse.partsOfError(error),
    ...ErrorResponse.partsOfError(cause)
  })
}
