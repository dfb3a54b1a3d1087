/**
 * Payment intents: hosted pages where a customer pays or receives a payout.
 *
 * @since 0.1.0
 */
import type { PaymentIntentInput, PaymentIntentResponse } from "@pawl/core/PaymentIntent"
import {
  IntentRejected,
  OutcomeUnknown,
  type ReadError,
  UnexpectedResponse
} from "@pawl/core/PaymentsError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Endpoint from "./Endpoint.ts"
import type { Caller } from "./Caller.ts"
import type { CreateOptions } from "./CallOptions.ts"
import * as ErrorResponse from "./internal/ErrorResponse.ts"
import * as ServiceMethods from "./internal/ServiceMethods.ts"

/**
 * The addresses of a hosted page: `redirectUrl` for the whole window, `iframeUrl` for an iframe.
 *
 * @category models
 * @since 0.1.0
 */
export interface HostedPage extends PaymentIntentResponse {
  /** URL of the full page to redirect the customer to (`spec.md`, "Payment intents"). */
  readonly redirectUrl: string
}

/**
 * Service that creates intents (`spec.md`, "Payment intents").
 *
 * **Details**
 *
 * Only callbacks report the payment or payout of the customer: the response has no transactionId.
 *
 * @category services
 * @since 0.1.0
 */
export class PaymentIntents extends Context.Service<
  PaymentIntents,
  {
    /**
     * Creates an intent and returns the addresses of its hosted page (`spec.md`, "Payment intents").
     *
     * `amount` is decimal text with at most two decimals, `currency` an ISO 4217 code. The method makes a
     * requestId (UUIDv7) when the input has none. Fails with `IntentRejected` when the response has an
     * errorCode, with `ValidationFailed` when the input is invalid, with `OutcomeUnknown` when the intent
     * may or may not exist, and with the errors of every call.
     */
    readonly create: (
      input: PaymentIntentInput,
      options?: CreateOptions
    ) => Effect.Effect<HostedPage, ReadError | IntentRejected | OutcomeUnknown>
  }
>()("@pawl/http/PaymentIntents") {}

/**
 * Layer that provides payment intents.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<PaymentIntents, never, Caller> = Layer.effect(
  PaymentIntents,
  Effect.map(ServiceMethods.make, ({ create }) =>
    PaymentIntents.of({
      create: create("PaymentIntents.create", Endpoint.createPaymentIntent, failRejected)
    })
  )
)

/** Returns the page. A response that has neither a page nor an errorCode fails with `OutcomeUnknown`. */
const failRejected = (
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
