/**
 * Payouts to a card, also called credit pushes (`spec.md`, "Card payouts").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { PayoutBillingDetailsInput } from "./Billing.ts"
import { AmountFromNumber } from "./internal/JsonNumber.ts"
import { nullableText, openStructOf } from "./internal/OpenStruct.ts"
import {
  type CardAccount,
  type CardDetails,
  created,
  type Created,
  type CreateInput,
  details,
  type Identified,
  type OptionalCallbackUrl
} from "./internal/SharedFields.ts"
import { TransactionId } from "./Transaction.ts"

/**
 * Input of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface CardPayoutInput extends CreateInput, CardAccount, OptionalCallbackUrl {
  /** Decimal text in major units, with at most two decimals: `"10.50"` (`spec.md`, "Conventions"). */
  readonly amount: string
  /** Card that receives the money (`spec.md`, "PayoutCardDetails"). */
  readonly card: PayoutCardInput
  /** Person who receives the money (`spec.md`, "Billing details variants"). */
  readonly billingDetails?: PayoutBillingDetailsInput
}

/**
 * The card of a payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface PayoutCardInput {
  /** Card number: 12 to 19 digits without spaces or dashes; never printed (`spec.md`, "PayoutCardDetails"). */
  readonly number: string
  /** Security code of 3 or 4 digits; never printed (`spec.md`, "PayoutCardDetails"). */
  readonly cvv?: string
  /** Month of expiry, MM: `"04"` (`spec.md`, "PayoutCardDetails"). */
  readonly expMonth: string
  /** Year of expiry, YYYY: `"2030"` (`spec.md`, "PayoutCardDetails"). */
  readonly expYear: string
  /** Name as printed on the card (`spec.md`, "PayoutCardDetails"). */
  readonly cardHolderName?: string
}

/**
 * The response to the creation of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface CardPayoutResponse extends Identified, Created {}

/**
 * Schema for the response to `POST /api/v1/payouts/card`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPayoutResponse = openStructOf<CardPayoutResponse>("CardPayoutResponse", {
  transactionId: TransactionId,
  ...created
})

/**
 * All fields of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface CardPayoutInfo extends CardDetails {
  /** Card number with the first 6 and the last 4 digits visible (`spec.md`, "Card payouts"). */
  readonly cardMask?: string | null
  /** Name of the card holder (`spec.md`, "Card payouts"). */
  readonly cardHolder?: string | null
}

/**
 * Schema for the response to `GET /api/v1/payouts/card/info/{id}`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPayoutInfo = openStructOf<CardPayoutInfo>("CardPayoutInfo", {
  transactionId: TransactionId,
  mid: nullableText,
  cardMask: nullableText,
  cardHolder: nullableText,
  totalAmount: Schema.optionalKey(Schema.NullOr(AmountFromNumber)),
  ...details
})
