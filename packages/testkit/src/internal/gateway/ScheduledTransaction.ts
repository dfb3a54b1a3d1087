import type { Status } from "@pawl/core/Status"
import type { Scenario } from "../../Scenario.ts"
import type { Transaction } from "./Transaction.ts"

/** Transaction that moves to the first of `remaining` at `due`, in milliseconds since the epoch. */
export interface ScheduledTransaction {
  readonly transaction: Transaction
  readonly scenario: Scenario
  readonly remaining: ReadonlyArray<Status>
  readonly due: number
}

/**
 * `declineCode` applies to FAILED. Only an APM transaction has a `declineSubReason` (`spec.md`,
 * "Conventions").
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
      declineCode: isFailed
        ? (declineCode ?? scenario.declineCode ?? defaultDeclineCode)
        : undefined,
      declineSubReason:
        isFailed && transaction.accountId !== undefined
          ? (scenario.declineSubReason ?? "DECLINED")
          : undefined,
      history: [...transaction.history, { status, at }]
    }
  }
}

const defaultDeclineCode = 5

/** Returns a transaction that succeeds at a time, and then follows its scenario. */
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

/** Tells whether no other status follows, as after a chargeback that is won. */
export const isLast = (
  { statuses }: Scenario,
  remaining: ScheduledTransaction["remaining"],
  status: Status
): boolean => status === statuses.at(-1) && remaining.every((later) => later === status)

/** A forged callback claims a final status that the transaction never has. */
export const forgedStatus = (statuses: ReadonlyArray<Status>): Status =>
  (["SUCCEED", "FAILED", "CANCELLED"] as const).find((status) => !statuses.includes(status)) ??
  "CHARGEBACK"
