/**
 * Payouts by an alternative method (`spec.md`, "APM payouts").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ApmPayload, ApmResponseData } from "./ApmPayload.ts"
import { ApmBillingDetails } from "./Billing.ts"
import * as ApmFields from "./internal/ApmFields.ts"
import { type Input, openStruct, optionalText, nullableText } from "./internal/OpenStruct.ts"
import { Order } from "./Order.ts"
import { DeclineCode, IntegerText, Metadata, OpenStatus, TransactionId } from "./Transaction.ts"

/**
 * Schema for the body of `POST /api/v1/payouts/apm`. The specification does not say
 * whether a payout needs a checksum; `Profile.payoutChecksum` decides whether the client sends one.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayoutRequest = openStruct("ApmPayoutRequest", {
  ...ApmFields.request,
  /** HMAC-SHA256 in lower-case hex (`spec.md`, "Request checksum"). */
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
 * Input of the merchant to start an APM payout, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPayoutInput = Input<typeof ApmPayoutRequest.Encoded, "checksum">

/**
 * Schema for the response to `POST /api/v1/payouts/apm`: the fields of `ApmPaymentResponse`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayoutResponse = openStruct("ApmPayoutResponse", ApmFields.response)

/**
 * The response to the creation of an APM payout.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPayoutResponse = typeof ApmPayoutResponse.Type

/**
 * Schema for the response to `GET /api/v1/payouts/apm/info/{id}`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayoutInfo = openStruct("ApmPayoutInfo", {
  /** Identifier assigned by the service, read as text (`spec.md`, "Conventions"). */
  transactionId: TransactionId,
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: nullableText,
  /** Merchant account: a JSON integer on the wire, read as text. */
  accountId: Schema.optionalKey(Schema.NullOr(IntegerText)),
  /** Status of the transaction; an unknown one is kept (`spec.md`, "Transaction statuses"). */
  transactionStatus: OpenStatus,
  /** Numeric reason of a decline, only with FAILED (`spec.md`, "Conventions"). */
  declineCode: DeclineCode,
  /** Second reason of a decline; its values are not documented (`spec.md`, "Conventions"). */
  declineSubReason: nullableText,
  /** The `apmPayload` of the request. */
  apmRequestPayload: Schema.optionalKey(Schema.NullOr(ApmPayload)),
  /** Data of the payment method (`spec.md`, "apmPayload and apmResponseData"). */
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  /** Absolute http(s) URL that receives the callbacks of this request (`spec.md`, "Events"). */
  callbackUrl: nullableText,
  /** Person who is billed (`spec.md`, "Billing details variants"). */
  billingDetails: Schema.optionalKey(Schema.NullOr(ApmBillingDetails)),
  /** Order of the merchant (`spec.md`, "Order"). */
  order: Schema.optionalKey(Schema.NullOr(Order)),
  /** Time of creation, ISO 8601 (`spec.md`, "Conventions"). */
  createdAt: nullableText,
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The details of an APM payout.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPayoutInfo = typeof ApmPayoutInfo.Type
