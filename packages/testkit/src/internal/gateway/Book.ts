/**
 * The gateway's own record of its transactions: what is true, whoever was told what.
 *
 * **Details**
 *
 * A transaction lives its scenario: one status after the other, a pace apart, each handed to the
 * courier as it comes to be. Something else may move it in between, a refund its payment. What its life
 * is yet to be is on the shelf with it, so it goes on where it was when a file is opened again.
 */
import type { ApmPayload } from "@pawl/core/ApmPayload"
import type { ApmBillingDetails } from "@pawl/core/Billing"
import type { Order } from "@pawl/core/Order"
import type { Status } from "@pawl/core/Status"
import type { Kind } from "@pawl/core/Kind"
import type { Metadata } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Scope from "effect/Scope"
import { type Callback, Courier, type Message } from "../../Courier.ts"
import { GatewayConfig } from "../../GatewayConfig.ts"
import type { Scenario } from "../../Scenario.ts"
import { notFound, type Refusal } from "./Contract.ts"
import { after, type Entry, forgery } from "./Entry.ts"
import { Shelves } from "./Shelves.ts"
import { sleepUntil } from "../Waiting.ts"

/**
 * A transaction as it is. Times are ISO 8601; `status` is the last of `history`.
 *
 * - `accountId`, `mid`: the merchant account, of an APM transaction and of a card's.
 * - `isOver`: nothing more happens to it by itself.
 * - `paymentId`: the payment that a refund gives back.
 * - `subscriptionId`: the subscription that a card payment is a charge of.
 * - `intentId`: the intent on whose page the customer made it.
 * - `returnUrls`: where the customer goes from a challenge.
 */
export interface Transaction {
  readonly transactionId: string
  readonly kind: Kind
  readonly status: Status
  readonly isOver: boolean
  readonly declineCode?: number | undefined
  readonly requestId: string
  readonly accountId?: string | undefined
  readonly mid?: string | undefined
  readonly amount: string
  readonly currency: string
  readonly metadata?: Metadata | undefined
  readonly callbackUrl?: string | undefined
  readonly redirectUrl?: string | undefined
  readonly apmType?: string | undefined
  readonly apmPayload?: ApmPayload | undefined
  readonly billingDetails?: ApmBillingDetails | undefined
  readonly order?: Order | undefined
  readonly cardMask?: string | undefined
  readonly cardHolder?: string | undefined
  readonly paymentId?: string | undefined
  readonly subscriptionId?: string | undefined
  readonly intentId?: string | undefined
  readonly returnUrls?: ReturnUrls | undefined
  readonly createdTime: string
  readonly history: ReadonlyArray<{ readonly status: Status; readonly at: string }>
}

/** Where a customer goes back to the merchant, and nowhere else. */
export interface ReturnUrls {
  readonly success?: string | undefined
  readonly failure?: string | undefined
}

/** What is known of a transaction before it is opened. */
export interface Opening extends Omit<
  Transaction,
  "transactionId" | "status" | "isOver" | "declineCode" | "createdTime" | "history"
> {
  readonly scenario: Scenario
}

/** What a move of a transaction brings about. */
export type Rule = (entry: Entry) => Effect.Effect<void>

/**
 * Opens transactions, moves them, and knows them all.
 *
 * - `open` returns the transaction as its create answers it.
 * - `move` gives a transaction another status than it has, and does nothing without one. A
 *   `declineCode` is for FAILED; without it, it is the scenario's.
 * - `halt` ends a transaction's own life: what moves it from then on is somebody else.
 * - `whenMoved` adds a rule, for every move of every transaction from then on.
 * - `callback` writes the callback of a status; `undefined` when none is sent.
 * - `find` refuses an id that is not of that kind.
 * - `nextId` takes an identifier that nothing else has.
 */
export interface Book {
  readonly open: (opening: Opening) => Effect.Effect<Transaction>
  readonly move: (id: string, status: Status, declineCode?: number) => Effect.Effect<void>
  readonly halt: (id: string) => Effect.Effect<void>
  readonly whenMoved: (rule: Rule) => void
  readonly callback: (id: string, status: Status) => Callback | undefined
  readonly find: (kind: Kind, id: string) => Effect.Effect<Transaction, Refusal>
  readonly transactions: Effect.Effect<ReadonlyArray<Transaction>>
  readonly transaction: (id: string) => Effect.Effect<Transaction | undefined>
  readonly nextId: Effect.Effect<string>
  readonly reset: Effect.Effect<void>
}

/**
 * Makes a book of what is on the shelf, whose transactions stop moving when the scope closes.
 * `message` writes the callback of a transaction, but for the status; `undefined` sends none.
 */
