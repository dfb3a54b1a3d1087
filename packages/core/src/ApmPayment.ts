/**
 * Payments by an alternative method (APM), such as an e-wallet, a bank transfer or a QR code (`spec.md`,
 * "APM payments").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as ApmFields from "./internal/ApmFields.ts"
import { type Input, openStruct } from "./internal/OpenStruct.ts"

/**
 * Schema for the body of `POST /api/v1/payments/apm`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPaymentRequest = openStruct("ApmPaymentRequest", {
  ...ApmFields.request,
  /** HMAC-SHA256 in lower-case hex (`spec.md`, "Request checksum"). */
  checksum: Schema.String
})

/**
 * The body of `POST /api/v1/payments/apm`.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPaymentRequest = typeof ApmPaymentRequest.Type

/**
 * Input of the merchant to start an APM payment, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPaymentInput = Input<typeof ApmPaymentRequest.Encoded, "checksum">

/**
 * Schema for the response to `POST /api/v1/payments/apm`. Fields that the specification does not name are kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPaymentResponse = openStruct("ApmPaymentResponse", ApmFields.response)

/**
 * The response to the creation of an APM payment.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPaymentResponse = typeof ApmPaymentResponse.Type
