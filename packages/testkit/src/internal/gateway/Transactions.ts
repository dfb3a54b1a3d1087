/**
 * The transactions of the gateway, with their true statuses.
 *
 * A transaction moves through the statuses of its scenario, one pace apart. A refund moves its
 * payment, too.
 */
import type { Kind } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { type Callback, Courier, type Message } from "../../Courier.ts"
import { GatewayConfig } from "../GatewayConfig.ts"
import type { Scenario } from "../../Scenario.ts"
import { sleepUntil } from "../Sleep.ts"
import { StateStore } from "../state/StateStore.ts"
import { notFound, type ErrorResponse } from "./Contract.ts"
import {
  approved,
  forgedStatus,
  isLast,
  moved,
  type ScheduledTransaction
} from "./ScheduledTransaction.ts"
import type { Transaction } from "./Transaction.ts"

export interface NewTransaction extends Omit<
  Transaction,
  | "transactionId"
  | "status"
  | "isOver"
  | "declineCode"
  | "declineSubReason"
  | "createdTime"
  | "history"
> {
  readonly scenario: Scenario
}

/** Function that is called after a move. */
export type MoveListener = (entry: ScheduledTransaction) => Effect.Effect<void>

export interface Transactions {
  /** Returns the transaction as the response to its create shows it. */
  readonly open: (transaction: NewTransaction) => Effect.Effect<Transaction>
  /**
   * Does nothing without a change of status. `declineCode` applies to FAILED; its default is the
   * scenario's, or 5.
   */
  readonly move: (id: string, status: Status, declineCode?: number) => Effect.Effect<void>
  /** Stops the scenario of a transaction: only `move` changes its status after that. */
  readonly halt: (id: string) => Effect.Effect<void>
  /** Moves to PROCESSING, and after a number of paces to SUCCEED and on from there. */
  readonly approve: (id: string, paces: number) => Effect.Effect<void>
  readonly onMove: (listener: MoveListener) => void
  /** `undefined` if the transaction sends none. */
  readonly callback: (id: string, status: Status) => Callback | undefined
  /** Refuses an id that no transaction of that kind has. */
  readonly find: (kind: Kind, id: string) => Effect.Effect<Transaction, ErrorResponse>
  readonly all: Effect.Effect<ReadonlyArray<Transaction>>
  readonly get: (id: string) => Effect.Effect<Transaction | undefined>
  readonly nextId: Effect.Effect<string>
  /** Takes one of the range of intents. */
  readonly nextIntentId: Effect.Effect<string>
  /** Takes a number for the token of a card. */
  readonly nextCardToken: Effect.Effect<string>
  readonly reset: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* (
  message: (transaction: Transaction) => Message | undefined
): Effect.fn.Return<Transactions, never, GatewayConfig | Courier | Scope.Scope> {
  const { firstId, pace, seed } = yield* GatewayConfig
  const { open, save } = yield* StateStore
  const courier = yield* Courier
  const fibers = yield* FiberSet.make()
  /**
   * The ids of the transactions that move, by time; a fiber for each would be a quarter of the cost
   * of a create.
   */
  const moving = new Map<number, Array<string>>()
  const entries = open<ScheduledTransaction>("transaction")
  const lastIds = open<number>("id")
  const first = firstId ?? (seed === undefined ? yield* unusedId : firstSeededId)
  const listeners: Array<MoveListener> = []

  const callbackOf = (
    { remaining, scenario, transaction }: ScheduledTransaction,
    status: Status
  ): Callback | undefined => {
    const callback = message(transaction)
    if (callback === undefined) return undefined
    const { suffixes, statuses } = scenario
    return {
      ...callback,
      status,
      suffixes,
      isLast: isLast(scenario, remaining, status),
      forgery: forgedStatus(statuses)
    }
  }

  const sendCallback = (entry: ScheduledTransaction, status: Status) => {
    const callback = callbackOf(entry, status)
    return callback === undefined ? Effect.void : courier.send(callback)
  }

  const commit = Effect.fnUntraced(function* (entry: ScheduledTransaction, status: Status) {
    entries.set(entry.transaction.transactionId, entry)
    yield* sendCallback(entry, status)
    yield* Effect.forEach(listeners, (listener) => listener(entry), { discard: true })
  })

  const move = Effect.fnUntraced(function* (id: string, status: Status, declineCode?: number) {
    const entry = entries.get(id)
    if (entry === undefined || entry.transaction.status === status) return
    yield* commit(moved(entry, status, yield* now, declineCode), status)
    yield* save
  }, Effect.uninterruptible)

  const step = Effect.fnUntraced(function* (id: string, due: number) {
    // It is earlier than `due` if the wall clock was set back.
    const at = yield* Clock.currentTimeMillis
    const entry = entries.get(id)
    const [status, ...remaining] = entry?.remaining ?? []
    if (entry === undefined || status === undefined || entry.due !== due) return
    const next = { ...entry, remaining, due: Math.min(due, at) + Duration.toMillis(pace) }
    if (entry.transaction.status === status) entries.set(id, next)
    else yield* commit(moved(next, status, yield* now), status)
    yield* save
    yield* schedule(id)
  }, Effect.uninterruptible)

  const moveAt = Effect.fnUntraced(function* (due: number) {
    yield* sleepUntil(due)
    const ids = moving.get(due) ?? []
    moving.delete(due)
    yield* Effect.forEach(ids, (id) => step(id, due), { discard: true })
  })

  const schedule = (id: string): Effect.Effect<void> => {
    const entry = entries.get(id)
    if (entry === undefined || entry.remaining.length === 0) return Effect.void
    const together = moving.get(entry.due)
    if (together !== undefined) return Effect.sync(() => void together.push(id))
    moving.set(entry.due, [id])
    return Effect.asVoid(FiberSet.run(fibers, moveAt(entry.due)))
  }

  for (const id of entries.keys()) yield* schedule(id)

  const get = (id: string) => Effect.sync(() => entries.get(id)?.transaction)
  const idsFrom = (name: string, from: number) =>
    Effect.sync(() => {
      const id = (lastIds.get(name) ?? from - 1) + 1
      lastIds.set(name, id)
      return String(id)
    })
  const nextId = idsFrom("last", first)

  return {
    open: Effect.fnUntraced(function* ({ scenario, ...fields }) {
      const { atCreate, statuses } = scenario
      const createdAt = yield* Clock.currentTimeMillis
      const createdTime = DateTime.formatIso(DateTime.makeUnsafe(createdAt))
      const due = createdAt + Duration.toMillis(pace)
      const transactionId = yield* nextId
      const blank: ScheduledTransaction = {
        scenario,
        remaining: statuses.slice(atCreate),
        due,
        transaction: {
          ...fields,
          transactionId,
          status: statuses[0],
          isOver: false,
          createdTime,
          history: []
        }
      }
      const entry = statuses
        .slice(0, atCreate)
        .reduce((entry, status) => moved(entry, status, createdTime), blank)
      entries.set(transactionId, entry)
      for (const { status } of entry.transaction.history) yield* sendCallback(entry, status)
      yield* schedule(transactionId)
      return entry.transaction
    }, Effect.uninterruptible),
    move,
    halt: (id) =>
      Effect.sync(() => {
        const entry = entries.get(id)
        if (entry === undefined || entry.remaining.length === 0) return
        const transaction = { ...entry.transaction, isOver: true }
        entries.set(id, { ...entry, transaction, remaining: [] })
      }),
    approve: Effect.fnUntraced(function* (id, paces) {
      const entry = entries.get(id)
      if (entry === undefined) return
      const due = (yield* Clock.currentTimeMillis) + paces * Duration.toMillis(pace)
      entries.set(id, approved(entry, due))
      yield* move(id, "PROCESSING")
      yield* schedule(id)
    }, Effect.uninterruptible),
    onMove: (listener) => {
      listeners.push(listener)
    },
    callback: (id, status) => {
      const entry = entries.get(id)
      return entry === undefined ? undefined : callbackOf(entry, status)
    },
    find: (kind, id) =>
      Effect.filterOrFail(
        get(id),
        (transaction): transaction is Transaction => transaction?.kind === kind,
        () => notFound
      ),
    all: Effect.sync(() => Array.from(entries.values(), ({ transaction }) => transaction)),
    get,
    nextId,
    nextIntentId: idsFrom("intent", firstIntentId + first),
    nextCardToken: idsFrom("card", first),
    reset: Effect.andThen(
      FiberSet.clear(fibers),
      Effect.sync(() => {
        moving.clear()
        entries.clear()
        // A merchant's ledger outlives a reset, so an identifier is used once.
        if (seed !== undefined) lastIds.clear()
      })
    )
  }
})

const firstSeededId = 100_001

// The number is far above the other identifiers, and still an exact JSON number.
const firstIntentId = 8_000_000_000_000_000

/** No earlier gateway made 100 identifiers in a millisecond. */
const unusedId = Effect.map(Clock.currentTimeMillis, (now) =>
  Math.max(firstSeededId, Math.floor(now) * 100)
)

export const now: Effect.Effect<string> = Effect.map(DateTime.now, DateTime.formatIso)
