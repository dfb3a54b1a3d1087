/**
 * Cards and card tokens. Card number, security code and token are redacted.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { openStruct, optionalText } from "./internal/OpenStruct.ts"

const digits = (pattern: RegExp, message: string) =>
  Schema.String.check(Schema.isPattern(pattern, { message }))

/**
 * Schema for a full card number: 12 to 19 digits without spaces or dashes. It does not test the check
 * digit; see `hasCheckDigit`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardNumber = Schema.RedactedFromValue(
  digits(/^[0-9]{12,19}$/u, "Expected 12 to 19 digits, without spaces or dashes"),
  { label: "card number" }
)

/**
 * Schema for a card token, which subscriptions and charges use instead of a card.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardToken = Schema.RedactedFromValue(Schema.NonEmptyString, { label: "cardToken" })

/**
 * Schema for the card of a payout (`spec.md`, "PayoutCardDetails").
 *
 * @category schemas
 * @since 0.1.0
 */
export const PayoutCardDetails = openStruct("PayoutCardDetails", {
  /** Month of expiry, MM. */
  expMonth: digits(/^(?:0[1-9]|1[0-2])$/u, 'Expected a month as MM, such as "04"'),
  /** Year of expiry, YYYY. */
  expYear: digits(/^[0-9]{4}$/u, 'Expected a year as YYYY, such as "2030"'),
  /** Card number: 12 to 19 digits without spaces or dashes; redacted. */
  number: CardNumber,
  /** Security code of 3 or 4 digits; redacted. */
  cvv: Schema.optionalKey(
    Schema.RedactedFromValue(digits(/^[0-9]{3,4}$/u, "Expected 3 or 4 digits"), { label: "cvv" })
  ),
  /** Name as printed on the card. */
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
 * Tells whether a card number has the right check digit by the Luhn algorithm. It detects every single
 * mistyped digit.
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
