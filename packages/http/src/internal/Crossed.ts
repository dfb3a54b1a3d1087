/**
 * Holds a response against its request: a proxy or a client library may hand over the response of another one.
 */
import { UnexpectedResponse } from "@pawl/core/PaymentsError"
import type * as Transport from "../Transport.ts"
import * as ErrorResponse from "./ErrorResponse.ts"

/** The ids of a request. */
interface RequestIds {
  readonly requestId?: string
  readonly transactionId?: string
  readonly subscriptionId?: string
  readonly operation: string
}

/**
 * Tells whether the ids in a response are those of its request. An id that the response does not have counts
 * as equal, because only some responses have one. The id of a refund is its `refundId`.
 */
export const isOwn = (response: unknown, request: RequestIds): boolean => {
  if (typeof response !== "object" || response === null) return true
  // Some responses have an id that the specification does not name for them.
  const unknown: unknown = Reflect.get(response, "unknownFields")
  const places = typeof unknown === "object" && unknown !== null ? [response, unknown] : [response]
  const matches = (id: string | undefined, name: string) => {
    if (id === undefined) return true
    const ids = places.map((place): unknown => Reflect.get(place, name))
    const present = ids.filter((each) => typeof each === "string")
    return present.length === 0 || present.includes(id)
  }
  return (
    matches(request.requestId, "requestId") &&
    matches(request.subscriptionId, "subscriptionId") &&
    ("refundId" in response
      ? matches(request.transactionId, "refundId")
      : matches(request.transactionId, "transactionId"))
  )
}

/** Creates the error for the response of another request. */
export const toError = (response: Transport.Response): UnexpectedResponse =>
  new UnexpectedResponse({
    reason: "it is the response of another request",
    ...ErrorResponse.partsOf(response)
  })
