/**
 * Compares the ids in a response with those of its request: a proxy or a client library may return the response to another
 * request.
 */
import { UnexpectedResponse } from "@pawl/core/PaymentsError"
import type * as Transport from "../../Transport.ts"
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
export const areOwn = (response: unknown, request: RequestIds): boolean => {
  if (typeof response !== "object" || response === null) return true
  // Some responses have an id that the specification does not name for them.
  const fields = response as Fields
  const { unknownFields } = fields
  const { requestId, subscriptionId, transactionId } = request
  return (
    (requestId === undefined || matches(requestId, "requestId", fields, unknownFields)) &&
    (subscriptionId === undefined ||
      matches(subscriptionId, "subscriptionId", fields, unknownFields)) &&
    (transactionId === undefined ||
      matches(
        transactionId,
        "refundId" in response ? "refundId" : "transactionId",
        fields,
        unknownFields
      ))
  )
}

interface Fields {
  readonly [name: string]: unknown
  readonly unknownFields?: Fields
}

const matches = (id: string, name: string, fields: Fields, unknownFields?: Fields): boolean => {
  const known = fields[name]
  const unknown = unknownFields?.[name]
  return (
    known === id || unknown === id || (typeof known !== "string" && typeof unknown !== "string")
  )
}

/** Creates the error for the response to another request. */
export const toError = (response: Transport.Response): UnexpectedResponse =>
  new UnexpectedResponse({
    reason: "it is the response to another request",
    ...ErrorResponse.partsOf(response)
  })
