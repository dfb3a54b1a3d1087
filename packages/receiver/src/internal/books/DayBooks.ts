/**
 * The books of a compared day: the differences as CSV, and the transactions as double entry for
 * hledger.
 *
 * The double entry books what the service states (`docs/decisions/0083-reconcile-and-replay.md`). A
 * transaction with several rows is booked once.
 */
import * as Grammar from "@pawl/core/internal/Grammar"
import * as Kind from "@pawl/core/Kind"
import { type Compared, differs } from "./DayComparison.ts"

export const csv = (compared: ReadonlyArray<Compared>): string =>
  [columns, ...compared.filter(differs).map((each) => columns.map((name) => each[name] ?? ""))]
    .map((line) => `${line.map(cell).join(",")}\r\n`)
    .join("")

const columns = [
  "kind",
  "transactionId",
  "requestId",
  "amount",
  "currency",
  "ours",
  "theirs"
] as const

/** A text that some programs take for a formula gets an apostrophe. */
const cell = (text: string): string => {
  const safe = /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const service = "assets:payments service"
const accounts = {
  sale: "income:sales",
  refund: "expenses:refunds",
  chargeback: "expenses:chargebacks",
  payout: "expenses:payouts"
}

const paid = ["SUCCEED", "REFUNDED", "CHARGEBACK"]

const paidOf = (compared: ReadonlyArray<Compared>) =>
  once(compared.filter(({ theirs }) => paid.includes(theirs)))

/** Counts the paid transactions that are comments of the journal. */
export const unbooked = (compared: ReadonlyArray<Compared>): number =>
  paidOf(compared).filter((each) => !isKnown(each)).length

/**
 * Writes a journal that passes `hledger check --strict`. A paid transaction whose kind, amount or
 * currency is not known is a comment.
 */
export const journal = (date: string, compared: ReadonlyArray<Compared>): string => {
  const booked = paidOf(compared)
  const known = booked.filter(isKnown)
  const currencies = [...new Set(known.map(({ currency }) => currency))].toSorted()
  return [
    `; The transactions of ${date} (UTC), as the service states them.`,
    "; Fees, and payments that only the service knows, are not in this journal.",
    "decimal-mark .",
    ...[service, ...Object.values(accounts)].map((account) => `account ${account}`),
    ...currencies.map((currency) => `commodity 1000.00 ${currency}`),
    "",
    ...booked.flatMap((each) => (isKnown(each) ? entriesOf(date, each) : [comment(each), ""]))
  ].join("\n")
}

/** Returns each transaction once: by its first row whose amount is known, else by its first row. */
const once = (compared: ReadonlyArray<Compared>): ReadonlyArray<Compared> =>
  [
    ...Map.groupBy(compared, ({ kind, transactionId }) => `${kind}/${transactionId}`).values()
  ].flatMap((rows) => rows.find(isKnown) ?? rows.slice(0, 1))

interface Known extends Compared {
  readonly amount: string
  readonly currency: string
}

const isAmount = (amount: string | null): boolean => Grammar.signedAmount.test(amount ?? "")

/** Names what is not known of a transaction. A refund and a card payout have a currency only in callbacks. */
const unknownOf = ({ amount, currency, kind }: Compared) => {
  if (!Kind.isKnown(kind)) return "kind"
  if (!isAmount(amount)) return "amount"
  return /^[A-Z]{3}$/u.test(currency ?? "") ? undefined : "currency"
}

const isKnown = (compared: Compared): compared is Known => unknownOf(compared) === undefined

const comment = (each: Compared): string => {
  const amount = isAmount(each.amount) ? ` of ${each.amount}` : ""
  return `; ${each.kind} ${plain(each.transactionId)}${amount} is ${each.theirs}, and its ${unknownOf(each)} is not known.`
}

const entriesOf = (date: string, each: Known): ReadonlyArray<string> => {
  const { kind, theirs } = each
  if (kind === "refund") return entry(date, each, accounts.refund, service)
  if (kind.endsWith("payout")) {
    return [
      ...entry(date, each, accounts.payout, service),
      ...(theirs === "SUCCEED" ? [] : entry(date, each, service, accounts.payout))
    ]
  }
  const isReturned = theirs === "REFUNDED" && kind !== "card-payment"
  return [
    ...entry(date, each, service, accounts.sale),
    ...(isReturned ? entry(date, each, accounts.refund, service) : []),
    ...(theirs === "CHARGEBACK" ? entry(date, each, accounts.chargeback, service) : [])
  ]
}

const entry = (
  date: string,
  { amount, currency, kind, theirs, transactionId }: Known,
  to: string,
  from: string
): ReadonlyArray<string> => [
  `${date} * ${kind} ${plain(transactionId)}  ; ${theirs}`,
  `    ${to}  ${amount} ${currency}`,
  `    ${from}  -${amount} ${currency}`,
  ""
]

/** A semicolon begins a comment, and a bar ends a payee. */
const plain = (text: string): string => text.replace(/[^\w-]/gu, "_")
