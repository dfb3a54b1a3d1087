/**
 * Reads the forms of the hosted page. Only the mask of a card, the name of its holder and the last
 * four characters of an account are stored.
 */
import * as Amount from "@pawl/core/Amount"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type Card, fromNumber, TestNumber } from "./Cards.ts"

/**
 * A submitted form: the first value of each field.
 *
 * | field | content |
 * |---|---|
 * | `act` | the button: `card`, the name of a method, `cancel`, or `amount` |
 * | `attempts` | the number of attempts when the form was shown, so that one form makes one transaction |
 * | `number`, `expiry`, `cvc`, `name` | a card; a payout has no `cvc` |
 * | `account` | the account of a payout without a card |
 * | `amount` | the amount, when the intent leaves it open |
 */
export interface Form {
  readonly [field: string]: string | undefined
}

/** The payment methods that an intent offers beside cards. */
export const methods = ["WALLET", "BANK_TRANSFER"] as const

export type Method = (typeof methods)[number]

export type PaymentMeans =
  | { readonly _tag: "Card"; readonly card: Card; readonly holder: string }
  | { readonly _tag: "Apm"; readonly method: Method; readonly account: string | undefined }

/** The error of one field. It never contains the value. */
export interface FormError {
  readonly field: "number" | "expiry" | "cvc" | "name" | "account" | "amount"
  readonly reason:
    | "number"
    | "testCards"
    | "expiry"
    | "expired"
    | "cvc"
    | "name"
    | "account"
    | "amount"
}

/** An unknown `act` is a card without fields. */
export const readPaymentMeans = (
  form: Form,
  type: "PAYMENT" | "PAYOUT"
): Effect.Effect<PaymentMeans, ReadonlyArray<FormError>> => {
  const isPayout = type === "PAYOUT"
  const method = methods.find((method) => method === form["act"])
  return method === undefined ? readCard(form, isPayout) : readAccount(method, form, isPayout)
}

/**
 * Reads an amount above zero, with a comma or a point, and no more decimals than its currency has.
 */
export const readAmount = (
  { amount = "" }: Form,
  currency: Amount.Currency
): Effect.Effect<Amount.Amount, ReadonlyArray<FormError>> =>
  Effect.fromResult(Amount.parse(amount.trim().replace(",", "."))).pipe(
    Effect.filterOrFail((amount) => /[1-9]/u.test(amount) && isWhole(amount, currency), noAmount),
    Effect.mapError(noAmount)
  )

const isWhole = (amount: string, currency: Amount.Currency): boolean =>
  (amount.split(".")[1] ?? "").length <= (Amount.decimals(currency) ?? 2)

const noAmount = (): ReadonlyArray<FormError> => [{ field: "amount", reason: "amount" }]

const readCard = Effect.fnUntraced(function* (
  { cvc = "", expiry = "", name = "", number = "" }: Form,
  isPayout: boolean
): Effect.fn.Return<PaymentMeans, ReadonlyArray<FormError>> {
  const errors: Array<FormError> = []
  const digits = Redacted.make(number.replace(/[\s-]/gu, ""), { label: "card number" })
  if (!/^[0-9]{12,19}$/u.test(Redacted.value(digits))) {
    errors.push({ field: "number", reason: "number" })
  } else if (!isTestNumber(digits)) errors.push({ field: "number", reason: "testCards" })
  const end = endOf(expiry)
  if (end === undefined) errors.push({ field: "expiry", reason: "expiry" })
  else if (end <= (yield* thisMonth)) errors.push({ field: "expiry", reason: "expired" })
  if (!isPayout && !/^[0-9]{3,4}$/u.test(cvc.trim())) errors.push({ field: "cvc", reason: "cvc" })
  const holder = name.trim()
  if (!isShort(holder)) errors.push({ field: "name", reason: "name" })
  if (errors.length > 0) return yield* Effect.fail(errors)
  return { _tag: "Card", card: fromNumber(digits), holder }
})

const readAccount = (
  method: Method,
  { account = "" }: Form,
  isPayout: boolean
): Effect.Effect<PaymentMeans, ReadonlyArray<FormError>> => {
  if (!isPayout) return Effect.succeed({ _tag: "Apm", method, account: undefined })
  const compact = account.replace(/\s/gu, "")
  return isShort(compact) && compact.length >= 5
    ? Effect.succeed({ _tag: "Apm", method, account: `****${compact.slice(-4)}` })
    : Effect.fail([{ field: "account", reason: "account" }])
}

const isTestNumber = Schema.is(TestNumber)

const isShort = (text: string): boolean => text !== "" && text.length <= 100

/** A card expires after this month. */
const endOf = (expiry: string): number | undefined => {
  const text = expiry.trim()
  // The search for a separator takes quadratic time.
  if (text.length > 20) return undefined
  const [, month, year] = /^(0?[1-9]|1[0-2])\s*[/. -]?\s*(?:20)?([0-9]{2})$/u.exec(text) ?? []
  return month === undefined ? undefined : (2000 + Number(year)) * 12 + Number(month)
}

const thisMonth = Effect.map(DateTime.now, (now) => {
  const { month, year } = DateTime.toPartsUtc(now)
  return year * 12 + month - 1
})
