/**
 * The formats of identifiers, amounts and currencies as regular expressions. This module imports nothing and
 * runs in any JavaScript runtime.
 *
 * @since 0.1.0
 */

/**
 * The pattern of an identifier that the service assigned: 1 to 64 letters, digits, `_` or `-`.
 *
 * @category constants
 * @since 0.1.0
 */
export const identifier = /^[A-Za-z0-9_-]{1,64}$/u

/**
 * The pattern of an amount: up to 18 digits without a leading zero, and at most two decimals (`spec.md`,
 * "Conventions").
 *
 * @category constants
 * @since 0.1.0
 */
export const amount = /^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,2})?$/u

/**
 * The pattern of a currency code: three capital letters (ISO 4217).
 *
 * @category constants
 * @since 0.1.0
 */
export const currency = /^[A-Z]{3}$/u
