/**
 * Who is billed.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const text = Schema.optionalKey(Schema.String)
const secret = (label: string) =>
  Schema.optionalKey(Schema.RedactedFromValue(Schema.String, { label }))

/**
 * Schema for the billing details of APM payments and payouts; every field is optional
 * (`spec.md`, "Billing details variants").
 *
 * **Details**
 *
 * `country` is ISO 3166-1 alpha-2, `dateOfBirth` is YYYY-MM-DD, `phone` includes the country code.
 * firstName, lastName, address1, city, phone and dateOfBirth are needed for the frictionless flow of
 * 3-D Secure 2. `ssn` and `identityCode` are redacted: they reach the service and no log.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmBillingDetails = Schema.Struct({
  externalUserId: text,
  firstName: text,
  lastName: text,
  address1: text,
  city: text,
  state: text,
  country: text,
  postalCode: text,
  phone: text,
  email: text,
  dateOfBirth: text,
  ssn: secret("ssn"),
  identityCode: secret("identityCode")
})

/**
 * Billing details of an APM payment or payout.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmBillingDetails = typeof ApmBillingDetails.Type
