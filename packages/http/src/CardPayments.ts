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
 * Service that starts card payments and reads their status (`spec.md`, "Endpoints named but without
 * shape", "Card payment status").
 *
 * **Details**
 *
 * The specification shows no fields for creating, charging and tokenizing. The likely fields are typed; other
 * fields of a request are sent unchanged, and those of a response are in `unknownFields`.
 *
 * A created payment is rarely final. Its final status arrives by callback; `StatusPoller.follow` waits
 * for it. In CUSTOMER_VERIFICATION the response has the address of the challenge; see
 * `@pawl/core/NextAction`.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the payment may exist. Call again with the requestId of the error, the same
 * fields and `inDoubt: true`: the service then returns the original response.
 *
 * @category services
 * @since 0.1.0
 */
export class CardPayments extends Context.Service<
  CardPayments,
  {
    /**
     * Starts a payment with a card and returns the response of the service (`spec.md`, "Endpoints named
     * but without shape").
     *
     * `amount` is decimal text with at most two decimals, `currency` an ISO 4217 code. The method makes a
     * requestId (UUIDv7) when the input has none. Fails with `Declined` when the status of the response is
     * FAILED, with `ValidationFailed` when the input is invalid, with `OutcomeUnknown` when the payment may
     * or may not exist, and with the errors of every call.
     */
    readonly create: (
      input: CardPaymentInput,
      options?: CreateOptions
    ) => Effect.Effect<CardPaymentResponse, CreateError<CardPaymentResponse>>
    /**
     * Starts a payment with the card token of `tokenize`. Input, response and errors are those of `create`
     * (`spec.md`, "Endpoints named but without shape").
     */
    readonly charge: (
      input: CardPaymentInput,
      options?: CreateOptions
    ) => Effect.Effect<CardPaymentResponse, CreateError<CardPaymentResponse>>
    /**
     * Exchanges a card for a token that `charge` and `Subscriptions.create` accept (`spec.md`, "Endpoints
     * named but without shape"). Fails with `ValidationFailed` when the card is invalid, with
     * `OutcomeUnknown` when the token may or may not exist, and with the errors of every call.
     */
    readonly tokenize: (
      input: TokenizeInput,
      options?: CreateOptions
    ) => Effect.Effect<TokenizeResponse, ReadError | OutcomeUnknown>
    /**
     * Reads the status of a card payment. `id` is the `transactionId` of the create. Fails with
     * `NotFound` when the service does not know the id (`spec.md`, "Card payment status").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/CardPayments") {}
