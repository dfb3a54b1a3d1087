/**
 * The customer's device.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { openStruct, optionalText } from "./internal/OpenStruct.ts"

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
export const Device = openStruct("Device", {
  deviceId: optionalText,
  fingerprintData: optionalText,
  ip: optionalText,
  accept: optionalText,
  acceptLanguage: optionalText,
  acceptHeader: optionalText,
  userAgent: optionalText,
  javaEnabled: Schema.optionalKey(Schema.Boolean),
  javaScriptEnabled: Schema.optionalKey(Schema.Boolean),
  deviceLanguage: optionalText,
  colorDepth: optionalText,
  screenHeight: optionalText,
  screenWidth: optionalText,
  deviceTimezone: optionalText
})

/**
 * The customer's device.
 *
 * @category models
 * @since 0.1.0
 */
export type Device = typeof Device.Type
