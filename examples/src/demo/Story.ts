/**
 * One transaction from every side, and whether its handler was told right.
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
import * as Orders from "./Orders.ts"

/** The service's truth, what the courier delivered, what the receiver did, what the handler was told. */
export interface Story {
  readonly truth: Transaction
  readonly deliveries: ReadonlyArray<Delivery>
  readonly entries: ReadonlyArray<Entry>
  readonly told: ReadonlyArray<Transition>
  /** How many callbacks the ledger took. */
  readonly accepted: number
}

/** Gathers the stories of every transaction that the service has, whoever made it. */
export const gather = Effect.fnUntraced(function* (journal: ReadonlyArray<Entry>) {
  const { transactions } = yield* Gateway
  const deliveries = yield* (yield* Courier).deliveries
  const ledger = yield* Ledger.Ledger
  const told = yield* Orders.told
  return yield* Effect.forEach(yield* transactions, (truth) => {
    const { kind, transactionId } = truth
    const isOurs = (one: { readonly transactionId?: string }) => one.transactionId === transactionId
    return Effect.map(ledger.get(methodOf(kind), transactionId), (row): Story => ({
      truth,
      deliveries: deliveries.filter(isOurs),
      entries: journal.filter(isOurs),
      told: told.filter(isOurs),
      accepted: row?.callbacks ?? 0
    }))
  })
})

/** What the sandbox was asked to let the transaction live through. */
export const scenarioOf = ({ truth }: Story): string => truth.metadata?.[Scenario.key] ?? "succeed"

/** Lists the statuses a transaction had that no callback told of. */
export const missing = ({ entries, truth }: Story): ReadonlyArray<Status> => {
  const claimed = entries.flatMap((entry) => (entry._tag === "Accepted" ? [entry.claim] : []))
  return truth.history.map(({ status }) => status).filter((status) => !claimed.includes(status))
}

/** Nothing more happens to the transaction, and every callback that was to come has come. */
const isAtRest = (story: Story): boolean => {
  const manner = Scenario.parse(scenarioOf(story))?.manner
  const { history, isOver } = story.truth
  const lost = manner?.silent ? history.length : manner?.lost ? 1 : 0
  return isOver && missing(story).length === lost
}

/** Lists what is wrong with how a transaction was told; empty when it was told right. */
export const faults = (story: Story): ReadonlyArray<string> => {
  const { accepted, deliveries, told, truth } = story
  const had = new Set(truth.history.map(({ status }) => status))
  return [
    ...told
      .filter(({ confirmed, to }) => isTerminal(to) && !(confirmed && had.has(to)))
      .map(({ to }) => `${to} was told, and the service never confirmed it`),
    ...told
      .filter(({ from, to }) => from !== null && rank(to) < rank(from))
      .map(({ from, to }) => `${to} was told after ${from}`),
    ...told
      .filter(({ to }, index) => to === told[index - 1]?.to)
      .map(({ to }) => `${to} was told twice`),
    ...deliveries
      .filter(({ answer }) => answer !== 200)
      .map(({ answer, status }) => `the callback of ${status} was answered ${answer}`),
    ...(deliveries.length === accepted
      ? []
      : [`${deliveries.length} callbacks were delivered, and ${accepted} stored`]),
    ...(told.at(-1)?.to === truth.status
      ? []
      : [
          `it ended ${truth.status}, and the handler was last told ${told.at(-1)?.to ?? "nothing"}`
        ]),
    ...(isAtRest(story) ? [] : ["it had not come to rest"])
  ]
}

/**
 * Lists what is wrong with all of them together, which are to be so many; the handler is to be told of
 * no transaction that the service does not have.
 */
export const faultsOfAll = (
  stories: ReadonlyArray<Story>,
  expected: number,
  told: ReadonlyArray<Transition>
): ReadonlyArray<string> => {
  const ids = new Set(stories.map(({ truth }) => truth.transactionId))
  return [
    ...stories.flatMap((story) =>
      faults(story).map((fault) => `${story.truth.transactionId}: ${fault}`)
    ),
    ...told
      .filter(({ transactionId }) => !ids.has(transactionId))
      .map(({ to, transactionId }) => `${transactionId}: ${to} was told, and there is no such one`),
    ...(stories.length === expected
      ? []
      : [`there are ${stories.length} transactions, and ${expected} were to be`])
  ]
}
