/**
 * Billing details, in the four variants of the specification (`spec.md`, "Billing details variants").
 *
 * **Details**
 *
 * The frictionless flow of 3-D Secure 2 needs firstName, lastName, address1, city, phone and dateOfBirth.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { openStruct, optionalText, secretText } from "./internal/OpenStruct.ts"

const person = {
  /** Identifier of the customer at the merchant. */
  externalUserId: optionalText,
  /** First name. */
  firstName: optionalText,
  /** Last name. */
  lastName: optionalText,
  /** First line of the street address. */
  address1: optionalText,
  /** City. */
  city: optionalText,
  /** State or province. */
  state: optionalText,
  /** Country code of ISO 3166-1 alpha-2. */
  country: optionalText,
  /** ZIP or postal code. */
  postalCode: optionalText,
  /** Phone number with the country code. */
  phone: optionalText,
  /** Date of birth, YYYY-MM-DD. */
  dateOfBirth: optionalText
}

/**
 * Schema for the billing details of APM payments and payouts; every field is optional.
 *
 * **Details**
 *
 * `ssn` and `identityCode` are redacted: they are sent to the service and never logged.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmBillingDetails = openStruct("ApmBillingDetails", {
  ...person,
  /** E-mail address. */
  email: optionalText,
  /** Redacted text; its format is not documented. */
  ssn: secretText("ssn"),
  /** Redacted text; its format is not documented. */
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
export const BillingDetails = openStruct("BillingDetails", {
  ...person,
  /** E-mail address. */
  email: Schema.String
})

/**
 * Billing details of a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export type BillingDetails = typeof BillingDetails.Type

/**
 * Schema for the billing details of a payment intent; `email` is required, every other field optional.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaymentIntentBillingDetails = openStruct("PaymentIntentBillingDetails", {
  ...person,
  /** E-mail address. */
  email: Schema.String
})

/**
 * Schema for the billing details of a card payout; `email` is required, every other field optional.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PayoutBillingDetails = openStruct("PayoutBillingDetails", {
  /** First name. */
  firstName: optionalText,
  /** Last name. */
  lastName: optionalText,
  /** Street address. */
  address: optionalText,
  /** ZIP or postal code. */
  postalCode: optionalText,
  /** City. */
  city: optionalText,
  /** State or province. */
  state: optionalText,
  /** Country code. */
  countryCode: optionalText,
  /** Phone number with the country code. */
  phone: optionalText,
  /** E-mail address. */
  email: Schema.String
})

/**
 * Billing details of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export type PayoutBillingDetails = typeof PayoutBillingDetails.Type
