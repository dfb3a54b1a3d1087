/**
 * Payments by an alternative method (APM), such as an e-wallet, a bank transfer or a QR code (`spec.md`,
 * "APM payments").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as ApmFields from "./internal/ApmFields.ts"
import { openStruct, openStructOf } from "./internal/OpenStruct.ts"

/**
 * Input of the merchant to start an APM payment, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPaymentInput extends ApmFields.ApmInput {}

/**
 * Schema for the body of `POST /api/v1/payments/apm`. `checksum` is HMAC-SHA256 in lower-case hex (`spec.md`,
 * "Request checksum").
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPaymentRequest = openStruct("ApmPaymentRequest", {
  ...ApmFields.request,
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
 * The response to the creation of an APM payment. Fields that the specification does not name are in
 * `unknownFields`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPaymentResponse extends ApmFields.ApmCreated {}

/**
 * Schema for the response to `POST /api/v1/payments/apm`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPaymentResponse = openStructOf<ApmPaymentResponse>(
  "ApmPaymentResponse",
  ApmFields.response
)
