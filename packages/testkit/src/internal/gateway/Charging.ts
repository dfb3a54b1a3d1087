/**
 * The subscriptions of the service, charged as time passes.
 *
 * **Details**
 *
 * The first charge is made at once, and the next at the plan's first date from then on; with
 * `skipFirstCharge` the subscription is TRIALING until that date. Charges fall due in ACTIVE and
 * TRIALING; what falls due in PAUSED or PENDING is not made up for. After its `endDate` a subscription
 * keeps its status and is charged no more.
 *
 * Each charge is a card payment of its own, with callbacks of its own. It lives the scenario of the
 * subscription's metadata and card; but a challenge is put only to a customer who is there, which is at
 * the create. Until it is met, the subscription is PENDING.
 */
import { isTerminal } from "@pawl/core/Status"
import type { SubscriptionRequest } from "@pawl/core/Subscription"
import { isCharged, type SubscriptionStatus } from "@pawl/core/SubscriptionStatus"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Scope from "effect/Scope"
import type { Scenario } from "../../Scenario.ts"
import { present, scenarioOf } from "./Asked.ts"
import { type Book, now, type Transaction } from "./Book.ts"
import type { Card } from "./Cards.ts"
import { notFound, type Refusal } from "./Contract.ts"
import { returnUrlsOf } from "./Pages.ts"
import { type Calendar, nextCharge } from "./Plan.ts"
import { Shelves } from "./Shelves.ts"
import { sleepUntil } from "../Waiting.ts"

/** A subscription as it is. `due` is when it is charged next, in milliseconds since the epoch. */
export interface Held extends Terms {
  readonly id: string
  readonly createdAt: string
  readonly status: SubscriptionStatus
  readonly due: number | undefined
}

/** What a subscription is created from. */
export interface Terms {
  readonly request: SubscriptionRequest
  readonly plan: SubscriptionRequest["plan"] & Calendar
  readonly card: Card
}

/** What people are shown of a subscription: nothing of its customer. */
export interface Listed {
  readonly subscriptionId: string
  readonly status: SubscriptionStatus
  readonly requestId: string
  readonly mid: string
  readonly plan: Terms["plan"]
  readonly cardMask: string
  readonly metadata?: SubscriptionRequest["metadata"]
  readonly callbackUrl: string
  readonly createdAt: string
  readonly nextChargeDate: string | null
}

/**
 * Holds subscriptions and charges them.
 *
 * - `begin` returns what was begun, and the charge that was made at once.
 * - `find` refuses an id that no subscription has.
 * - `change` gives a subscription another plan or status; what is charged next begins anew from now.
 * - `charges` are all of a subscription's, in their order.
 */
export interface Charging {
  readonly begin: (terms: Terms) => Effect.Effect<readonly [Held, Transaction | undefined]>
  readonly find: (id: string) => Effect.Effect<Held, Refusal>
  readonly change: (held: Held, to: Partial<Pick<Held, "plan" | "status">>) => Effect.Effect<Held>
  readonly charges: (id: string) => Effect.Effect<ReadonlyArray<Transaction>>
  readonly reset: Effect.Effect<void>
}

/** Makes the charging of the subscriptions on the shelf, which ends when the scope closes. */
export const make = Effect.fnUntraced(function* (
  book: Book
): Effect.fn.Return<Charging, never, Scope.Scope> {
  const { open, save } = yield* Shelves
  const timers = yield* FiberMap.make<string>()
  const all = open<Held>("subscription", listed)

  const met = (id: string) =>
    Effect.sync(() => {
      const held = all.get(id)
      if (held?.status === "PENDING") all.set(id, { ...held, status: "ACTIVE" })
    })

  book.whenMoved(({ scenario, transaction: { status, subscriptionId } }) =>
    subscriptionId !== undefined && challenges(scenario) && isTerminal(status)
      ? met(subscriptionId)
      : Effect.void
  )

  const charge = Effect.fnUntraced(function* (held: Held, isPresent: boolean) {
    const { card, id, plan, request } = held
    const { callbackUrl, metadata, mid, requestId } = request
    const asked = yield* scenarioOf(metadata, card.story)
    const unchallenged = { ...(yield* scenarioOf(undefined)), manner: asked.manner }
    return yield* book.open({
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
      scenario: challenges(asked) && !isPresent ? unchallenged : asked
    })
  })

  const fallDue = Effect.fnUntraced(function* (id: string, due: number) {
    const held = all.get(id)
    if (held === undefined) return
    const isDue = isCharged(held.status)
    const status = isDue ? "ACTIVE" : held.status
    all.set(id, { ...held, status, due: nextCharge(held.plan, due) })
    if (isDue) yield* charge(held, false)
    yield* save
  }, Effect.uninterruptible)

  const wait = Effect.fnUntraced(function* (id: string) {
    for (let due = all.get(id)?.due; due !== undefined; due = all.get(id)?.due) {
      yield* sleepUntil(due)
      yield* fallDue(id, due)
    }
  })

  const hold = Effect.fnUntraced(function* (held: Omit<Held, "due">) {
    const isStopped = held.status === "PAUSED" || held.status === "CANCELED"
    const due = isStopped ? undefined : nextCharge(held.plan, yield* Clock.currentTimeMillis)
    const holding = { ...held, due }
    all.set(held.id, holding)
    yield* FiberMap.run(timers, held.id, wait(held.id))
    return holding
  })

  const find = (id: string) =>
    Effect.suspend(() => {
      const held = all.get(id)
      return held === undefined ? Effect.fail(notFound) : Effect.succeed(held)
    })

  for (const { due, id } of all.values()) {
    if (due !== undefined) yield* FiberMap.run(timers, id, wait(id))
  }

  return {
    begin: Effect.fnUntraced(function* (terms) {
      const id = yield* book.nextId
      const createdAt = yield* now
      if (terms.request.skipFirstCharge === true) {
        return [yield* hold({ ...terms, id, createdAt, status: "TRIALING" }), undefined]
      }
      const held = yield* hold({ ...terms, id, createdAt, status: "PENDING" })
      const first = yield* charge(held, true)
      if (first.status !== "CUSTOMER_VERIFICATION") yield* met(id)
      return [held, first]
    }),
    find,
    change: (held, to) => hold({ ...held, ...to }),
    charges: (id) =>
      Effect.map(book.transactions, (transactions) =>
        transactions.filter(({ subscriptionId }) => subscriptionId === id)
      ),
    reset: Effect.andThen(
      FiberMap.clear(timers),
      Effect.sync(() => all.clear())
    )
  }
})

const challenges = ({ statuses }: Scenario): boolean => statuses.includes("CUSTOMER_VERIFICATION")

const listed = ({ card, createdAt, due, id, plan, request, status }: Held): Listed => ({
  subscriptionId: id,
  status,
  requestId: request.requestId,
  mid: request.mid,
  plan,
  cardMask: card.cardMask,
  ...present({ metadata: request.metadata }),
  callbackUrl: request.callbackUrl,
  createdAt,
  nextChargeDate: due === undefined ? null : DateTime.formatIso(DateTime.makeUnsafe(due))
})
