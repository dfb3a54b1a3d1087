/**
 * Amounts of money as decimal text in major units. An amount is never a number, so no digit is lost.
 *
 * **Gotchas**
 *
 * The service rounds an amount with more than two decimals (`spec.md`, "Conventions"), so the client
 * refuses it (`docs/decisions/0011-ambiguous-statements.md`). `round` rounds explicitly.
 *
 * @since 0.1.0
 */
import * as currencies from "dinero.js/currencies"
import * as BigDecimal from "effect/BigDecimal"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Grammar from "./internal/Grammar.ts"

/**
 * Schema for an amount to send: up to 18 digits without a leading zero, and at most two decimals
 * (`"10.50"`).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Amount = Schema.String.check(
  Schema.isPattern(Grammar.amount, {
    message:
      'Expected a decimal amount with at most 18 digits before the point and two after it, such as "10.50"',
    description: "More than two decimals are rounded; the sandbox rounds half up"
  })
).pipe(Schema.brand("Amount"))

export type Amount = typeof Amount.Type

/**
 * Schema for a currency: the three capital letters of ISO 4217.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Currency = Schema.String.check(
  Schema.isPattern(Grammar.currency, {
    message: 'Expected three capital letters of ISO 4217, such as "EUR"'
  })
).pipe(Schema.brand("Currency"))

export type Currency = typeof Currency.Type

/**
 * The rounding mode of a decimal; `half-from-zero` is "half up".
 *
 * @category models
 * @since 0.1.0
 */
export type RoundingMode = BigDecimal.RoundingMode

/**
 * Error raised when an amount cannot be read, rounded or converted.
 *
 * @category errors
 * @since 0.1.0
 */
export class AmountFault extends Data.TaggedError("AmountFault")<{
  /** Names what is wrong with the amount, and never contains it. */
  readonly message: string
}> {}

const fault = (message: string) => Result.fail(new AmountFault({ message }))

/**
 * Reads a text as an amount.
 *
 * **Example** (Valid and invalid amounts)
 *
 * ```ts
 * import * as Amount from "@pawl/core/Amount"
 * import * as Result from "effect/Result"
 *
 * Result.isSuccess(Amount.parse("10.50")) // => true
 * Result.isSuccess(Amount.parse("10.505")) // => false
 * Result.isSuccess(Amount.parse("1e2")) // => false
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const parse = (text: string): Result.Result<Amount, AmountFault> =>
  Result.mapError(
    Schema.decodeUnknownResult(Amount)(text),
    ({ message }) => new AmountFault({ message })
  )

/**
 * Compares two amounts of one currency as numbers: `"10"` and `"10.00"` are equal.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const compare = (left: Amount, right: Amount): -1 | 0 | 1 =>
  BigDecimal.Order(decimal(left), decimal(right))

/**
 * Adds two amounts of one currency. Fails when the sum has more than 18 digits before the point.
 *
 * @category math
 * @since 0.1.0
 */
export const add = (left: Amount, right: Amount): Result.Result<Amount, AmountFault> =>
  parse(toFixed(BigDecimal.sum(decimal(left), decimal(right)), 2))

/**
 * Rounds decimal text to an amount. The mode is required, because it decides who gains the difference.
 *
 * @category math
 * @since 0.1.0
 */
export const round = (
  text: string,
  options: { readonly mode: RoundingMode; readonly decimals?: 0 | 1 | 2 }
): Result.Result<Amount, AmountFault> => {
  const { decimals = 2, mode } = options
  return /^[0-9]{1,40}(?:\.[0-9]{1,40})?$/u.test(text)
    ? parse(toFixed(BigDecimal.round(decimal(text), { mode, scale: decimals }), decimals))
    : fault("Expected a decimal text without sign or exponent")
}

/**
 * Returns the number of decimals of a currency in ISO 4217 (JPY 0, EUR 2, KWD 3), or undefined for an unlisted
 * code.
 *
 * @category getters
 * @since 0.1.0
 */
export const decimals = (currency: Currency): number | undefined => {
  const listed = table[currency]
  // The table has base 5 for ariary and ouguiya; ISO 4217 lists both with two decimals.
  return listed?.base === 10 ? listed.exponent : listed && 2
}

/**
 * Converts an amount to minor units, such as cents. Refuses a fraction of a minor unit.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toMinorUnits = (
  amount: Amount,
  currency: Currency
): Result.Result<bigint, AmountFault> => {
  const scale = decimals(currency)
  if (scale === undefined) return fault("ISO 4217 does not list the currency")
  const exact = decimal(amount)
  const scaled = BigDecimal.scale(exact, scale)
  return BigDecimal.equals(scaled, exact)
    ? Result.succeed(scaled.value)
    : fault(`The amount has more than the ${scale} decimals of its currency`)
}

/**
 * Converts minor units to an amount. Refuses an amount that the service would round, such as a third
 * decimal of KWD.
 *
 * **Example** (Cents, yen, fils)
 *
 * ```ts
 * import * as Amount from "@pawl/core/Amount"
 * import * as Result from "effect/Result"
 *
 * Result.getOrThrow(Amount.fromMinorUnits(1050n, Amount.Currency.make("EUR"))) // => "10.50"
 * Result.getOrThrow(Amount.fromMinorUnits(1050n, Amount.Currency.make("JPY"))) // => "1050"
 * Result.isFailure(Amount.fromMinorUnits(1055n, Amount.Currency.make("KWD"))) // => true
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const fromMinorUnits = (
  units: bigint,
  currency: Currency
): Result.Result<Amount, AmountFault> => {
  const scale = decimals(currency)
  if (scale === undefined) return fault("ISO 4217 does not list the currency")
  const exact = BigDecimal.make(units, scale)
  const shownDecimals = Math.min(scale, 2)
  return BigDecimal.equals(BigDecimal.scale(exact, shownDecimals), exact)
    ? parse(toFixed(exact, shownDecimals))
    : fault("The service would round the amount: it keeps two decimals")
}

/**
 * Formats an amount for display in a locale (BCP 47), with at least the decimals of ISO 4217.
 *
 * @category conversions
 * @since 0.1.0
 */
export const format = (amount: Amount, currency: Currency, locale: string): string => {
  const scale = decimals(currency) ?? 2
  return new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: scale,
    maximumFractionDigits: Math.max(scale, 2)
  }).format(amount as Intl.StringNumericLiteral)
}

const table: Readonly<Record<string, { readonly base: unknown; readonly exponent: number }>> =
  currencies

const decimal = (amount: string) => BigDecimal.fromStringUnsafe(amount)

const toFixed = (value: BigDecimal.BigDecimal, scale: number): string => {
  const digits = String(BigDecimal.scale(value, scale).value).padStart(scale + 1, "0")
  const whole = digits.slice(0, digits.length - scale)
  return scale === 0 ? whole : `${whole}.${digits.slice(-scale)}`
}
