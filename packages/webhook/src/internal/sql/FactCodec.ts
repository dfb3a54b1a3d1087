/**
 * The codec of facts: from an event to its name and detail in `pawl_facts`, and back.
 *
 * **Details**
 *
 * A name begins with the letter of the row's scope. Then it is `Fact.nameOf` with a letter or digit for each word that is used
 * often, without the space behind the first word, and, for a fact of a joined row, `@` and the letter of that row's scope. A
 * name is in the table and in its index, so short names halve the size of a fact.
 */
import type { Kind } from "@pawl/core/Kind"
import { isStatus, type Status, statuses } from "@pawl/core/Status"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type Event, type Kept, nameOf } from "../../Fact.ts"
import type { DeadLetter } from "../../Row.ts"
import type { BigInteger } from "./RowCodec.ts"

/** A line of `pawl_facts`. `last_at` and `count` are null if the fact was not repeated. */
export interface FactColumns {
  readonly transaction_id: string
  readonly fact: string
  readonly detail: string | null
  readonly number: number
  readonly at: BigInteger
  readonly last_at: BigInteger | null
  readonly count: number | null
}

/** The letters of scopes. Ledgers store them, so an existing line never changes here, in `codes` or in `digits`. */
const letters: Readonly<Record<Kind, string>> = {
  apm: "a",
  card: "c",
  "apm-payment": "p",
  "apm-payout": "o",
  "card-payment": "q",
  "card-payout": "u",
  refund: "r"
}

const codes: Readonly<Record<string, string>> = {
  registered: "r",
  asked: "a",
  called: "c",
  told: "t",
  failed: "f",
  parked: "p",
  redriven: "v",
  more: "m",
  "handler-failed": "h",
  "unknown-transaction": "u",
  "amount-mismatch": "d",
  unreadable: "x",
  "no-answer": "n",
  ...letters
}

/** The digits of statuses. They are not their places in `statuses`, which move when a status is added. */
const digits: Readonly<Record<Status, number>> = {
  NEW: 0,
  PENDING: 1,
  PROCESSING: 2,
  CUSTOMER_VERIFICATION: 3,
  SUCCEED: 4,
  FAILED: 5,
  CANCELLED: 6,
  REFUNDED: 7,
  CHARGEBACK: 8
}

/** The statuses are `#` and their digit, so that no number is one. */
const codeOf = (word: string): string =>
  isStatus(word) ? `#${digits[word]}` : (codes[word] ?? word)

/** Returns the name of an event behind the letter of its row's scope. Words have the same meaning at one place only. */
export const codeIn = (event: Event): string => {
  const [first = "", ...others] = nameOf(event).split(" ").map(codeOf)
  return first + others.join(" ")
}

/** Returns the letter of a scope. */
export const letterOf = (scope: Kind): string => letters[scope]

/** Returns the letter of a scope that a column has. */
export const letterIn = (sql: SqlClient, column: string): Fragment =>
  sql.literal(
    `CASE ${column} ${Object.entries(letters)
      .map(([scope, letter]) => `WHEN '${scope}' THEN '${letter}'`)
      .join(" ")} END`
  )

/** The detail of a redrive without a name and a reason. */
export const noNote = "\n"

/** Returns the detail of an event. */
export const detailOf = (event: Event): string | null => {
  if (event.fact === "called")
    return `${event.read === undefined ? "" : codeOf(event.read)}${event.evidence.toString(36)}`
  return event.fact === "redriven" ? `${event.by ?? ""}${noNote}${event.why ?? ""}` : null
}

/** Reads a line. */
export const keptOf = ({ at, count, detail, fact, last_at, number }: FactColumns): Kept => {
  const [words = "", from] = fact.slice(2).split("@")
  return {
    ...eventOf(fact.slice(1, 2), words.split(" "), detail ?? "", Number(at)),
    lastAt: Number(last_at ?? at),
    count: count ?? 1,
    number,
    from: kindOf(from)
  }
}

const eventOf = (
  code: string,
  [one = "", two = ""]: ReadonlyArray<string>,
  detail: string,
  at: number
): Event => {
  const sequence = Number(one)
  const to = statusOf(two) ?? "NEW"
  if (code === "r")
    return { fact: "registered", kind: kindOf(one) ?? "card", status: statusOf(two), at }
  if (code === "a") {
    const result = one === "n" ? "no answer" : (statusOf(one) ?? one)
    return { fact: "asked", result, kind: kindOf(two), at }
  }
  if (code === "c") {
    const [, read, evidence = "0"] = /^(#\d)?(\w+)$/u.exec(detail) ?? []
    const decision = { evidence: Number.parseInt(evidence, 36), read: statusOf(read) }
    return { fact: "called", sequence, to, ...decision, at }
  }
  if (code === "t") return { fact: "told", sequence, to, at }
  if (code === "f") return { fact: "failed", sequence, to, at }
  if (code === "p") return { fact: "parked", reason: reasonOf(one), to: statusOf(two), at }
  if (code === "v") {
    const [by, why] = detail.split("\n").map((text) => (text === "" ? undefined : text))
    return { fact: "redriven", by, why, at }
  }
  return { fact: "more", at }
}

const statusOf = (code: string | undefined): Status | undefined =>
  code === undefined ? undefined : statuses.find((status) => `#${digits[status]}` === code)

const kindOf = (code: string | undefined): Kind | undefined =>
  kinds.find((kind) => letters[kind] === code)

const kinds: ReadonlyArray<Kind> = [
  "apm",
  "card",
  "apm-payment",
  "apm-payout",
  "card-payment",
  "card-payout",
  "refund"
]

const reasonOf = (code: string): DeadLetter["reason"] =>
  reasons.find((reason) => codes[reason] === code) ?? "unreadable"

const reasons = ["handler-failed", "unknown-transaction", "amount-mismatch"] as const

/** Returns the letter of the scope of the row that a line belongs to. */
export const letterOfLine = ({ fact }: FactColumns): string => fact.slice(0, 1)
