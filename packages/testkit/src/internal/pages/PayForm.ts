/**
 * Reads what a customer wrote on the hosted page.
 *
 * **Details**
 *
 * Nothing of a card is kept but its mask and the holder's name, and nothing of an account but its last
 * four characters.
 */
import * as Amount from "@pawl/core/Amount"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type Card, fromNumber, TestNumber } from "../gateway/Cards.ts"

/**
 * A form as it was sent: the first value of each field.
 *
 * **Details**
 *
 * | field | what it holds |
 * |---|---|
 * | `act` | the button: `card`, the name of a method, `cancel`, or `amount` |
 * | `try` | how many tries there were when the form was shown, so that one form makes one transaction |
 * | `number`, `expiry`, `cvc`, `name` | a card; a payout asks for no `cvc` |
 * | `account` | where a payout without a card goes |
 * | `amount` | what the customer pays, when the intent does not say it |
 */
export interface Form {
  readonly [field: string]: string | undefined
}

const methods = ["WALLET", "BANK_TRANSFER"] as const

/**
 * Returns the methods that an intent offers beside cards. An account paid out to is read back as an
 * integer (`spec.md`, "APM payouts"), so it has to be digits.
 */
export const methodsOf = (type: "PAYMENT" | "PAYOUT", mid: string): ReadonlyArray<Method> =>
  type === "PAYMENT" || /^[0-9]{1,64}$/u.test(mid) ? methods : []

/** A method that is no card. */
export type Method = (typeof methods)[number]

/** What a customer pays with, or is paid to. */
export type Means =
  | { readonly _tag: "Card"; readonly card: Card; readonly holder: string }
  | { readonly _tag: "Apm"; readonly method: Method; readonly account: string | undefined }

/** What is wrong with a field. Never holds its value. */
export interface Fault {
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

/**
 * Reads what the customer pays with, and else says of every field what is wrong. An `act` that no page
 * offers is read as a card without any field.
 */
export const readMeans = (
  form: Form,
  type: "PAYMENT" | "PAYOUT",
  mid: string
): Effect.Effect<Means, ReadonlyArray<Fault>> => {
  const isPayout = type === "PAYOUT"
  const method = methodsOf(type, mid).find((method) => method === form["act"])
  return method === undefined ? readCard(form, isPayout) : readAccount(method, form, isPayout)
}

/** Reads an amount that is more than nothing, with a comma or a point. */
export const readAmount = ({
  amount = ""
}: Form): Effect.Effect<Amount.Amount, ReadonlyArray<Fault>> =>
  Effect.fromResult(Amount.parse(amount.trim().replace(",", "."))).pipe(
    Effect.filterOrFail((amount) => /[1-9]/u.test(amount), noAmount),
    Effect.mapError(noAmount)
  )

const noAmount = (): ReadonlyArray<Fault> => [{ field: "amount", reason: "amount" }]

const readCard = Effect.fnUntraced(function* (
  { cvc = "", expiry = "", name = "", number = "" }: Form,
  isPayout: boolean
): Effect.fn.Return<Means, ReadonlyArray<Fault>> {
  const faults: Array<Fault> = []
  const digits = Redacted.make(number.replace(/[\s-]/gu, ""), { label: "card number" })
  if (!/^[0-9]{12,19}$/u.test(Redacted.value(digits))) {
    faults.push({ field: "number", reason: "number" })
  } else if (!isTestNumber(digits)) faults.push({ field: "number", reason: "testCards" })
  const end = endOf(expiry)
  if (end === undefined) faults.push({ field: "expiry", reason: "expiry" })
  else if (end <= (yield* thisMonth)) faults.push({ field: "expiry", reason: "expired" })
  if (!isPayout && !/^[0-9]{3,4}$/u.test(cvc.trim())) faults.push({ field: "cvc", reason: "cvc" })
  const holder = name.trim()
  if (!isShort(holder)) faults.push({ field: "name", reason: "name" })
  if (faults.length > 0) return yield* Effect.fail(faults)
  return { _tag: "Card", card: fromNumber(digits), holder }
})

const readAccount = (
  method: Method,
  { account = "" }: Form,
  isPayout: boolean
): Effect.Effect<Means, ReadonlyArray<Fault>> => {
  if (!isPayout) return Effect.succeed({ _tag: "Apm", method, account: undefined })
  const given = account.replace(/\s/gu, "")
  return isShort(given) && given.length >= 5
    ? Effect.succeed({ _tag: "Apm", method, account: `****${given.slice(-4)}` })
    : Effect.fail([{ field: "account", reason: "account" }])
}

const isTestNumber = Schema.is(TestNumber)

const isShort = (text: string): boolean => text !== "" && text.length <= 100

/** The month after which a card is of no use, counted from year 0. */
const endOf = (expiry: string): number | undefined => {
  const [, month, year] =
    /^\s*(0?[1-9]|1[0-2])\s*[/. -]?\s*(?:20)?([0-9]{2})\s*$/u.exec(expiry) ?? []
  return month === undefined ? undefined : (2000 + Number(year)) * 12 + Number(month)
}

const thisMonth = Effect.map(DateTime.now, (now) => {
  const { month, year } = DateTime.toPartsUtc(now)
  return year * 12 + month - 1
})
