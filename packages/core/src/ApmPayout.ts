/**
 * A payout by an alternative method (`spec.md`, "APM payouts").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ApmPayload, ApmResponseData } from "./ApmPayload.ts"
import { ApmBillingDetails } from "./Billing.ts"
import * as ApmFields from "./internal/ApmFields.ts"
import { type Input, openStruct, optionalText, nullableText } from "./internal/OpenStruct.ts"
import { Order } from "./Order.ts"
import {
  DeclineCode,
  IntegerText,
  Metadata,
  OpenStatus,
  RequestId,
  TransactionId
} from "./Transaction.ts"

/**
 * Schema for the body of `POST /api/v1/payouts/apm`. Whether the checksum is required is not
 * documented; `Profile.payoutChecksum` says whether it is sent.
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
 * What a merchant says to start an APM payout, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPayoutInput = Input<typeof ApmPayoutRequest.Encoded, "checksum">

/**
 * Schema for the answer to `POST /api/v1/payouts/apm`: the fields of `ApmPaymentResponse`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayoutResponse = openStruct("ApmPayoutResponse", ApmFields.response)

/**
 * The service's answer about an APM payout just created.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPayoutResponse = typeof ApmPayoutResponse.Type

/**
 * Schema for the answer to `GET /api/v1/payouts/apm/info/{id}`. `accountId` travels as an integer here;
 * `createdAt` is ISO 8601.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayoutInfo = openStruct("ApmPayoutInfo", {
  transactionId: TransactionId,
  requestId: RequestId,
  accountId: IntegerText,
  transactionStatus: OpenStatus,
  declineCode: DeclineCode,
  declineSubReason: nullableText,
  apmRequestPayload: Schema.optionalKey(Schema.NullOr(ApmPayload)),
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  callbackUrl: nullableText,
  billingDetails: Schema.optionalKey(Schema.NullOr(ApmBillingDetails)),
  order: Schema.optionalKey(Schema.NullOr(Order)),
  createdAt: nullableText,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * All the service knows of an APM payout.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPayoutInfo = typeof ApmPayoutInfo.Type
