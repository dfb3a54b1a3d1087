/**
 * The service that turns a create into the bytes of its request, and sends them.
 *
 * **Details**
 *
 * The two steps are apart so that the bytes can be stored before they are sent. The service processes a requestId
 * once (`spec.md`, "Conventions"), so the same bytes may be sent again after a crash. `Pawl.layer` of `@pawl/http/Pawl`
 * has the layer.
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
 * - `account`: the one for which requests are sent. `Requests` refuses the store of another one. Without it, as in a test, the store
 *   is not asked.
 * - `encode`: checks the input, makes a requestId (UUIDv7) if it has none, adds the checksum of an APM
 *   request, and returns the request as it is sent. Sends nothing. Fails with `ValidationFailed` on invalid input.
 * - `send`: sends `body` with the access token and the retries of the client, and decodes the response. The checksum
 *   is made anew with the current secret, which may have changed since; every other field is sent as it is.
 *   The same request may be sent any number of times. Fails with `OutcomeUnknown` if the request may have taken effect. The
 *   refusal of its kind is the answer of the service. After any other error the request had no effect.
 * - `encodeOutcome`: returns a response, or the refusal that the service sent as one, as text that can be stored. The
 *   text may have personal data and a card token.
 * - `decodeOutcome`: returns the same outcome from that text, without a request. Text that `encodeOutcome` did not
 *   make fails with `UnexpectedResponse` or `OutcomeUnknown`.
 *
 * @category services
 * @since 0.1.0
 */
export class RequestSender extends Context.Service<
  RequestSender,
  {
    readonly account?: Account | undefined
    readonly encode: <K extends RequestKind>(
      kind: K,
      input: RequestInput<K>
    ) => Effect.Effect<EncodedRequest<K>, ValidationFailed>
    readonly send: <K extends RequestKind>(
      request: EncodedRequest<K>,
      options?: SendOptions
    ) => Effect.Effect<RequestResponse<K>, RequestError<K>>
    readonly encodeOutcome: <K extends RequestKind>(
      kind: K,
      outcome: Result.Result<RequestResponse<K>, RequestRefusal<K>>
    ) => string
    readonly decodeOutcome: <K extends RequestKind>(
      request: Pick<EncodedRequest<K>, "kind" | "requestId">,
      text: string
    ) => Effect.Effect<RequestResponse<K>, RequestError<K>>
  }
>()("@pawl/core/RequestSender") {}

/**
 * A request as it is sent: `body` is JSON text, and has the requestId.
 *
 * **Gotchas**
 *
 * `body` may have personal data, a card token or a card number. It must not be logged or stored as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface EncodedRequest<K extends RequestKind = RequestKind> {
  readonly kind: K
  readonly requestId: string
  readonly body: string
}

/**
 * The options of `send`.
 *
 * - `inDoubt`: whether the request may have taken effect already. Then only a readable response of the service
 *   ends the doubt: every error is `OutcomeUnknown`, apart from the refusal of the kind.
 * - `sendWithin`: the time after which `send` sends the request no more. One that was sent before is awaited.
 *
 * @category models
 * @since 0.1.0
 */
export interface SendOptions extends SendLimits {
  readonly inDoubt?: boolean | undefined
  readonly sendWithin?: Duration.Input | undefined
}

/**
 * The limits of one call. Each one that is absent has the value of the client's configuration.
 *
 * - `attemptTimeout`: time limit of one attempt.
 * - `totalTimeout`: time limit of the call with all its attempts and waits.
 * - `maxAttempts`: most attempts of the call.
 *
 * @category models
 * @since 0.1.0
 */
export interface SendLimits {
  readonly attemptTimeout?: Duration.Input | undefined
  readonly totalTimeout?: Duration.Input | undefined
  readonly maxAttempts?: number | undefined
}

/**
 * The input and the response of each kind of create. `refusal` is the error of a response that says that the
 * operation failed.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestTypes {
  readonly "apm-payment": Types<ApmPaymentInput, ApmPaymentResponse>
  readonly "apm-payout": Types<ApmPayoutInput, ApmPayoutResponse>
  readonly "card-payment": Types<CardPaymentInput, CardPaymentResponse>
  readonly "card-charge": Types<CardPaymentInput, CardPaymentResponse>
  readonly "card-payout": Types<CardPayoutInput, CardPayoutResponse>
  readonly refund: Types<RefundInput, RefundResponse>
  readonly subscription: Types<Input<SubscriptionInput>, SubscriptionResponse>
  readonly "payment-intent": Types<Input<PaymentIntentInput>, HostedPage, IntentRejected>
}

interface Types<Input, Response, Refusal = DeclinedAs<Response>> {
  readonly input: Input
  readonly response: Response
  readonly refusal: Refusal
}

/**
 * The creates that move money or lead to it. `tokenize` is not one of them.
 *
 * @category models
 * @since 0.1.0
 */
export type RequestKind = keyof RequestTypes

/**
 * The input of a kind of create. Its callback URL may be absent, because `Requests` adds one. `encode` refuses an intent
 * or a subscription without one.
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
 * The error of a response that says that the operation failed: `IntentRejected` of an intent, or else `Declined`.
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
