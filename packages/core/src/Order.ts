/**
 * The order of a payment, and the device of the customer.
 *
 * @since 0.1.0
 */
import type { UnknownFields } from "./internal/OpenStruct.ts"

/**
 * The order of a request.
 *
 * @category models
 * @since 0.1.0
 */
export interface OrderInput {
  /** Date of the order, ISO 8601 (`spec.md`, "Order"). */
  readonly date?: string
  /** Identifier at the merchant, for reconciliation (`spec.md`, "Order"). */
  readonly orderId?: string
  /** Title or description of the order (`spec.md`, "Order"). */
  readonly title?: string
  /** Site or platform where the order was placed (`spec.md`, "Order"). */
  readonly siteId?: string
  /** Name of the customer on the order (`spec.md`, "Order"). */
  readonly name?: string
  /** Domain where the order was placed (`spec.md`, "Order"). */
  readonly domainName?: string
}

/**
 * The order of a request, as the service returns it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Order extends OrderInput, UnknownFields {}

/**
 * The device of the customer.
 *
 * @category models
 * @since 0.1.0
 */
export interface DeviceInput {
  /** Identifier that the merchant generated (`spec.md`, "Device"). */
  readonly deviceId?: string
  /** Hash of the device fingerprint (`spec.md`, "Device"). */
  readonly fingerprintData?: string
  /** IP address, for geolocation and risk scoring (`spec.md`, "Device"). */
  readonly ip?: string
  /** Accept header of the browser; needed for 3-D Secure (`spec.md`, "Device"). */
  readonly accept?: string
  /** Accept-Language header; needed for 3-D Secure (`spec.md`, "Device"). */
  readonly acceptLanguage?: string
  /** Accept header; needed for 3-D Secure if `accept` is absent (`spec.md`, "Device"). */
  readonly acceptHeader?: string
  /** User-Agent header (`spec.md`, "Device"). */
  readonly userAgent?: string
  /** Whether Java is enabled; needed for 3-D Secure (`spec.md`, "Device"). */
  readonly javaEnabled?: boolean
  /** Whether JavaScript is enabled; needed for 3-D Secure (`spec.md`, "Device"). */
  readonly javaScriptEnabled?: boolean
  /** Language code; needed for 3-D Secure (`spec.md`, "Device"). */
  readonly deviceLanguage?: string
  /** Bits per pixel, as text; needed for 3-D Secure (`spec.md`, "Device"). */
  readonly colorDepth?: string
  /** Height in pixels, as text; needed for 3-D Secure (`spec.md`, "Device"). */
  readonly screenHeight?: string
  /** Width in pixels, as text; needed for 3-D Secure (`spec.md`, "Device"). */
  readonly screenWidth?: string
  /** Offset or name of the time zone; needed for 3-D Secure (`spec.md`, "Device"). */
  readonly deviceTimezone?: string
}
