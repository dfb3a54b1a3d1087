/**
 * Card tokens and card numbers, both redacted.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/**
 * Schema for a card token, which subscriptions and charges use instead of a card.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardToken = Schema.RedactedFromValue(Schema.NonEmptyString, { label: "cardToken" })

/**
 * Tells whether a card number has the right check digit (Luhn), which detects every single mistyped digit.
 *
 * **Example** (A mistyped digit)
 *
 * ```ts
 * import { hasCheckDigit } from "@pawl/core/Card"
 * import * as Redacted from "effect/Redacted"
 *
 * hasCheckDigit(Redacted.make("4242424242424242")) // => true
 * hasCheckDigit(Redacted.make("4242424242424243")) // => false
 * ```
 *
 * @category guards
 * @since 0.1.0
 */
export const hasCheckDigit = (number: Redacted.Redacted): boolean => {
  const sum = Array.from(Redacted.value(number))
    .toReversed()
    .reduce((total, character, index) => {
      const digit = Number(character) * (index % 2 === 0 ? 1 : 2)
      return total + (digit > 9 ? digit - 9 : digit)
    }, 0)
  return sum % 10 === 0
}

/**
 * Masks a card number as the service does: the first 6 and the last 4 digits stay visible.
 *
 * **Example** (A mask)
 *
 * ```ts
 * import { mask } from "@pawl/core/Card"
 * import * as Redacted from "effect/Redacted"
 *
 * mask(Redacted.make("4242424242424242")) // => "424242******4242"
 * ```
 *
 * @category getters
 * @since 0.1.0
 */
export const mask = (number: Redacted.Redacted): string => {
  const digits = Redacted.value(number)
  return digits.slice(0, 6) + "*".repeat(Math.max(digits.length - 10, 0)) + digits.slice(-4)
}
