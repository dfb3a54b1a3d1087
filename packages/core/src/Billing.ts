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
import { open, optional, secret } from "./internal/Open.ts"

const person = {
  externalUserId: optional,
  firstName: optional,
  lastName: optional,
  address1: optional,
  city: optional,
  state: optional,
  country: optional,
  postalCode: optional,
  phone: optional,
  dateOfBirth: optional
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
export const ApmBillingDetails = open("ApmBillingDetails", {
  ...person,
  email: optional,
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

/**
 * Schema for the billing details of a subscription; `email` is required, every other field optional.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BillingDetails = open("BillingDetails", { ...person, email: Schema.String })

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
export const PaymentIntentBillingDetails = open("PaymentIntentBillingDetails", {
  ...person,
  email: Schema.String
})

/**
 * Schema for the billing details of a card payout; `email` is required, every other field optional.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PayoutBillingDetails = open("PayoutBillingDetails", {
  firstName: optional,
  lastName: optional,
  address: optional,
  postalCode: optional,
  city: optional,
  state: optional,
  countryCode: optional,
  phone: optional,
  email: Schema.String
})

/**
 * Billing details of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export type PayoutBillingDetails = typeof PayoutBillingDetails.Type
