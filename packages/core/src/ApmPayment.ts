/**
 * A payment by an alternative method: e-wallet, bank transfer, QR code and the like
 * (`spec.md`, "APM payments").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as ApmFields from "./internal/ApmFields.ts"
import { type Input, openStruct } from "./internal/OpenStruct.ts"

/**
 * Schema for the body of `POST /api/v1/payments/apm`. `checksum` is lower-case hex.
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
 * What a merchant says to start an APM payment, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPaymentInput = Input<typeof ApmPaymentRequest.Encoded, "checksum">

/**
 * Schema for the answer to `POST /api/v1/payments/apm`.
 *
 * **Details**
 *
 * `declineCode` is present only when `transactionStatus` is FAILED. The format of `createdTime` is
 * not documented; it is kept as text. Fields the spec does not name are kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPaymentResponse = openStruct("ApmPaymentResponse", ApmFields.response)

/**
 * The service's answer about an APM payment just created.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPaymentResponse = typeof ApmPaymentResponse.Type
