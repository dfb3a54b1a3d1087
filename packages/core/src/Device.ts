/**
 * The customer's device.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const text = Schema.optionalKey(Schema.String)

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
export const Device = Schema.Struct({
  deviceId: text,
  fingerprintData: text,
  ip: text,
  accept: text,
  acceptLanguage: text,
  acceptHeader: text,
  userAgent: text,
  javaEnabled: Schema.optionalKey(Schema.Boolean),
  javaScriptEnabled: Schema.optionalKey(Schema.Boolean),
  deviceLanguage: text,
  colorDepth: text,
  screenHeight: text,
  screenWidth: text,
  deviceTimezone: text
})

/**
 * The customer's device.
 *
 * @category models
 * @since 0.1.0
 */
export type Device = typeof Device.Type
