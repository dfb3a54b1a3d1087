/**
 * Payment intents: hosted pages where a customer pays or receives a payout.
 *
 * @since 0.1.0
 */
import type { HostedPage, PaymentIntentInput } from "@pawl/core/PaymentIntent"
import type { IntentRejected, OutcomeUnknown, ReadError } from "@pawl/core/PaymentsError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CreateOptions } from "./CallOptions.ts"

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
