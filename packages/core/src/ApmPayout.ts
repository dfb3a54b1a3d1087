/**
 * Payouts by an alternative method (`spec.md`, "APM payouts").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ApmPayload, ApmResponseData } from "./ApmPayload.ts"
import { type ApmBillingDetails, ApmBillingDetailsDto } from "./Billing.ts"
import * as ApmFields from "./internal/ApmFields.ts"
import { openStruct, openStructOf, optionalText, nullableText } from "./internal/OpenStruct.ts"
import { details, type Details } from "./internal/SharedFields.ts"
import { type Order, OrderDto } from "./Order.ts"
import { IntegerText, TransactionId } from "./Transaction.ts"

/**
 * Input of the merchant to start an APM payout, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPayoutInput extends ApmFields.ApmInput {}

/**
 * Schema for the body of `POST /api/v1/payouts/apm`. The specification does not say
 * whether a payout needs a checksum; `Profile.payoutChecksum` decides whether the client sends one. It is
 * HMAC-SHA256 in lower-case hex (`spec.md`, "Request checksum").
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayoutRequest = openStruct("ApmPayoutRequest", {
  ...ApmFields.request,
  checksum: optionalText
})

/**
 * The body of `POST /api/v1/payouts/apm`.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPayoutRequest = typeof ApmPayoutRequest.Type

/**
 * The response to the creation of an APM payout: the fields of `ApmPaymentResponse`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPayoutResponse extends ApmFields.ApmCreated {}

/**
 * Schema for the response to `POST /api/v1/payouts/apm`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayoutResponse = openStructOf<ApmPayoutResponse>(
  "ApmPayoutResponse",
  ApmFields.response
)

/**
 * The details of an APM payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPayoutInfo extends Details {
  /**
   * Merchant account of APM operations as text with every digit; a JSON integer on the wire (`spec.md`,
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
