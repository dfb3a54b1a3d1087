/**
 * Turns the response to the creation of an intent into its hosted page, or into the error `IntentRejected`.
 */
import type { HostedPage, PaymentIntentResponse } from "@pawl/core/PaymentIntent"
import { IntentRejected, OutcomeUnknown, UnexpectedResponse } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as ErrorResponse from "../wire/ErrorResponse.ts"

/** Returns the page. A response that has neither a page nor an errorCode fails with `OutcomeUnknown`. */
export const failRejected = (
  requestId: string,
  response: PaymentIntentResponse
): Effect.Effect<HostedPage, IntentRejected | OutcomeUnknown> => {
  const { errorCode, redirectUrl } = response
  if (errorCode) {
    const received = ErrorResponse.receivedWith(response)
    return Effect.fail(new IntentRejected({ requestId, errorCode, ...received }))
  }
  if (redirectUrl) return Effect.succeed({ ...response, redirectUrl })
  const cause = new UnexpectedResponse({
    status: 200,
    reason: "it has neither a redirectUrl nor an errorCode"
  })
  return Effect.fail(new OutcomeUnknown({ requestId, cause }))
}
