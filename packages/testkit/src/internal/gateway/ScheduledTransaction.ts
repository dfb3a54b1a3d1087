/**
 * A transaction of the gateway, with the statuses its scenario still gives it.
 */
import type { Status } from "@pawl/core/Status"
import type { Scenario } from "../../Scenario.ts"
import type { Transaction } from "./Transactions.ts"

/**
 * A transaction and its remaining statuses: it moves to the first of `remaining` at `due`, in
 * milliseconds since the epoch.
 */
export interface ScheduledTransaction {
  readonly transaction: Transaction
  readonly scenario: Scenario
  readonly remaining: ReadonlyArray<Status>
  readonly due: number
}

/**
 * Returns a transaction after a move. `declineCode` applies to FAILED; its default is the scenario's.
 */
export const moved = (
  entry: ScheduledTransaction,
  status: Status,
  at: string,
  declineCode?: number
): ScheduledTransaction => {
  const { scenario, transaction } = entry
  return {
    ...entry,
    transaction: {
      ...transaction,
      status,
      isOver: transaction.isOver || status === scenario.statuses.at(-1),
      declineCode: status === "FAILED" ? (declineCode ?? scenario.declineCode) : undefined,
      history: [...transaction.history, { status, at }]
    }
  }
}

/** Returns the final status that a forged callback claims: one the transaction never has. */
export const forgedStatus = (statuses: ReadonlyArray<Status>): Status =>
  (["SUCCEED", "FAILED", "CANCELLED"] as const).find((status) => !statuses.includes(status)) ??
  "CHARGEBACK"
