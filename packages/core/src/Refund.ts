/**
 * Refunds of card payments, full or partial (`spec.md`, "Refunds"). APM payments cannot be refunded.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Amount, AmountFromNumber } from "./Amount.ts"
import { type Input, openStruct, nullableText } from "./internal/OpenStruct.ts"
import {
  DeclineCode,
  IntegerText,
  Metadata,
  OpenStatus,
  RequestId,
  TransactionId,
  Url
} from "./Transaction.ts"

/**
 * Schema for the body of `POST /api/v1/refunds/card`.
 *
 * **Details**
 *
 * `transactionId` is the identifier of the original payment. Text that is not an integer is refused before
 * sending (`docs/decisions/0005-a-refund-is-identified-by-its-refundid.md`).
 *
 * @category schemas
 * @since 0.1.0
 */
export const RefundRequest = openStruct("RefundRequest", {
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: RequestId,
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  mid: Schema.String,
  /** Identifier of the original payment: digits, written as a JSON integer of any size. */
  transactionId: IntegerText,
  /** Amount of the refund: decimal text in major units with at most two decimals (`spec.md`, "Conventions"). */
  amount: Amount,
  /** Free text for reporting, such as customer_request, duplicate or fraudulent. */
  reason: Schema.String,
  /** Absolute http(s) URL that receives the callbacks of this request (`spec.md`, "Events"). */
  callbackUrl: Schema.optionalKey(Url),
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Metadata)
})

/**
 * The body of `POST /api/v1/refunds/card`.
 *
 * @category models
 * @since 0.1.0
 */
export type RefundRequest = typeof RefundRequest.Type

/**
 * Input of the merchant to refund a payment, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type RefundInput = Input<typeof RefundRequest.Encoded, "transactionId"> & {
  readonly transactionId: string
}

/**
 * Schema for the response to `POST /api/v1/refunds/card`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RefundResponse = openStruct("RefundResponse", {
  /** Identifier of the refund, assigned by the service. */
  refundId: TransactionId,
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
 * The response to the creation of a refund.
 *
 * @category models
 * @since 0.1.0
 */
export type RefundResponse = typeof RefundResponse.Type

/**
 * Schema for the response to `GET /api/v1/refunds/card/info/{id}`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RefundInfo = openStruct("RefundInfo", {
  /** Identifier assigned by the service, read as text (`spec.md`, "Conventions"). */
  transactionId: TransactionId,
  /** Identifier of the refund, assigned by the service. */
  refundId: TransactionId,
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: nullableText,
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  mid: nullableText,
  /** Status of the transaction; an unknown one is kept (`spec.md`, "Transaction statuses"). */
  transactionStatus: OpenStatus,
  /** Numeric reason of a decline, only with FAILED (`spec.md`, "Conventions"). */
  declineCode: DeclineCode,
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
 * The details of a refund.
 *
 * @category models
 * @since 0.1.0
 */
export type RefundInfo = typeof RefundInfo.Type
