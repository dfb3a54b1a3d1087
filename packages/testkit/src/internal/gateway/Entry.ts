/**
 * A transaction in the book, and what is yet to become of it.
 */
import type { Status } from "@pawl/core/Status"
import type { Scenario } from "../../Scenario.ts"
import type { Transaction } from "./Book.ts"

/**
 * A transaction, and what its life is yet to be: `ahead` are the statuses it is to have, the first of
 * them at `due`, in milliseconds since the epoch.
 */
export interface Entry {
  readonly transaction: Transaction
  readonly scenario: Scenario
  readonly ahead: ReadonlyArray<Status>
  readonly due: number
}

/**
 * Returns an entry after a move. A `declineCode` is for FAILED; without it, it is the scenario's.
 */
export const after = (entry: Entry, status: Status, at: string, declineCode?: number): Entry => {
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

/** Returns the final status that a forger claims: one the transaction never has. */
export const forgery = (statuses: ReadonlyArray<Status>): Status =>
  (["SUCCEED", "FAILED", "CANCELLED"] as const).find((status) => !statuses.includes(status)) ??
  "CHARGEBACK"
