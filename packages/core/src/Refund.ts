/**
 * A refund of a card payment, full or partial; APM payments cannot be refunded
 * (`spec.md`, "Refunds").
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
 * `transactionId` is the original payment's. It travels as an integer, whatever its size: written digit
 * by digit, and refused before sending when it is not one. `reason` is free text kept for reporting
 * (customer_request, duplicate, fraudulent).
 *
 * @category schemas
 * @since 0.1.0
 */
export const RefundRequest = openStruct("RefundRequest", {
  requestId: RequestId,
  mid: Schema.String,
  transactionId: IntegerText,
  amount: Amount,
  reason: Schema.String,
  callbackUrl: Schema.optionalKey(Url),
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
 * What a merchant says to refund a payment, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type RefundInput = Input<typeof RefundRequest.Encoded, "transactionId"> & {
  readonly transactionId: string
}

/**
 * Schema for the answer to `POST /api/v1/refunds/card`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RefundResponse = openStruct("RefundResponse", {
  refundId: TransactionId,
  transactionStatus: OpenStatus,
  declineCode: DeclineCode,
  paymentType: nullableText,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The service's answer about a refund just created.
 *
 * @category models
 * @since 0.1.0
 */
export type RefundResponse = typeof RefundResponse.Type

/**
 * Schema for the answer to `GET /api/v1/refunds/card/info/{id}`. `totalAmount` travels as a JSON number
 * and is read as decimal text; `createdAt` is ISO 8601.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RefundInfo = openStruct("RefundInfo", {
  transactionId: TransactionId,
  refundId: TransactionId,
  requestId: RequestId,
  mid: Schema.String,
  transactionStatus: OpenStatus,
  declineCode: DeclineCode,
  totalAmount: AmountFromNumber,
  callbackUrl: nullableText,
  createdAt: nullableText,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * All the service knows of a refund.
 *
 * @category models
 * @since 0.1.0
 */
export type RefundInfo = typeof RefundInfo.Type
