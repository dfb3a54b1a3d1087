/**
 * A transaction of the gateway, with the statuses its scenario still gives it.
 */
import type { Status } from "@pawl/core/Status"
import type { Scenario } from "../../Scenario.ts"
import type { Transaction } from "./Transaction.ts"

/**
 * Transaction and its remaining statuses: it moves to the first of `remaining` at `due`, in
 * milliseconds since the epoch.
 */
export interface ScheduledTransaction {
  readonly transaction: Transaction
  readonly scenario: Scenario
  readonly remaining: ReadonlyArray<Status>
  readonly due: number
}

/**
 * Returns a transaction after a move; `declineCode` applies to FAILED, and its default is the
 * scenario's. Only an APM transaction has a `declineSubReason` (`spec.md`, "Conventions").
 */
export const moved = (
  entry: ScheduledTransaction,
  status: Status,
  at: string,
  declineCode?: number
): ScheduledTransaction => {
  const { remaining, scenario, transaction } = entry
  const isFailed = status === "FAILED"
  return {
    ...entry,
    transaction: {
      ...transaction,
      status,
      isOver: transaction.isOver || isLast(scenario, remaining, status),
      declineCode: isFailed ? (declineCode ?? scenario.declineCode) : undefined,
      declineSubReason:
        isFailed && transaction.accountId !== undefined
          ? (scenario.declineSubReason ?? "DECLINED")
          : undefined,
      history: [...transaction.history, { status, at }]
    }
  }
}

/** Returns a transaction that succeeds at a time, and then follows its scenario after SUCCEED. */
export const approved = (
  { scenario, transaction }: ScheduledTransaction,
  due: number
): ScheduledTransaction => {
  const paid = scenario.statuses.indexOf("SUCCEED")
  const remaining: ReadonlyArray<Status> = paid === -1 ? ["SUCCEED"] : scenario.statuses.slice(paid)
  return {
    transaction: { ...transaction, isOver: false, isApproved: true },
    scenario: { ...scenario, statuses: ["NEW", "PROCESSING", ...remaining] },
    remaining,
    due
  }
}

/** Tells whether no other status follows the last one, as after a chargeback that is won. */
export const isLast = (
  { statuses }: Scenario,
  remaining: ScheduledTransaction["remaining"],
  status: Status
): boolean => status === statuses.at(-1) && remaining.every((later) => later === status)

/** The final status that a forged callback claims: one the transaction never has. */
export const forgedStatus = (statuses: ReadonlyArray<Status>): Status =>
  (["SUCCEED", "FAILED", "CANCELLED"] as const).find((status) => !statuses.includes(status)) ??
  "CHARGEBACK"
