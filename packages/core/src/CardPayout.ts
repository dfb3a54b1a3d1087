/**
 * A credit push to a card (`spec.md`, "Card payouts").
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
  requestId: RequestId,
  mid: Schema.String,
  amount: Amount,
  card: PayoutCardDetails,
  billingDetails: Schema.optionalKey(PayoutBillingDetails),
  callbackUrl: Schema.optionalKey(Url),
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
 * What a merchant says to pay out to a card, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPayoutInput = Input<typeof CardPayoutRequest.Encoded>

/**
 * Schema for the answer to `POST /api/v1/payouts/card`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPayoutResponse = openStruct("CardPayoutResponse", {
  transactionId: TransactionId,
  transactionStatus: OpenStatus,
  declineCode: DeclineCode,
  paymentType: nullableText,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The service's answer about a card payout just created.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPayoutResponse = typeof CardPayoutResponse.Type

/**
 * Schema for the answer to `GET /api/v1/payouts/card/info/{id}`.
 *
 * **Details**
 *
 * `cardMask` shows the first 6 and last 4 digits. `totalAmount` travels as a JSON number and is read
 * as decimal text. `createdAt` is ISO 8601.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPayoutInfo = openStruct("CardPayoutInfo", {
  transactionId: TransactionId,
  requestId: RequestId,
  mid: Schema.String,
  transactionStatus: OpenStatus,
  declineCode: DeclineCode,
  cardMask: nullableText,
  cardHolder: nullableText,
  totalAmount: AmountFromNumber,
  callbackUrl: nullableText,
  createdAt: nullableText,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * All the service knows of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export type CardPayoutInfo = typeof CardPayoutInfo.Type
