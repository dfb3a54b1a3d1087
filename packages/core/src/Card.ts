/**
 * A card, as a payout names it; its secrets are redacted.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { openStruct, optionalText } from "./internal/OpenStruct.ts"

const digits = (pattern: RegExp, message: string) =>
  Schema.String.check(Schema.isPattern(pattern, { message }))

/**
 * Schema for a full card number: digits without spaces or dashes. Whether its check digit is right is
 * another question; see `hasCheckDigit`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardNumber = Schema.RedactedFromValue(
  digits(/^[0-9]{12,19}$/u, "Expected 12 to 19 digits, without spaces or dashes"),
  { label: "card number" }
)

/**
 * Schema for the token that stands for a card in subscriptions and charges.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardToken = Schema.RedactedFromValue(Schema.NonEmptyString, { label: "cardToken" })

/**
 * Schema for the card of a payout (`spec.md`, "PayoutCardDetails").
 *
 * **Details**
 *
 * `expMonth` is MM, `expYear` is YYYY, `cvv` has three or four digits.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PayoutCardDetails = openStruct("PayoutCardDetails", {
  expMonth: digits(/^(?:0[1-9]|1[0-2])$/u, 'Expected a month as MM, such as "04"'),
  expYear: digits(/^[0-9]{4}$/u, 'Expected a year as YYYY, such as "2030"'),
  number: CardNumber,
  cvv: Schema.optionalKey(
    Schema.RedactedFromValue(digits(/^[0-9]{3,4}$/u, "Expected 3 or 4 digits"), { label: "cvv" })
  ),
  cardHolderName: optionalText
})

/**
 * The card of a payout.
 *
 * @category models
 * @since 0.1.0
 */
export type PayoutCardDetails = typeof PayoutCardDetails.Type

/**
 * Tells whether a card number ends in the right check digit (Luhn), which finds a mistyped digit.
 *
 * **Example** (A typing slip)
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
 * Masks a card number the way the service does: the first 6 and last 4 digits stay.
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
