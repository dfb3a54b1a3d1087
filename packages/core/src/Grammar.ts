/**
 * How the words of the service are spelled, as plain patterns: no imports, any runtime.
 *
 * @since 0.1.0
 */

/**
 * An identifier that the service assigned.
 *
 * @category constants
 * @since 0.1.0
 */
export const identifier = /^[A-Za-z0-9_-]{1,64}$/u

/**
 * An amount: digits without a leading zero, and at most two decimals.
 *
 * @category constants
 * @since 0.1.0
 */
export const amount = /^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,2})?$/u

/**
 * A currency: the three capital letters of ISO 4217.
 *
 * @category constants
 * @since 0.1.0
 */
export const currency = /^[A-Z]{3}$/u
