/**
 * Card payments: endpoints the spec names without their shape (`spec.md`, "Endpoints named but without
 * shape").
 *
 * **Details**
 *
 * Bodies are open: what is likely is typed, everything else is sent and kept as it is
 * (`docs/decisions/0018-card-payment-bodies-are-open.md`).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Amount, Currency } from "./Amount.ts"
import { CardToken } from "./Card.ts"
import { type Input, openStruct, optionalText, nullableText } from "./internal/OpenStruct.ts"
import { DeclineCode, Metadata, OpenStatus, RequestId, TransactionId, Url } from "./Transaction.ts"

/** Whatever else a body may have. */
interface Body {
  readonly [field: string]: unknown
}

/**
 * Schema for the body of `POST /api/v1/payments/card`, and of `POST /api/v1/payments/card/charge`, which
 * pays with a card token.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPaymentRequest = openStruct("CardPaymentRequest", {
  requestId: RequestId,
  mid: optionalText,
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency),
  cardToken: Schema.optionalKey(CardToken),
  callbackUrl: Schema.optionalKey(Url),
  metadata: Schema.optionalKey(Metadata)
})

/**
 * The body of `POST /api/v1/payments/card`.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPaymentRequest = typeof CardPaymentRequest.Type

/**
 * What a merchant says to start a card payment or charge; open, because its shape is not documented.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPaymentInput = Input<typeof CardPaymentRequest.Encoded> & Body

/**
 * Schema for the answer to a card payment or charge. `challengeUrl` and `challengeUrlIframe` come with
 * CUSTOMER_VERIFICATION. A `cardToken` that is echoed is redacted.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPaymentResponse = openStruct("CardPaymentResponse", {
  requestId: nullableText,
  transactionId: TransactionId,
  transactionStatus: OpenStatus,
  declineCode: DeclineCode,
  paymentType: nullableText,
  challengeUrl: nullableText,
  challengeUrlIframe: nullableText,
  cardToken: Schema.optionalKey(Schema.NullOr(CardToken)),
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The service's answer about a card payment just created.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPaymentResponse = typeof CardPaymentResponse.Type

/**
 * Schema for the body of `POST /api/v1/payments/card/tokenize`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TokenizeRequest = openStruct("TokenizeRequest", {
  requestId: RequestId,
  mid: optionalText
})

/**
 * The body of `POST /api/v1/payments/card/tokenize`.
 *
 * @category models
 * @since 0.1.0
 */
export type TokenizeRequest = typeof TokenizeRequest.Type

/**
 * What a merchant says to tokenize a card; open, because its shape is not documented.
 *
 * @category models
 * @since 0.1.0
 */
export type TokenizeInput = Input<typeof TokenizeRequest.Encoded> & Body

/**
 * Schema for the answer to a tokenize: the token that subscriptions and charges use.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TokenizeResponse = openStruct("TokenizeResponse", {
  requestId: nullableText,
  cardToken: CardToken
})

/**
 * The token of a card.
 *
 * @category models
 * @since 0.1.0
 */
export type TokenizeResponse = typeof TokenizeResponse.Type
