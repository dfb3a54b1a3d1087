/**
 * What a create's answer means: a transaction that ended FAILED is an error, everything else is not.
 *
 * @since 0.1.0
 */
import { Declined, type DeclinedAs } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"

/** What of a create's answer tells a decline. */
interface Created {
  readonly transactionStatus?: string | null
  readonly transactionId?: string | null
  readonly refundId?: string | null
  readonly subscriptionId?: string | null
  readonly declineCode?: number | null
  readonly declineSubReason?: string | null
  readonly [field: string]: unknown
}

/** Fails with `Declined`, which carries the whole answer, when the transaction ended FAILED. */
export const failDeclined = <Response extends Created>(
  requestId: string,
  response: Response
): Effect.Effect<Response, DeclinedAs<Response>> => {
  if (response.transactionStatus !== "FAILED") return Effect.succeed(response)
  const { declineCode, declineSubReason, refundId, subscriptionId, transactionId } = response
  const declined = new Declined({
    requestId,
    response,
    ...(transactionId && { transactionId }),
    ...(refundId && { refundId }),
    ...(subscriptionId && { subscriptionId }),
    ...(typeof declineCode === "number" && { declineCode }),
    ...(typeof declineSubReason === "string" && { declineSubReason })
  })
  return Effect.fail(Object.assign(declined, { response }))
}
