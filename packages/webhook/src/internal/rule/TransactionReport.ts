/**
 * A transaction of the ledger as a person reads it: its standing, and why it is a dead letter.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as DateTime from "effect/DateTime"
import type { DeadLetter, Parked, Row } from "./Row.ts"

/** A transaction. */
export type TransactionReport = ReturnType<typeof make>

/** An amount as decimal text with its currency; null if it is not known. */
export interface Money {
  readonly amount: string | null
  readonly currency: string | null
}

/**
 * Reports the standing of a transaction by its row. `policy` must be the policy of the receiver; the default is `final`.
 *
 * - `status`: the status that holds now; null before the first.
 * - `confirmed`: whether the service confirmed it in a response or a read.
 * - `conflict`: all final statuses that the service confirmed, if it confirmed several; else null.
 * - `claimed`, `confirmedStatuses`: the statuses that callbacks claimed, and those that the service confirmed.
 * - `told`: the status that the handler was last told; null before the first.
 * - `callbacks`: the number of callbacks.
 * - `deadLetter`: why the transaction is a dead letter; null if it is none. With `amount-mismatch` it has the amounts that were
 *   ordered, and each that a callback is signed with.
 */
export const make = (row: Row, policy: Evidence.Policy = "final") => {
  const { callbacks, deadLetter, evidence, kind, method, told = null, transactionId } = row
  const { confirmed, conflict, status } = Evidence.standing(evidence, row.read?.status, policy)
  return {
    method,
    kind,
    transactionId,
    status: status ?? null,
    confirmed,
    conflict,
    claimed: Evidence.claimedStatuses(evidence),
    confirmedStatuses: Evidence.confirmedStatuses(evidence),
    told,
    callbacks,
    deadLetter:
      deadLetter === undefined
        ? null
        : {
            ...deadLetterOf(row, deadLetter),
            ...(deadLetter.reason === "amount-mismatch" && { amounts: amountsOf(row) })
          }
  }
}

/** A dead letter in a list. */
export type ListedDeadLetter = ReturnType<typeof ofDeadLetter>

/** Reports a dead letter alone. */
export const ofDeadLetter = (row: Parked) => {
  const { kind, method, transactionId } = row
  return { method, kind, transactionId, ...deadLetterOf(row, row.deadLetter) }
}

/**
 * Returns the reason of a dead letter, the status that was not told, the time (ISO 8601), the number of calls of the handler,
 * and what to do.
 */
const deadLetterOf = ({ attempt }: Row, { at, reason, to }: DeadLetter) => ({
  reason,
  to: to ?? null,
  at: DateTime.formatIso(DateTime.makeUnsafe(at)),
  attempts: attempt,
  explanation: explanations[reason]
})

const amountsOf = ({ newestCallbacks, ordered }: Row) => {
  const signed = Object.values(newestCallbacks).flatMap(({ signed }) => signed ?? [])
  const byText = new Map(
    signed.map(({ amount, currency }): [string, Money] => [
      `${amount} ${currency}`,
      { amount, currency }
    ])
  )
  const money: Money = { amount: ordered?.amount ?? null, currency: ordered?.currency ?? null }
  return { ordered: money, signed: [...byText.values()] }
}

const explanations: Readonly<Record<DeadLetter["reason"], string>> = {
  "handler-failed":
    "Every call of the handler failed for 24 hours. Correct the cause of the failures, then redrive.",
  "unknown-transaction":
    "For 24 hours no status endpoint of the service has known this id. Check whether it belongs to another merchant or environment; redrive to read its status again.",
  "amount-mismatch":
    "A callback has another amount or currency than was ordered. Compare it with the order; redrive to accept it.",
  unreadable:
    "The stored order, a stored status or the stored body of a callback cannot be read. Correct it in the database, then redrive."
}
