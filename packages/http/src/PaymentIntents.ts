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
 * Service that creates intents.
 *
 * **Gotchas**
 *
 * The response has no transactionId: only callbacks report the payment or payout.
 *
 * @category services
 * @since 0.1.0
 */
export class PaymentIntents extends Context.Service<
  PaymentIntents,
  {
    /**
     * Creates an intent and returns the addresses of its hosted page. Fails with `IntentRejected`
     * when the response has an errorCode, or with `OutcomeUnknown` when the intent may exist
     * (`spec.md`, "Payment intents").
     */
    readonly create: (
      input: PaymentIntentInput,
      options?: CreateOptions
    ) => Effect.Effect<HostedPage, ReadError | IntentRejected | OutcomeUnknown>
  }
>()("@pawl/http/PaymentIntents") {}
