/**
 * Billing details, in four variants (`spec.md`, "Billing details variants").
 *
 * **Gotchas**
 *
 * The frictionless flow of 3-D Secure 2 needs firstName, lastName, address1, city, phone and dateOfBirth.
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"
import type { UnknownFields } from "./internal/OpenStruct.ts"

interface Person {
  /** Identifier of the customer at the merchant. */
  readonly externalUserId?: string
  /** First name; needed for frictionless 3-D Secure 2. */
  readonly firstName?: string
  /** Last name; needed for frictionless 3-D Secure 2. */
  readonly lastName?: string
  /** First line of the street address; needed for frictionless 3-D Secure 2. */
  readonly address1?: string
  /** City; needed for frictionless 3-D Secure 2. */
  readonly city?: string
  /** State or province. */
  readonly state?: string
  /** Two capital letters of ISO 3166-1 alpha-2. */
  readonly country?: string
  /** ZIP or postal code. */
  readonly postalCode?: string
  /** Phone number with the country code; needed for frictionless 3-D Secure 2. */
  readonly phone?: string
  /** YYYY-MM-DD; needed for frictionless 3-D Secure 2. */
  readonly dateOfBirth?: string
}

interface OptionalEmail {
  /** E-mail address of the customer. */
  readonly email?: string
}

interface RequiredEmail {
  /** E-mail address of the customer; required. */
  readonly email: string
}

/**
 * Billing details of an APM payment or payout (`spec.md`, "Billing details variants").
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmBillingDetailsInput extends Person, OptionalEmail {
  /** Text without a documented format; never printed. */
  readonly ssn?: string
  /** Text without a documented format; never printed. */
  readonly identityCode?: string
}

/**
 * Billing details of an APM payment or payout, as the service returns them.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmBillingDetails extends Person, OptionalEmail, UnknownFields {
  /** Text without a documented format. */
  readonly ssn?: Redacted.Redacted
  /** Text without a documented format. */
  readonly identityCode?: Redacted.Redacted
}

/**
 * Billing details of a subscription or an intent (`spec.md`, "Billing details variants").
 *
 * @category models
 * @since 0.1.0
 */
export interface BillingDetailsInput extends Person, RequiredEmail {}

/**
 * Billing details of a subscription or an intent, as the service returns them.
 *
 * @category models
 * @since 0.1.0
 */
export interface BillingDetails extends BillingDetailsInput, UnknownFields {}

/**
 * Billing details of a card payout (`spec.md`, "Billing details variants").
 *
 * @category models
 * @since 0.1.0
 */
export interface PayoutBillingDetailsInput extends RequiredEmail {
  /** First name. */
  readonly firstName?: string
  /** Last name. */
  readonly lastName?: string
  /** Street address. */
  readonly address?: string
  /** ZIP or postal code. */
  readonly postalCode?: string
  /** City. */
  readonly city?: string
  /** State or province. */
  readonly state?: string
  /** Country code. */
  readonly countryCode?: string
  /** Phone number. */
  readonly phone?: string
}
