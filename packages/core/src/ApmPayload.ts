/**
 * The parts of an APM payment or payout that depend on its method.
 *
 * **Details**
 *
 * The structure per method is not documented; the fields the spec names are typed, the rest is kept
 * (`spec.md`, "apmPayload and apmResponseData").
 *
 * @since 0.1.0
 */
import { openStruct, optionalText, nullableText } from "./internal/OpenStruct.ts"

/**
 * Schema for what a method needs to start.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayload = openStruct("ApmPayload", {
  paymentType: optionalText,
  paymentMethod: optionalText
})

/**
 * What a method needs to start.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPayload = typeof ApmPayload.Type

/**
 * Schema for what a method answers: where to send the customer, what to show.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmResponseData = openStruct("ApmResponseData", {
  providerTransactionId: nullableText,
  iframeUrl: nullableText,
  actionType: nullableText,
  qrData: nullableText,
  qrDeepLink: nullableText,
  redirectUrl: nullableText,
  paymentType: nullableText,
  paymentMethod: nullableText
})

/**
 * What a method answers.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmResponseData = typeof ApmResponseData.Type
