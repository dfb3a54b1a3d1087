/**
 * Cards and card tokens. Card number, security code and token are redacted.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { openStructOf, optionalText, type UnknownFields } from "./internal/OpenStruct.ts"

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

interface PlainCard {
  /** Month of expiry, two digits MM: `"04"` (`spec.md`, "PayoutCardDetails"). */
  readonly expMonth: string
  /** Year of expiry, four digits YYYY: `"2030"` (`spec.md`, "PayoutCardDetails"). */
  readonly expYear: string
  /** Name as printed on the card (`spec.md`, "PayoutCardDetails"). */
  readonly cardHolderName?: string
}

/**
 * The card of a payout in a request, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export interface PayoutCardInput extends PlainCard {
  /**
   * Card number: 12 to 19 digits without spaces or dashes; never printed (`spec.md`, "PayoutCardDetails").
   */
  readonly number: string
  /** Security code of 3 or 4 digits; never printed (`spec.md`, "PayoutCardDetails"). */
  readonly cvv?: string
}

/**
 * The card of a payout, as it is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface PayoutCardDetails extends PlainCard, UnknownFields {
  /** Card number, redacted (`spec.md`, "PayoutCardDetails"). */
  readonly number: Redacted.Redacted
  /** Security code, redacted (`spec.md`, "PayoutCardDetails"). */
  readonly cvv?: Redacted.Redacted
}

/**
 * Schema for the card of a payout (`spec.md`, "PayoutCardDetails").
 *
 * @category schemas
 * @since 0.1.0
 */
export const PayoutCardDetails = openStructOf<PayoutCardDetails>("PayoutCardDetails", {
  expMonth: digits(/^(?:0[1-9]|1[0-2])$/u, 'Expected a month as MM, such as "04"'),
  expYear: digits(/^[0-9]{4}$/u, 'Expected a year as YYYY, such as "2030"'),
  number: CardNumber,
  cvv: Schema.optionalKey(
    Schema.RedactedFromValue(digits(/^[0-9]{3,4}$/u, "Expected 3 or 4 digits"), { label: "cvv" })
  ),
  cardHolderName: optionalText
})

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