export const make = Effect.fnUntraced(function* (
  message: (transaction: Transaction) => Message | undefined
): Effect.fn.Return<Book, never, GatewayConfig | Courier | Scope.Scope> {
  const { firstId, pace } = yield* GatewayConfig
  const { open, save } = yield* Shelves
  const courier = yield* Courier
  const lives = yield* FiberMap.make<string>()
  const entries = open<Entry>("transaction", ({ transaction }) => transaction)
  const taken = open<number>("taken")
  const rules: Array<Rule> = []

  const callbackOf = ({ scenario, transaction }: Entry, status: Status): Callback | undefined => {
    const callback = message(transaction)
    if (callback === undefined) return undefined
    const { manner, statuses } = scenario
    const isLast = status === statuses.at(-1)
    return { ...callback, status, manner, isLast, forgery: forgery(statuses) }
  }

  const tell = (entry: Entry, status: Status) => {
    const callback = callbackOf(entry, status)
    return callback === undefined ? Effect.void : courier.send(callback)
  }

  const moved = Effect.fnUntraced(function* (entry: Entry, status: Status) {
    entries.set(entry.transaction.transactionId, entry)
    yield* tell(entry, status)
    yield* Effect.forEach(rules, (rule) => rule(entry), { discard: true })
  })

  const move = Effect.fnUntraced(function* (id: string, status: Status, declineCode?: number) {
    const entry = entries.get(id)
    if (entry === undefined || entry.transaction.status === status) return
    yield* moved(after(entry, status, yield* now, declineCode), status)
    yield* save
  }, Effect.uninterruptible)

  /** Moves a transaction along its own life, unless that has ended. */
  const live = Effect.fnUntraced(function* (id: string) {
    const entry = entries.get(id)
    const [status] = entry?.ahead ?? []
    if (entry === undefined || status === undefined) return
    const left = entry.ahead.slice(1)
    const next = { ...entry, ahead: left, due: entry.due + Duration.toMillis(pace) }
    if (entry.transaction.status === status) entries.set(id, next)
    else yield* moved(after(next, status, yield* now), status)
    yield* save
  }, Effect.uninterruptible)

  const run = Effect.fnUntraced(function* (id: string) {
    for (let entry = entries.get(id); entry?.ahead.length; entry = entries.get(id)) {
      yield* sleepUntil(entry.due)
      yield* live(id)
    }
  })

  for (const [id, { ahead }] of entries)
    if (ahead.length > 0) yield* FiberMap.run(lives, id, run(id))

  const transaction = (id: string) => Effect.sync(() => entries.get(id)?.transaction)
  const nextId = Effect.sync(() => {
    const id = (taken.get("id") ?? firstId - 1) + 1
    taken.set("id", id)
    return String(id)
  })

  return {
    open: Effect.fnUntraced(function* (opening: Opening) {
      const { scenario, ...given } = opening
      const { answered, statuses } = scenario
      const createdTime = yield* now
      const due = (yield* Clock.currentTimeMillis) + Duration.toMillis(pace)
      const transactionId = yield* nextId
      const blank: Entry = {
        scenario,
        ahead: statuses.slice(answered),
        due,
        transaction: {
          ...given,
          transactionId,
          status: statuses[0],
          isOver: false,
          createdTime,
          history: []
        }
      }
      const entry = statuses
        .slice(0, answered)
        .reduce((entry, status) => after(entry, status, createdTime), blank)
      entries.set(transactionId, entry)
      yield* Effect.forEach(statuses.slice(0, answered), (status) => tell(entry, status))
      if (entry.ahead.length > 0) yield* FiberMap.run(lives, transactionId, run(transactionId))
      return entry.transaction
    }, Effect.uninterruptible),
    move,
    halt: (id) =>
      Effect.gen(function* () {
        yield* FiberMap.remove(lives, id)
        const entry = entries.get(id)
        if (entry === undefined || entry.ahead.length === 0) return
        const transaction = { ...entry.transaction, isOver: true }
        entries.set(id, { ...entry, transaction, ahead: [] })
      }).pipe(Effect.uninterruptible),
    whenMoved: (rule) => {
      rules.push(rule)
    },
    callback: (id, status) => {
      const entry = entries.get(id)
      return entry === undefined ? undefined : callbackOf(entry, status)
    },
    find: (kind, id) =>
      Effect.filterOrFail(
        transaction(id),
        (found): found is Transaction => found?.kind === kind,
        () => notFound
      ),
    transactions: Effect.sync(() => Array.from(entries.values(), (entry) => entry.transaction)),
    transaction,
    nextId,
    reset: Effect.andThen(
      FiberMap.clear(lives),
      Effect.sync(() => {
        entries.clear()
        taken.clear()
      })
    )
  }
})

/** The time as the service writes it. */
export const now: Effect.Effect<string> = Effect.map(DateTime.now, DateTime.formatIso)
