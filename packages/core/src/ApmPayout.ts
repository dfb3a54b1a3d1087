/**
 * Payouts by an alternative method (`spec.md`, "APM payouts").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ApmPayload, ApmResponseData } from "./ApmPayload.ts"
import type { ApmPaymentInput, ApmPaymentResponse } from "./ApmPayment.ts"
import type { ApmBillingDetails } from "./Billing.ts"
import { IntegerText } from "./internal/JsonNumber.ts"
import { openStructOf, nullableText } from "./internal/OpenStruct.ts"
import {
  ApmBillingDetailsDto,
  apmCreated,
  details,
  type Details,
  OrderDto
} from "./internal/SharedFields.ts"
import type { Order } from "./Order.ts"
import { TransactionId } from "./Transaction.ts"

/**
 * Input of an APM payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPayoutInput extends ApmPaymentInput {}

/**
 * The response to the creation of an APM payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPayoutResponse extends ApmPaymentResponse {}

/**
 * Schema for the response to `POST /api/v1/payouts/apm`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayoutResponse = openStructOf<ApmPayoutResponse>("ApmPayoutResponse", apmCreated)

/**
 * All fields of an APM payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPayoutInfo extends Details {
  /**
   * Merchant account of APM operations, with every digit of the JSON integer on the wire (`spec.md`,
   * "Conventions").
   */
  readonly accountId?: string | null
  /** Second reason of a decline; its values are not documented (`spec.md`, "Conventions"). */
  readonly declineSubReason?: string | null
  /** The `apmPayload` of the request (`spec.md`, "APM payouts"). */
  readonly apmRequestPayload?: ApmPayload | null
  /** Data of the payment method (`spec.md`, "apmPayload and apmResponseData"). */
  readonly apmResponseData?: ApmResponseData | null
  /** Customer of the request; secrets are redacted (`spec.md`, "Billing details variants"). */
  readonly billingDetails?: ApmBillingDetails | null
  /** Order of the request (`spec.md`, "Order"). */
  readonly order?: Order | null
}

/**
 * Schema for the response to `GET /api/v1/payouts/apm/info/{id}`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayoutInfo = openStructOf<ApmPayoutInfo>("ApmPayoutInfo", {
  transactionId: TransactionId,
  accountId: Schema.optionalKey(Schema.NullOr(IntegerText)),
  declineSubReason: nullableText,
  apmRequestPayload: Schema.optionalKey(Schema.NullOr(ApmPayload)),
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  billingDetails: Schema.optionalKey(Schema.NullOr(ApmBillingDetailsDto)),
  order: Schema.optionalKey(Schema.NullOr(OrderDto)),
  ...details
})
