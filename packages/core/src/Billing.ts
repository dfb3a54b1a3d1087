/**
 * Who is billed, in the four variants of the spec.
 *
 * **Details**
 *
 * `country` is ISO 3166-1 alpha-2, `dateOfBirth` is YYYY-MM-DD, `phone` includes the country code.
 * firstName, lastName, address1, city, phone and dateOfBirth are needed for the frictionless flow of
 * 3-D Secure 2 (`spec.md`, "Billing details variants").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { openStruct, optionalText, secretText } from "./internal/OpenStruct.ts"

const person = {
  externalUserId: optionalText,
  firstName: optionalText,
  lastName: optionalText,
  address1: optionalText,
  city: optionalText,
  state: optionalText,
  country: optionalText,
  postalCode: optionalText,
  phone: optionalText,
  dateOfBirth: optionalText
}

/**
 * Schema for the billing details of APM payments and payouts; every field is optional.
 *
 * **Details**
 *
 * `ssn` and `identityCode` are redacted: they reach the service and no log.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmBillingDetails = openStruct("ApmBillingDetails", {
  ...person,
  email: optionalText,
  ssn: secretText("ssn"),
  identityCode: secretText("identityCode")
})

/**
 * Billing details of an APM payment or payout.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmBillingDetails = typeof ApmBillingDetails.Type

/**
 * Schema for the billing details of a subscription; `email` is required, every other field optional.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BillingDetails = openStruct("BillingDetails", { ...person, email: Schema.String })

/**
 * Billing details of a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export type BillingDetails = typeof BillingDetails.Type

/**
 * Schema for the billing details of a payment intent: the same fields and rule as `BillingDetails`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaymentIntentBillingDetails = openStruct("PaymentIntentBillingDetails", {
  ...person,
  email: Schema.String
})

/**
 * Schema for the billing details of a card payout; `email` is required, every other field optional.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PayoutBillingDetails = openStruct("PayoutBillingDetails", {
  firstName: optionalText,
  lastName: optionalText,
  address: optionalText,
  postalCode: optionalText,
  city: optionalText,
  state: optionalText,
  countryCode: optionalText,
  phone: optionalText,
  email: Schema.String
})

/**
 * Billing details of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export type PayoutBillingDetails = typeof PayoutBillingDetails.Type
