/**
 * Collects everything that is known about a transaction, and checks the transitions that the handler received.
 */
import type { Transition } from "@pawl/core/Handler"
import { isTerminal, rank, type Status } from "@pawl/core/Status"
import { Courier, type Delivery } from "@pawl/testkit/Courier"
import { Gateway, type Transaction } from "@pawl/testkit/Gateway"
import * as Scenario from "@pawl/testkit/Scenario"
import type { Entry } from "@pawl/webhook/Journal"
import * as Ledger from "@pawl/webhook/Ledger"
import { methodOf } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import * as HandlerLog from "./HandlerLog.ts"

/**
 * One transaction, as each part saw it.
 *
 * - `transaction`: the transaction at the service, with its history.
 * - `deliveries`: the callbacks that were delivered.
 * - `entries`: the journal of the receiver.
 * - `told`: the transitions that the handler received.
 * - `accepted`: the number of callbacks that the ledger stored.
 */
export interface Report {
  readonly transaction: Transaction
  readonly deliveries: ReadonlyArray<Delivery>
  readonly entries: ReadonlyArray<Entry>
  readonly told: ReadonlyArray<Transition>
  readonly accepted: number
}

export const makeAll = Effect.fnUntraced(function* (journal: ReadonlyArray<Entry>) {
  const { transactions } = yield* Gateway
  const deliveries = yield* (yield* Courier).deliveries
  const ledger = yield* Ledger.Ledger
  const told = yield* HandlerLog.transitions
  return yield* Effect.forEach(yield* transactions, (transaction) => {
    const { kind, transactionId } = transaction
    const isOfTransaction = (item: { readonly transactionId?: string }) =>
      item.transactionId === transactionId
    return Effect.map(ledger.get(methodOf(kind), transactionId), (row): Report => ({
      transaction,
      deliveries: deliveries.filter(isOfTransaction),
      entries: journal.filter(isOfTransaction),
      told: told.filter(isOfTransaction),
      accepted: row?.callbacks ?? 0
    }))
  })
})

export const suffixesOf = ({ transaction }: Report): ReadonlyArray<keyof Scenario.Suffixes> => {
  const suffixes = Scenario.parse(transaction.metadata?.[Scenario.key] ?? "succeed")?.suffixes
  return Scenario.suffixes.filter((suffix) => suffixes?.[suffix] === true)
}

/** Returns the statuses of the history that no callback claimed. */
export const missing = ({ entries, transaction }: Report): ReadonlyArray<Status> => {
  const claimed = entries.flatMap((entry) => (entry._tag === "Accepted" ? [entry.claim] : []))
  return transaction.history
    .map(({ status }) => status)
    .filter((status) => !claimed.includes(status))
}

/** Returns whether the transaction is over, and every callback that is not lost has arrived. */
const isComplete = (report: Report): boolean => {
  const suffixes = suffixesOf(report)
  const { history, isOver } = report.transaction
  const lost = suffixes.includes("silent") ? history.length : suffixes.includes("lost") ? 1 : 0
  return isOver && missing(report).length === lost
}

/** Returns what is wrong with a transaction; an empty list if the handler received the right statuses. */
export const problems = (report: Report): ReadonlyArray<string> => {
  const { accepted, deliveries, told, transaction } = report
  const history = new Set(transaction.history.map(({ status }) => status))
  return [
    ...told
      .filter(({ confirmed, to }) => isTerminal(to) && !(confirmed && history.has(to)))
      .map(({ to }) => `${to} was delivered, but the service did not confirm it`),
    ...told
      .filter(({ from, to }) => from !== null && rank(to) < rank(from))
      .map(({ from, to }) => `${to} was delivered after ${from}`),
    ...told
      .filter(({ to }, index) => to === told[index - 1]?.to)
      .map(({ to }) => `${to} was delivered twice`),
    ...deliveries
      .filter(({ answer }) => answer !== 200)
      .map(({ answer, status }) => `the response to the callback ${status} was ${answer}`),
    ...(deliveries.length === accepted
      ? []
      : [`${deliveries.length} callbacks were delivered, but ${accepted} were stored`]),
    ...(told.at(-1)?.to === transaction.status
      ? []
      : [
          `it ended ${transaction.status}, but the handler last received ${told.at(-1)?.to ?? "nothing"}`
        ]),
    ...(isComplete(report) ? [] : ["it is not over, or a callback is missing"])
  ]
}

/**
 * Returns what is wrong with all transactions together: the problems of each, transitions of a transaction
 * that the service does not have, and a wrong number of transactions.
 */
export const problemsOfAll = (
  reports: ReadonlyArray<Report>,
  expected: number,
  told: ReadonlyArray<Transition>
): ReadonlyArray<string> => {
  const ids = new Set(reports.map(({ transaction }) => transaction.transactionId))
  return [
    ...reports.flatMap((report) =>
      problems(report).map((problem) => `${report.transaction.transactionId}: ${problem}`)
    ),
    ...told
      .filter(({ transactionId }) => !ids.has(transactionId))
      .map(
        ({ to, transactionId }) =>
          `${transactionId}: ${to} was delivered, but the service has no such transaction`
      ),
    ...(reports.length === expected
      ? []
      : [`there are ${reports.length} transactions instead of ${expected}`])
  ]
}
