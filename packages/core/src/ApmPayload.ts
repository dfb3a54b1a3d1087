/**
 * The parts of an APM payment or payout that depend on its method.
 *
 * **Details**
 *
 * The specification does not show the structure for each method. The fields that it names are typed; all other
 * fields are kept (`spec.md`, "apmPayload and apmResponseData").
 *
 * @since 0.1.0
 */
import { openStruct, optionalText, nullableText } from "./internal/OpenStruct.ts"

/**
 * Schema for the input of a payment method.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayload = openStruct("ApmPayload", {
  /** Type of the payment; its values are not documented. */
  paymentType: optionalText,
  /** Name of the payment method. */
  paymentMethod: optionalText
})

/**
 * The input of a payment method.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPayload = typeof ApmPayload.Type

/**
 * Schema for the response data of a payment method: pages, QR codes and identifiers.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmResponseData = openStruct("ApmResponseData", {
  /** Identifier of the transaction at the provider of the method. */
  providerTransactionId: nullableText,
  /** Page to embed in an iframe. */
  iframeUrl: nullableText,
  /** Next step of the customer; REDIRECTION is the only documented value. */
  actionType: nullableText,
  /** Content of the QR code to show. */
  qrData: nullableText,
  /** Link that opens the payment app on the same device. */
  qrDeepLink: nullableText,
  /** Full page to redirect the customer to. */
  redirectUrl: nullableText,
  /** Type of the payment; its values are not documented. */
  paymentType: nullableText,
  /** Name of the payment method. */
  paymentMethod: nullableText
})

/**
 * The response data of a payment method.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmResponseData = typeof ApmResponseData.Type
