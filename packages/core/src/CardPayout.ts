/**
 * Payouts to a card, also called credit pushes (`spec.md`, "Card payouts").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Amount, AmountFromNumber } from "./Amount.ts"
import { PayoutBillingDetails } from "./Billing.ts"
import { PayoutCardDetails } from "./Card.ts"
import { type Input, openStruct, nullableText } from "./internal/OpenStruct.ts"
import { DeclineCode, Metadata, OpenStatus, RequestId, TransactionId, Url } from "./Transaction.ts"

/**
 * Schema for the body of `POST /api/v1/payouts/card`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPayoutRequest = openStruct("CardPayoutRequest", {
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: RequestId,
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  mid: Schema.String,
  /** Decimal text in major units with at most two decimals (`spec.md`, "Conventions"). */
  amount: Amount,
  /** Card that receives the money (`spec.md`, "PayoutCardDetails"). */
  card: PayoutCardDetails,
  /** Person who is billed (`spec.md`, "Billing details variants"). */
  billingDetails: Schema.optionalKey(PayoutBillingDetails),
  /** Absolute http(s) URL that receives the callbacks of this request (`spec.md`, "Events"). */
  callbackUrl: Schema.optionalKey(Url),
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Metadata)
})

/**
 * The body of `POST /api/v1/payouts/card`.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPayoutRequest = typeof CardPayoutRequest.Type

/**
 * Input of the merchant to pay out to a card, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPayoutInput = Input<typeof CardPayoutRequest.Encoded>

/**
 * Schema for the response to `POST /api/v1/payouts/card`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPayoutResponse = openStruct("CardPayoutResponse", {
  /** Identifier assigned by the service, read as text (`spec.md`, "Conventions"). */
  transactionId: TransactionId,
  /** Status of the transaction; an unknown one is kept (`spec.md`, "Transaction statuses"). */
  transactionStatus: OpenStatus,
  /** Numeric reason of a decline, only with FAILED (`spec.md`, "Conventions"). */
  declineCode: DeclineCode,
  /** CARD or APM (`spec.md`, "Conventions"). */
  paymentType: nullableText,
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The response to the creation of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPayoutResponse = typeof CardPayoutResponse.Type

/**
 * Schema for the response to `GET /api/v1/payouts/card/info/{id}`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPayoutInfo = openStruct("CardPayoutInfo", {
  /** Identifier assigned by the service, read as text (`spec.md`, "Conventions"). */
  transactionId: TransactionId,
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: nullableText,
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  mid: nullableText,
  /** Status of the transaction; an unknown one is kept (`spec.md`, "Transaction statuses"). */
  transactionStatus: OpenStatus,
  /** Numeric reason of a decline, only with FAILED (`spec.md`, "Conventions"). */
  declineCode: DeclineCode,
  /** Card number with the first 6 and last 4 digits visible. */
  cardMask: nullableText,
  /** Name of the card holder. */
  cardHolder: nullableText,
  /** Amount in major units: a JSON number on the wire, read as decimal text. */
  totalAmount: Schema.optionalKey(Schema.NullOr(AmountFromNumber)),
  /** Absolute http(s) URL that receives the callbacks of this request (`spec.md`, "Events"). */
  callbackUrl: nullableText,
  /** Time of creation, ISO 8601 (`spec.md`, "Conventions"). */
  createdAt: nullableText,
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The details of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPayoutInfo = typeof CardPayoutInfo.Type
