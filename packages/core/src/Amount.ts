/**
 * Money as decimal text in major units, never as a number.
 *
 * **Details**
 *
 * `spec.md`, "Conventions": an amount is a decimal string, and the service rounds what has more than
 * two decimals. Money that changes on the way is not what was ordered, so more than two are refused
 * before sending.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Schema for an amount to be sent: digits without a leading zero, and at most two decimals
 * (`"10"`, `"10.5"`, `"10.50"`).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Amount = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,2})?$/u, {
    message: 'Expected a decimal amount with at most two decimals, such as "10.50"'
  })
).pipe(Schema.brand("Amount"))

/**
 * An amount in major units of its currency, as decimal text.
 *
 * @category models
 * @since 0.1.0
 */
export type Amount = typeof Amount.Type

/**
 * Schema for an amount as the service takes it: with any number of decimals, of which it keeps two.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UnroundedAmount = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?$/u, {
    message: 'Expected a decimal amount, such as "10.50"'
  })
)

/**
 * Schema for a currency: the three capital letters of ISO 4217.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Currency = Schema.String.check(
  Schema.isPattern(/^[A-Z]{3}$/u, {
    message: 'Expected three capital letters of ISO 4217, such as "EUR"'
  })
).pipe(Schema.brand("Currency"))

/**
 * A currency code of ISO 4217.
 *
 * @category models
 * @since 0.1.0
 */
export type Currency = typeof Currency.Type
