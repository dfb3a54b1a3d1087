import * as Evidence from "@pawl/core/Evidence"
import * as DateTime from "effect/DateTime"
import type { DeadLetter, Parked, Row } from "./Row.ts"

export type TransactionReport = ReturnType<typeof make>

export interface Money {
  readonly amount: string | null
  readonly currency: string | null
}

/**
 * Reports the standing of a transaction; `policy` must be that of the receiver. `conflict` lists
 * several confirmed final statuses. With `amount-mismatch` the dead letter has the ordered and the
 * signed amounts.
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

export type ListedDeadLetter = ReturnType<typeof ofDeadLetter>

export const ofDeadLetter = (row: Parked) => {
  const { kind, method, transactionId } = row
  return { method, kind, transactionId, ...deadLetterOf(row, row.deadLetter) }
}

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
    "No status endpoint of the service has known this id for 24 hours. Check whether it belongs to another merchant or environment; redrive to read its status again.",
  "amount-mismatch":
    "A callback's amount or currency differs from the order. Compare them; redrive to accept the callback's.",
  unreadable:
    "The stored order, a stored status or the stored body of a callback cannot be read. Correct it in the database, then redrive."
}
