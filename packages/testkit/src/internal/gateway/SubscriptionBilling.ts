/**
 * The subscriptions of the gateway, and their charges.
 *
 * `docs/decisions/0009-a-subscription-starts-active-and-ends-canceled.md` has the statuses,
 * `docs/decisions/0029-sandbox-answers.md` the charges. A change at the time of a charge applies to
 * it. A charge follows the scenario of the subscription's metadata and card; only the first may be
 * challenged.
 */
import { isTerminal } from "@pawl/core/Status"
import type { SubscriptionRequest } from "@pawl/core/internal/RequestBodies"
import type { SubscriptionStatus } from "@pawl/core/Subscription"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Scope from "effect/Scope"
import type { Scenario } from "../../Scenario.ts"
import { scenarioOf } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import { type Transactions, now } from "./Transactions.ts"
import type { Card } from "./Cards.ts"
import { notFound, type ErrorResponse } from "./Contract.ts"
import { returnUrlsOf } from "./PageUrls.ts"
import { type PlanSchedule, nextCharge } from "./Plan.ts"
import type { Behaviour } from "../Behaviour.ts"
import { StateStore } from "../state/StateStore.ts"
import { sleepUntil } from "../Sleep.ts"

/** A subscription; `due` is the time of the next charge, in milliseconds since the epoch. */
export interface SubscriptionState extends NewSubscription {
  readonly id: string
  readonly createdAt: string
  readonly status: SubscriptionStatus
  readonly due: number | undefined
}

export interface NewSubscription {
  readonly request: SubscriptionRequest
  readonly plan: SubscriptionRequest["plan"] & PlanSchedule
  readonly card: Card
}

export interface SubscriptionBilling {
  /** Returns the first charge if it was made at once. */
  readonly create: (
    subscription: NewSubscription
  ) => Effect.Effect<readonly [SubscriptionState, Transaction | undefined]>
  /** Refuses an unknown id. */
  readonly find: (id: string) => Effect.Effect<SubscriptionState, ErrorResponse>
  /** Sets another plan or status, and schedules the next charge again. */
  readonly change: (
    subscription: SubscriptionState,
    changes: Partial<Pick<SubscriptionState, "plan" | "status">>
  ) => Effect.Effect<SubscriptionState>
  readonly charges: (id: string) => Effect.Effect<ReadonlyArray<Transaction>>
  readonly reset: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* (
  transactions: Transactions,
  {
    afterFirstCharge,
    afterSkippedCharge,
    ...units
  }: Pick<Behaviour, "afterFirstCharge" | "afterSkippedCharge" | "customDays" | "interval">
): Effect.fn.Return<SubscriptionBilling, never, Scope.Scope> {
  const { open, save } = yield* StateStore
  const timers = yield* FiberMap.make<string>()
  const subscriptions = open<SubscriptionState>("subscription")

  const activate = (id: string) =>
    Effect.sync(() => {
      const subscription = subscriptions.get(id)
      if (subscription?.status === "PENDING")
        subscriptions.set(id, { ...subscription, status: "ACTIVE" })
    })

  transactions.onMove(({ scenario, transaction: { status, subscriptionId } }) =>
    subscriptionId !== undefined && challenges(scenario) && isTerminal(status)
      ? activate(subscriptionId)
      : Effect.void
  )

  const charges = (id: string) =>
    Effect.map(transactions.all, (all) => all.filter(({ subscriptionId }) => subscriptionId === id))

  const charge = Effect.fnUntraced(function* (subscription: SubscriptionState, isPresent: boolean) {
    const { card, id, plan, request } = subscription
    const { callbackUrl, metadata, mid, requestId } = request
    const scenario = yield* scenarioOf(metadata, card.story)
    const isSpared = scenario.isOnce
      ? (yield* charges(id)).length > 0
      : challenges(scenario) && !isPresent
    const unchallenged = { ...(yield* scenarioOf(undefined)), suffixes: scenario.suffixes }
    return yield* transactions.open({
      kind: "card-payment",
      requestId,
      mid,
      amount: plan.amount,
      currency: plan.currency,
      metadata,
      callbackUrl,
      cardMask: card.cardMask,
      subscriptionId: id,
      returnUrls: returnUrlsOf(request),
      scenario: isSpared ? unchallenged : scenario
    })
  })

  const chargeDue = Effect.fnUntraced(function* (id: string, due: number) {
    const subscription = subscriptions.get(id)
    if (subscription === undefined) return
    const isDue = isCharged(subscription.status)
    const status = isDue ? "ACTIVE" : subscription.status
    subscriptions.set(id, {
      ...subscription,
      status,
      due: nextCharge(subscription.plan, due, units)
    })
    if (isDue) yield* charge(subscription, false)
    yield* save
  }, Effect.uninterruptible)

  const run = Effect.fnUntraced(function* (id: string) {
    for (
      let due = subscriptions.get(id)?.due;
      due !== undefined;
      due = subscriptions.get(id)?.due
    ) {
      yield* sleepUntil(due)
      yield* chargeDue(id, due)
    }
  })

  const schedule = Effect.fnUntraced(function* (subscription: Omit<SubscriptionState, "due">) {
    const isStopped = subscription.status === "PAUSED" || subscription.status === "CANCELED"
    // A charge may be due, and not made yet.
    const { due: last = Infinity } = subscriptions.get(subscription.id) ?? {}
    const after = Math.min(yield* Clock.currentTimeMillis, last - 1)
    const due = isStopped ? undefined : nextCharge(subscription.plan, after, units)
    const scheduled = { ...subscription, due }
    subscriptions.set(subscription.id, scheduled)
    yield* FiberMap.run(timers, subscription.id, run(subscription.id))
    return scheduled
  })

  const find = (id: string) =>
    Effect.suspend(() => {
      const subscription = subscriptions.get(id)
      return subscription === undefined ? Effect.fail(notFound) : Effect.succeed(subscription)
    })

  for (const { due, id } of subscriptions.values()) {
    if (due !== undefined) yield* FiberMap.run(timers, id, run(id))
  }

  return {
    create: Effect.fnUntraced(function* (subscription) {
      const id = yield* transactions.nextId
      const createdAt = yield* now
      if (subscription.request.skipFirstCharge === true) {
        return [
          yield* schedule({ ...subscription, id, createdAt, status: afterSkippedCharge }),
          undefined
        ]
      }
      const created = yield* schedule({ ...subscription, id, createdAt, status: "PENDING" })
      const first = yield* charge(created, true)
      if (first.status !== "CUSTOMER_VERIFICATION" && afterFirstCharge === "ACTIVE") {
        yield* activate(id)
      }
      return [created, first]
    }),
    find,
    change: (subscription, changes) => schedule({ ...subscription, ...changes }),
    charges,
    reset: Effect.andThen(
      FiberMap.clear(timers),
      Effect.sync(() => subscriptions.clear())
    )
  }
})

const challenges = ({ statuses }: Scenario): boolean => statuses.includes("CUSTOMER_VERIFICATION")

const isCharged = (status: SubscriptionStatus): boolean =>
  status === "ACTIVE" || status === "TRIALING"
