/**
 * Card payments, tokens and charges. The specification names these endpoints and shows no shape (`spec.md`,
 * "Endpoints named but without shape").
 *
 * **Details**
 *
 * Likely fields are typed. All other fields are sent and kept unchanged
 * (`docs/decisions/0008-undocumented-values-are-kept-and-never-acted-on.md`).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Amount, Currency } from "./Amount.ts"
import { CardToken } from "./Card.ts"
import { type Input, openStruct, optionalText, nullableText } from "./internal/OpenStruct.ts"
import { DeclineCode, Metadata, OpenStatus, RequestId, TransactionId, Url } from "./Transaction.ts"

/** Fields that the specification does not name. */
interface OtherFields {
  readonly [field: string]: unknown
}

/**
 * Schema for the body of `POST /api/v1/payments/card` and of `POST /api/v1/payments/card/charge`. A charge pays
 * with a card token.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPaymentRequest = openStruct("CardPaymentRequest", {
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: RequestId,
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  mid: optionalText,
  /** Decimal text in major units with at most two decimals (`spec.md`, "Conventions"). */
  amount: Schema.optionalKey(Amount),
  /** Three-letter code of ISO 4217 (`spec.md`, "Conventions"). */
  currency: Schema.optionalKey(Currency),
  /** Token that stands for a card; redacted. */
  cardToken: Schema.optionalKey(CardToken),
  /** Absolute http(s) URL that receives the callbacks of this request (`spec.md`, "Events"). */
  callbackUrl: Schema.optionalKey(Url),
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
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
 * Input of the merchant to start a card payment or charge. Unknown fields are allowed, because the
 * specification shows no shape.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPaymentInput = Input<typeof CardPaymentRequest.Encoded> & OtherFields

/**
 * Schema for the response to a card payment or charge.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPaymentResponse = openStruct("CardPaymentResponse", {
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: nullableText,
  /** Identifier assigned by the service, read as text (`spec.md`, "Conventions"). */
  transactionId: TransactionId,
  /** Status of the transaction; an unknown one is kept (`spec.md`, "Transaction statuses"). */
  transactionStatus: OpenStatus,
  /** Numeric reason of a decline, only with FAILED (`spec.md`, "Conventions"). */
  declineCode: DeclineCode,
  /** CARD or APM (`spec.md`, "Conventions"). */
  paymentType: nullableText,
  /** Page of the 3-D Secure challenge; only with CUSTOMER_VERIFICATION. */
  challengeUrl: nullableText,
  /** The same challenge for an iframe; only with CUSTOMER_VERIFICATION. */
  challengeUrlIframe: nullableText,
  /** Token that stands for a card; redacted. */
  cardToken: Schema.optionalKey(Schema.NullOr(CardToken)),
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The response to the creation of a card payment.
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
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: RequestId,
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
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
 * Input of the merchant to tokenize a card. Unknown fields are allowed, because the specification shows no
 * shape.
 *
 * @category models
 * @since 0.1.0
 */
export type TokenizeInput = Input<typeof TokenizeRequest.Encoded> & OtherFields

/**
 * Schema for the response to `POST /api/v1/payments/card/tokenize`: the token for subscriptions and charges.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TokenizeResponse = openStruct("TokenizeResponse", {
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: nullableText,
  /** Token that stands for a card; redacted. */
  cardToken: CardToken
})

/**
 * The response to a tokenize request.
 *
 * @category models
 * @since 0.1.0
 */
export type TokenizeResponse = typeof TokenizeResponse.Type
