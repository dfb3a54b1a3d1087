/**
 * The gateway's own record of its transactions: what is true, whoever was told what.
 *
 * **Details**
 *
 * A transaction is opened once per requestId and lives its scenario: one status after the other, a
 * pace apart, each handed to the courier as it comes to be.
 *
 * @since 0.1.0
 */
import type { Status } from "@pawl/core/Status"
import type { Kind, Metadata } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Scope from "effect/Scope"
import { Courier, type Message } from "../Courier.ts"
import { GatewayConfig } from "../GatewayConfig.ts"
import type { Scenario } from "../Scenario.ts"

/**
 * A transaction as it is. Times are ISO 8601; `status` is the last of `history`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Transaction {
  readonly transactionId: string
  readonly kind: Kind
  readonly status: Status
  readonly declineCode?: number | undefined
  readonly requestId: string
  readonly accountId: string
  readonly amount: string
  readonly currency: string
  readonly metadata?: Metadata | undefined
  readonly callbackUrl?: string | undefined
  readonly redirectUrl?: string | undefined
  readonly apmType?: string | undefined
  readonly createdTime: string
  readonly history: ReadonlyArray<{ readonly status: Status; readonly at: string }>
}

/**
 * What is known of a transaction before it is opened. `message` writes its callback, but for the
 * status; `undefined` sends none.
 *
 * @category models
 * @since 0.1.0
 */
export interface Opening extends Omit<
  Transaction,
  "transactionId" | "status" | "declineCode" | "createdTime" | "history"
> {
  readonly scenario: Scenario
  readonly message: (transaction: Transaction) => Message | undefined
}

/**
 * Opens transactions, moves them, and knows them all.
 *
 * `open` returns the transaction as its create answers it: the original, when the requestId of the
 * kind was used before.
 *
 * @category models
 * @since 0.1.0
 */
export interface Book {
  readonly open: (opening: Opening) => Effect.Effect<Transaction>
  readonly transactions: Effect.Effect<ReadonlyArray<Transaction>>
  readonly transaction: (id: string) => Effect.Effect<Transaction | undefined>
  readonly reset: Effect.Effect<void>
}

/**
 * Makes an empty book, whose transactions stop moving when the scope closes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<Book, never, GatewayConfig | Courier | Scope.Scope> = Effect.gen(
  function* () {
    const { pace } = yield* GatewayConfig
    const courier = yield* Courier
    const lives = yield* FiberMap.make<string>()
    const byId = new Map<string, Transaction>()
    const created = new Map<string, Transaction>()

    const tell = (transaction: Transaction, status: Status, { message, scenario }: Opening) => {
      const callback = message(transaction)
      if (callback === undefined) return Effect.void
      const { manner, statuses } = scenario
      const isLast = status === statuses.at(-1)
      return courier.send({ ...callback, status, manner, isLast, forgery: forgery(statuses) })
    }

    const move = Effect.fnUntraced(function* (id: string, status: Status, opening: Opening) {
      const at = yield* now
      const transaction = byId.get(id)
      if (transaction === undefined) return
      byId.set(id, moved(transaction, status, at))
      yield* tell(transaction, status, opening)
    })

    return {
      open: Effect.fnUntraced(function* (opening: Opening) {
        const createdTime = yield* now
        // Nothing yields from `get` to `set`, so two creates with one requestId cannot both open.
        const key = `${opening.kind} ${opening.requestId}`
        const original = created.get(key)
        if (original !== undefined) return original
        const { message: _message, scenario, ...given } = opening
        const transactionId = String(firstId + byId.size)
        const answered = scenario.statuses.slice(0, scenario.answered)
        const transaction = answered.reduce<Transaction>(
          (one, status) => moved(one, status, createdTime),
          {
            ...given,
            transactionId,
            status: scenario.statuses[0],
            declineCode: scenario.declineCode,
            createdTime,
            history: []
          }
        )
        byId.set(transactionId, transaction)
        created.set(key, transaction)
        yield* Effect.forEach(answered, (status) => tell(transaction, status, opening))
        yield* FiberMap.run(
          lives,
          transactionId,
          Effect.forEach(scenario.statuses.slice(scenario.answered), (status) =>
            Effect.delay(move(transactionId, status, opening), pace)
          )
        )
        return transaction
      }, Effect.uninterruptible),
      transactions: Effect.sync(() => Array.from(byId.values())),
      transaction: (id) => Effect.sync(() => byId.get(id)),
      reset: Effect.andThen(
        FiberMap.clear(lives),
        Effect.sync(() => {
          byId.clear()
          created.clear()
        })
      )
    }
  }
)

const firstId = 100_001

const now = Effect.map(Clock.currentTimeMillis, (at) => DateTime.formatIso(DateTime.makeUnsafe(at)))

const moved = (transaction: Transaction, status: Status, at: string): Transaction => ({
  ...transaction,
  status,
  history: [...transaction.history, { status, at }]
})

/** The final status that a forger claims: one the transaction never has. */
const forgery = (statuses: ReadonlyArray<Status>): Status =>
  (["SUCCEED", "FAILED", "CANCELLED"] as const).find((status) => !statuses.includes(status)) ??
  "CHARGEBACK"
