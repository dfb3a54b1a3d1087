/**
 * A transaction of the ledger as a person reads it: its standing, and why it is a dead letter.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Kind, Method } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as DateTime from "effect/DateTime"
import type { DeadLetter, Parked, Row } from "./Row.ts"

/**
 * The standing of a transaction.
 *
 * - `status`: the status that holds now; null before the first.
 * - `confirmed`: whether the service confirmed it in a response or a read.
 * - `conflict`: all final statuses that the service confirmed, if it confirmed several; else null.
 * - `claimed`, `confirmedStatuses`: the statuses that callbacks claimed, and those that the service confirmed.
 * - `told`: the status that the handler was last told; null before the first.
 * - `callbacks`: the number of callbacks.
 * - `deadLetter`: why the transaction is a dead letter; null if it is none.
 *
 * @category models
 * @since 0.1.0
 */
export interface TransactionReport {
  readonly method: Method
  readonly kind: Kind
  readonly transactionId: string
  readonly status: Status | null
  readonly confirmed: boolean
  readonly conflict: ReadonlyArray<Status> | null
  readonly claimed: ReadonlyArray<Status>
  readonly confirmedStatuses: ReadonlyArray<Status>
  readonly told: Status | null
  readonly callbacks: number
  readonly deadLetter: (DeadLetterReport & { readonly amounts?: Amounts }) | null
}

/**
 * The amounts of a transaction whose callbacks differ from its order: those that were ordered, and each that a callback is
 * signed with.
 *
 * @category models
 * @since 0.1.0
 */
export interface Amounts {
  readonly ordered: Money
  readonly signed: ReadonlyArray<Money>
}

/**
 * An amount as decimal text with its currency; null if it is not known.
 *
 * @category models
 * @since 0.1.0
 */
export interface Money {
  readonly amount: string | null
  readonly currency: string | null
}

/**
 * The reason of a dead letter, the status that was not told, the time (ISO 8601), the number of calls of the handler,
 * and what to do.
 *
 * @category models
 * @since 0.1.0
 */
export interface DeadLetterReport {
  readonly reason: DeadLetter["reason"]
  readonly to: Status | null
  readonly at: string
  readonly attempts: number
  readonly explanation: string
}

/**
 * Reports a row. `policy` must be the policy of the receiver; the default is `final`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (row: Row, policy: Evidence.Policy = "final"): TransactionReport => {
  const { callbacks, evidence, kind, method, told, transactionId } = row
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
    told: told ?? null,
    callbacks,
    deadLetter:
      row.deadLetter === undefined
        ? null
        : {
            ...deadLetterOf(row, row.deadLetter),
            ...(row.deadLetter.reason === "amount-mismatch" && { amounts: amountsOf(row) })
          }
  }
}

/**
 * Reports a dead letter alone.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofDeadLetter = (
  row: Parked
): Pick<TransactionReport, "method" | "kind" | "transactionId"> & DeadLetterReport => {
  const { kind, method, transactionId } = row
  return { method, kind, transactionId, ...deadLetterOf(row, row.deadLetter) }
}

const deadLetterOf = ({ attempt }: Row, { at, reason, to }: DeadLetter): DeadLetterReport => ({
  reason,
  to: to ?? null,
  at: DateTime.formatIso(DateTime.makeUnsafe(at)),
  attempts: attempt,
  explanation: explanations[reason]
})

const amountsOf = ({ newestCallbacks, ordered }: Row): Amounts => {
  const signed = Object.values(newestCallbacks).flatMap(({ signed }) => signed ?? [])
  const byText = new Map(
    signed.map(({ amount, currency }) => [`${amount} ${currency}`, { amount, currency }])
  )
  return {
    ordered: { amount: ordered?.amount ?? null, currency: ordered?.currency ?? null },
    signed: [...byText.values()]
  }
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
