/**
 * The parts of an APM payment or payout that depend on its method (`spec.md`, "apmPayload and
 * apmResponseData").
 *
 * **Details**
 *
 * The specification shows no structure for each method. Its named fields are typed; all others are kept.
 *
 * @since 0.1.0
 */
import {
  type Open,
  openStructOf,
  optionalText,
  nullableText,
  type UnknownFields
} from "./internal/OpenStruct.ts"

/**
 * The input of a payment method. It takes any further field.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPayloadInput {
  /** Type of the payment; its values are not documented (`spec.md`, "apmPayload and apmResponseData"). */
  readonly paymentType?: string
  /**
   * Name of the payment method; its values are not documented (`spec.md`, "apmPayload and
   * apmResponseData").
   */
  readonly paymentMethod?: string
  readonly [field: string]: unknown
}

/**
 * The input of a payment method, as the service returns it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPayload extends UnknownFields {
  /** Type of the payment; its values are not documented (`spec.md`, "apmPayload and apmResponseData"). */
  readonly paymentType?: string
  /**
   * Name of the payment method; its values are not documented (`spec.md`, "apmPayload and
   * apmResponseData").
   */
  readonly paymentMethod?: string
}

/**
 * Schema for the input of a payment method.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayload = openStructOf<ApmPayload>("ApmPayload", {
  paymentType: optionalText,
  paymentMethod: optionalText
})

/**
 * The response data of a payment method. `NextAction.of` reads the customer's next step from it
 * (`spec.md`, "apmPayload and apmResponseData").
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmResponseData extends UnknownFields {
  /**
   * Identifier of the transaction at the provider of the method (`spec.md`, "apmPayload and
   * apmResponseData").
   */
  readonly providerTransactionId?: string | null
  /** URL of a page to embed in an iframe (`spec.md`, "apmPayload and apmResponseData"). */
  readonly iframeUrl?: string | null
  /**
   * Next step of the customer; REDIRECTION is the only documented value (`spec.md`, "apmPayload and
   * apmResponseData").
   */
  readonly actionType?: Open<"REDIRECTION"> | null
  /** Content of the QR code to show (`spec.md`, "apmPayload and apmResponseData"). */
  readonly qrData?: string | null
  /** Link that opens the payment app on the same device (`spec.md`, "apmPayload and apmResponseData"). */
  readonly qrDeepLink?: string | null
  /** URL of a full page to redirect the customer to (`spec.md`, "apmPayload and apmResponseData"). */
  readonly redirectUrl?: string | null
  /** Type of the payment; its values are not documented (`spec.md`, "apmPayload and apmResponseData"). */
  readonly paymentType?: string | null
  /**
   * Name of the payment method; its values are not documented (`spec.md`, "apmPayload and
   * apmResponseData").
   */
  readonly paymentMethod?: string | null
}

/**
 * Schema for the response data of a payment method.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmResponseData = openStructOf<ApmResponseData>("ApmResponseData", {
  providerTransactionId: nullableText,
  iframeUrl: nullableText,
  actionType: nullableText,
  qrData: nullableText,
  qrDeepLink: nullableText,
  redirectUrl: nullableText,
  paymentType: nullableText,
  paymentMethod: nullableText
})
