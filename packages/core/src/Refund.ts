/**
 * Refunds of card payments, full or partial (`spec.md`, "Refunds"). APM payments cannot be refunded.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { AmountFromNumber } from "./internal/JsonNumber.ts"
import { nullableText, type Open, openStructOf } from "./internal/OpenStruct.ts"
import {
  type CardAccount,
  type CardDetails,
  created,
  type Created,
  type CreateInput,
  details,
  type OptionalCallbackUrl
} from "./internal/SharedFields.ts"
import { TransactionId } from "./Transaction.ts"

/**
 * Input of a refund.
 *
 * @category models
 * @since 0.1.0
 */
export interface RefundInput extends CreateInput, CardAccount, OptionalCallbackUrl {
  /**
   * Identifier of the payment: digits, sent as a JSON integer of any size. The client refuses other text
   * (`spec.md`, "Refunds").
   */
  readonly transactionId: string
  /** Decimal text in major units, with at most two decimals: `"10.50"` (`spec.md`, "Conventions"). */
  readonly amount: string
  /** Free text for reporting; the examples are those of `spec.md`, "Refunds". */
  readonly reason: Open<"customer_request" | "duplicate" | "fraudulent">
}

/**
 * The response to the creation of a refund.
 *
 * @category models
 * @since 0.1.0
 */
export interface RefundResponse extends Created {
  /** Identifier of the refund, for `Refunds.info` and `Refunds.status` (`spec.md`, "Refunds"). */
  readonly refundId: TransactionId
}

/**
 * Schema for the response to `POST /api/v1/refunds/card`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RefundResponse = openStructOf<RefundResponse>("RefundResponse", {
  refundId: TransactionId,
  ...created
})

/**
 * All fields of a refund.
 *
 * @category models
 * @since 0.1.0
 */
export interface RefundInfo extends CardDetails {
  /** Identifier of the refunded payment (`spec.md`, "Refunds"). */
  readonly transactionId: TransactionId
  /** Identifier of the refund (`spec.md`, "Refunds"). */
  readonly refundId: TransactionId
}

/**
 * Schema for the response to `GET /api/v1/refunds/card/info/{id}`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RefundInfo = openStructOf<RefundInfo>("RefundInfo", {
  transactionId: TransactionId,
  refundId: TransactionId,
  mid: nullableText,
  totalAmount: Schema.optionalKey(Schema.NullOr(AmountFromNumber)),
  ...details
})
