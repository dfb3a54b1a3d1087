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
import { open, optional, text } from "./internal/Open.ts"

/**
 * Schema for what a method needs to start.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayload = open("ApmPayload", { paymentType: optional, paymentMethod: optional })

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
export const ApmResponseData = open("ApmResponseData", {
  providerTransactionId: text,
  iframeUrl: text,
  actionType: text,
  qrData: text,
  qrDeepLink: text,
  redirectUrl: text,
  paymentType: text,
  paymentMethod: text
})

/**
 * What a method answers.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmResponseData = typeof ApmResponseData.Type
