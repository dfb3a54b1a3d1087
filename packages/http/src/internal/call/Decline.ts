/**
 * Turns the response to a create with status FAILED into the error `Declined`.
 */
import { Declined, type DeclinedAs } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as ErrorResponse from "../wire/ErrorResponse.ts"

/** The fields of the response to a create that decide whether it is declined. */
interface CreateResponse {
  readonly transactionStatus?: string | null
  readonly transactionId?: string | null
  readonly refundId?: string | null
  readonly subscriptionId?: string | null
  readonly declineCode?: number | null
  readonly declineSubReason?: string | null
}

/** Returns the response, or fails with `Declined`, which has the whole response, when its status is FAILED. */
export const failDeclined = <Response extends CreateResponse>(
  requestId: string,
  response: Response
): Effect.Effect<Response, DeclinedAs<Response>> => {
  if (response.transactionStatus !== "FAILED") return Effect.succeed(response)
  const { declineCode, declineSubReason, refundId, subscriptionId, transactionId } = response
  const declined = new Declined({
    requestId,
    response,
    ...ErrorResponse.receivedWith(response),
    ...(transactionId && { transactionId }),
    ...(refundId && { refundId }),
    ...(subscriptionId && { subscriptionId }),
    ...(typeof declineCode === "number" && { declineCode }),
    ...(typeof declineSubReason === "string" && { declineSubReason })
  })
  return Effect.fail(Object.assign(declined, { response }))
}
