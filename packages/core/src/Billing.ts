/**
 * Billing details, in four variants.
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
  /** Identifier of the customer at the merchant (`spec.md`, "Billing details variants"). */
  readonly externalUserId?: string
  /** First name; needed for frictionless 3-D Secure 2 (`spec.md`, "Billing details variants"). */
  readonly firstName?: string
  /** Last name; needed for frictionless 3-D Secure 2 (`spec.md`, "Billing details variants"). */
  readonly lastName?: string
  /**
   * First line of the street address; needed for frictionless 3-D Secure 2 (`spec.md`, "Billing details
   * variants").
   */
  readonly address1?: string
  /** City; needed for frictionless 3-D Secure 2 (`spec.md`, "Billing details variants"). */
  readonly city?: string
  /** State or province (`spec.md`, "Billing details variants"). */
  readonly state?: string
  /** Two capital letters of ISO 3166-1 alpha-2 (`spec.md`, "Billing details variants"). */
  readonly country?: string
  /** ZIP or postal code (`spec.md`, "Billing details variants"). */
  readonly postalCode?: string
  /**
   * Phone number with the country code; needed for frictionless 3-D Secure 2 (`spec.md`, "Billing details
   * variants").
   */
  readonly phone?: string
  /** YYYY-MM-DD; needed for frictionless 3-D Secure 2 (`spec.md`, "Billing details variants"). */
  readonly dateOfBirth?: string
}

interface OptionalEmail {
  /** E-mail address of the customer (`spec.md`, "Billing details variants"). */
  readonly email?: string
}

interface RequiredEmail {
  /** E-mail address of the customer; required (`spec.md`, "Billing details variants"). */
  readonly email: string
}

/**
 * Billing details of an APM payment or payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmBillingDetailsInput extends Person, OptionalEmail {
  /** Text without a documented format; never printed (`spec.md`, "Billing details variants"). */
  readonly ssn?: string
  /** Text without a documented format; never printed (`spec.md`, "Billing details variants"). */
  readonly identityCode?: string
}

/**
 * Billing details of an APM payment or payout, as the service returns them.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmBillingDetails extends Person, OptionalEmail, UnknownFields {
  /** Text without a documented format (`spec.md`, "Billing details variants"). */
  readonly ssn?: Redacted.Redacted
  /** Text without a documented format (`spec.md`, "Billing details variants"). */
  readonly identityCode?: Redacted.Redacted
}

/**
 * Billing details of a subscription or an intent.
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
 * Billing details of a card payout.
 *
 * @category models
 * @since 0.1.0
 */
export interface PayoutBillingDetailsInput extends RequiredEmail {
  /** First name (`spec.md`, "Billing details variants"). */
  readonly firstName?: string
  /** Last name (`spec.md`, "Billing details variants"). */
  readonly lastName?: string
  /** Street address (`spec.md`, "Billing details variants"). */
  readonly address?: string
  /** ZIP or postal code (`spec.md`, "Billing details variants"). */
  readonly postalCode?: string
  /** City (`spec.md`, "Billing details variants"). */
  readonly city?: string
  /** State or province (`spec.md`, "Billing details variants"). */
  readonly state?: string
  /** Country code (`spec.md`, "Billing details variants"). */
  readonly countryCode?: string
  /** Phone number (`spec.md`, "Billing details variants"). */
  readonly phone?: string
}
