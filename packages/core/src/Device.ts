/**
 * The customer's device.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { open, optional } from "./internal/Open.ts"

/**
 * Schema for the customer's device; every field is optional (`spec.md`, "Device").
 *
 * **Details**
 *
 * The browser fields are needed for 3-D Secure; `acceptHeader` stands in where `accept` is absent.
 * `screenHeight` and `screenWidth` are pixels and `colorDepth` is bits, all three as text.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Device = open("Device", {
  deviceId: optional,
  fingerprintData: optional,
  ip: optional,
  accept: optional,
  acceptLanguage: optional,
  acceptHeader: optional,
  userAgent: optional,
  javaEnabled: Schema.optionalKey(Schema.Boolean),
  javaScriptEnabled: Schema.optionalKey(Schema.Boolean),
  deviceLanguage: optional,
  colorDepth: optional,
  screenHeight: optional,
  screenWidth: optional,
  deviceTimezone: optional
})

/**
 * The customer's device.
 *
 * @category models
 * @since 0.1.0
 */
export type Device = typeof Device.Type
