/**
 * Payments by card, and card tokens.
 *
 * @since 0.1.0
 */
import type {
  CardPaymentInput,
  CardPaymentResponse,
  TokenizeInput,
  TokenizeResponse
} from "@pawl/core/CardPayment"
import type { CreateError, OutcomeUnknown, ReadError } from "@pawl/core/PaymentsError"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CallOptions, CreateOptions } from "./CallOptions.ts"

/**
 * Service that starts card payments and reads their status.
 *
 * **Gotchas**
 *
 * - The final status arrives by callback, or by `StatusPoller.follow`. In CUSTOMER_VERIFICATION
 *   `NextAction.of` has the address of the challenge.
 * - After `OutcomeUnknown` call again with `inDoubt: true`; see the error.
 *
 * @category services
 * @since 0.1.0
 */
export class CardPayments extends Context.Service<
  CardPayments,
  {
    /**
     * Starts a payment with a card. Fails with `Declined` when the response is FAILED, or with
     * `OutcomeUnknown` when the payment may exist. Its fields are not documented; further ones are
     * sent unchanged (`spec.md`, "Endpoints named but without shape").
     */
    readonly create: (
      input: CardPaymentInput,
      options?: CreateOptions
    ) => Effect.Effect<CardPaymentResponse, CreateError<CardPaymentResponse>>
    /**
     * Starts a payment with the card token of `tokenize`. Its errors are those of `create` (`spec.md`,
     * "Endpoints named but without shape").
     */
    readonly charge: (
      input: CardPaymentInput,
      options?: CreateOptions
    ) => Effect.Effect<CardPaymentResponse, CreateError<CardPaymentResponse>>
    /**
     * Exchanges a card for a token that `charge` and `Subscriptions.create` accept. Fails with
     * `OutcomeUnknown` when the token may exist (`spec.md`, "Endpoints named but without shape").
     */
    readonly tokenize: (
      input: TokenizeInput,
      options?: CreateOptions
    ) => Effect.Effect<TokenizeResponse, ReadError | OutcomeUnknown>
    /**
     * Reads the status by the `transactionId` of the create. Fails with `NotFound` when the service does
     * not know it (`spec.md`, "Card payment status").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/CardPayments") {}
