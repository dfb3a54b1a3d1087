/**
 * Encodes a create and sends its bytes, as two steps, so that the bytes can be stored in between.
 * `Pawl.layer` of `@pawl/http/Pawl` has the layer.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Account } from "./Account.ts"
import type { ApmPaymentInput, ApmPaymentResponse } from "./ApmPayment.ts"
import type { ApmPayoutInput, ApmPayoutResponse } from "./ApmPayout.ts"
import type { CardPaymentInput, CardPaymentResponse } from "./CardPayment.ts"
import type { CardPayoutInput, CardPayoutResponse } from "./CardPayout.ts"
import type { Input } from "./internal/InputSchemas.ts"
import type { HostedPage, PaymentIntentInput } from "./PaymentIntent.ts"
import type {
  DeclinedAs,
  IntentRejected,
  OutcomeUnknown,
  ReadError,
  ValidationFailed
} from "./PaymentsError.ts"
import type { RefundInput, RefundResponse } from "./Refund.ts"
import type { SubscriptionInput, SubscriptionResponse } from "./Subscription.ts"

/**
 * Service that encodes and sends creates.
 *
 * @category services
 * @since 0.1.0
 */
export class RequestSender extends Context.Service<
  RequestSender,
  {
    /**
     * Account of the client. `Requests` refuses the store of another; without it, as in a test, the store
     * is not asked.
     */
    readonly account?: Account | undefined
    /**
     * Checks the input and returns the request, with a new requestId (UUIDv7) if it has none and the
     * checksum of an APM request. Sends nothing. Fails with `ValidationFailed`.
     */
    readonly encode: <K extends RequestKind>(
      kind: K,
      input: RequestInput<K>
    ) => Effect.Effect<EncodedRequest<K>, ValidationFailed>
    /**
     * Sends `body` with the client's access token and retries; idempotent by its requestId. Only the
     * checksum is made anew, since the secret may have changed. Fails with the refusal of its kind if the
     * service declined, with `OutcomeUnknown` if the request may have taken effect; any other error had no
     * effect.
     */
    readonly send: <K extends RequestKind>(
      request: EncodedRequest<K>,
      options?: SendOptions
    ) => Effect.Effect<RequestResponse<K>, RequestError<K>>
    /** Returns a response or refusal as text to store. It may have personal data and a card token. */
    readonly encodeOutcome: <K extends RequestKind>(
      kind: K,
      outcome: Result.Result<RequestResponse<K>, RequestRefusal<K>>
    ) => string
    /**
     * Returns the outcome in the text of `encodeOutcome`, without a request. Fails with
     * `UnexpectedResponse` or `OutcomeUnknown` on other text.
     */
    readonly decodeOutcome: <K extends RequestKind>(
      request: Pick<EncodedRequest<K>, "kind" | "requestId">,
      text: string
    ) => Effect.Effect<RequestResponse<K>, RequestError<K>>
  }
>()("@pawl/core/RequestSender") {}

/**
 * A request as it is sent.
 *
 * **Gotchas**
 *
 * `body` may have personal data, a card token or a card number. Neither log it nor store it unsealed.
 *
 * @category models
 * @since 0.1.0
 */
export interface EncodedRequest<K extends RequestKind = RequestKind> {
  /** Kind of the create. */
  readonly kind: K
  /** Idempotency key of the request. */
  readonly requestId: string
  /** JSON text, with the requestId. */
  readonly body: string
}

/**
 * The options of `send`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SendOptions extends SendLimits {
  /**
   * Whether the request may have taken effect already; false. If so, every error but the refusal of its
   * kind is `OutcomeUnknown`: only a readable response ends the doubt.
   */
  readonly inDoubt?: boolean | undefined
  /**
   * Whether the request surely had no effect yet, which ends a doubt that the sender remembers; false.
   */
  readonly hadNoEffect?: boolean | undefined
  /** Time after which `send` starts no attempt. It awaits one in flight. */
  readonly sendWithin?: Duration.Input | undefined
}

/**
 * The limits of one call; the defaults are those of the client.
 *
 * @category models
 * @since 0.1.0
 */
export interface SendLimits {
  /** Time limit of one attempt, in milliseconds or as text: `"2 seconds"`; default: that of the client. */
  readonly attemptTimeout?: Duration.Input | undefined
  /** Time limit of the call with all its attempts and waits; default: that of the client. */
  readonly totalTimeout?: Duration.Input | undefined
  /** Maximum attempts of the call; default: those of the client. */
  readonly maxAttempts?: number | undefined
}

/**
 * The input, the response and the refusal of each kind of create.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestTypes {
  /** `ApmPayments.create`. */
  readonly "apm-payment": Types<ApmPaymentInput, ApmPaymentResponse>
  /** `ApmPayouts.create`. */
  readonly "apm-payout": Types<ApmPayoutInput, ApmPayoutResponse>
  /** `CardPayments.create`. */
  readonly "card-payment": Types<CardPaymentInput, CardPaymentResponse>
  /** `CardPayments.charge`. */
  readonly "card-charge": Types<CardPaymentInput, CardPaymentResponse>
  /** `CardPayouts.create`. */
  readonly "card-payout": Types<CardPayoutInput, CardPayoutResponse>
  /** `Refunds.create`. */
  readonly refund: Types<RefundInput, RefundResponse>
  /** `Subscriptions.create`. */
  readonly subscription: Types<Input<SubscriptionInput>, SubscriptionResponse>
  /** `PaymentIntents.create`. */
  readonly "payment-intent": Types<Input<PaymentIntentInput>, HostedPage, IntentRejected>
}

interface Types<Input, Response, Refusal = DeclinedAs<Response>> {
  readonly input: Input
  readonly response: Response
  readonly refusal: Refusal
}

/**
 * The creates that `Requests` stores: all but `tokenize`.
 *
 * @category models
 * @since 0.1.0
 */
export type RequestKind = keyof RequestTypes

/**
 * The input of a kind of create. `callbackUrl` is optional, because `Requests` adds one; `encode` refuses
 * an intent or a subscription without it.
 *
 * @category models
 * @since 0.1.0
 */
export type RequestInput<K extends RequestKind> = RequestTypes[K]["input"]

/**
 * The response to a kind of create.
 *
 * @category models
 * @since 0.1.0
 */
export type RequestResponse<K extends RequestKind> = RequestTypes[K]["response"]

/**
 * The error of a response that says that the operation failed.
 *
 * @category errors
 * @since 0.1.0
 */
export type RequestRefusal<K extends RequestKind> = RequestTypes[K]["refusal"]

/**
 * The errors of `send`.
 *
 * @category errors
 * @since 0.1.0
 */
export type RequestError<K extends RequestKind = RequestKind> =
  | ReadError
  | OutcomeUnknown
  | RequestRefusal<K>
