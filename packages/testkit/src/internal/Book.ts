/**
 * The gateway's own record of its transactions: what is true, whoever was told what.
 *
 * **Details**
 *
 * A transaction lives its scenario: one status after the other, a pace apart, each handed to the
 * courier as it comes to be. Something else may move it in between, a refund its payment.
 *
 * @since 0.1.0
 */
import type { ApmPayload } from "@pawl/core/ApmPayload"
import type { ApmBillingDetails } from "@pawl/core/Billing"
import type { Order } from "@pawl/core/Order"
import type { Status } from "@pawl/core/Status"
import type { Kind, Metadata } from "@pawl/core/Transaction"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Scope from "effect/Scope"
import { Courier, type Message } from "../Courier.ts"
import { GatewayConfig } from "../GatewayConfig.ts"
import type { Scenario } from "../Scenario.ts"
import { notFound, type Refusal } from "./Contract.ts"

/**
 * A transaction as it is. Times are ISO 8601; `status` is the last of `history`.
 *
 * - `accountId`, `mid`: the merchant account, of an APM transaction and of a card's.
 * - `isOver`: nothing more happens to it by itself.
 * - `paymentId`: the payment that a refund gives back.
 * - `subscriptionId`: the subscription that a card payment is a charge of.
 *
 * @category models
 * @since 0.1.0
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
  readonly createdTime: string
  readonly history: ReadonlyArray<{ readonly status: Status; readonly at: string }>
}

/**
 * What is known of a transaction before it is opened. `message` writes its callback, but for the
 * status; `undefined` sends none. `follow` is what each later move of it brings about.
 *
 * @category models
 * @since 0.1.0
 */
export interface Opening extends Omit<
  Transaction,
  "transactionId" | "status" | "isOver" | "declineCode" | "createdTime" | "history"
> {
  readonly scenario: Scenario
  readonly message: (transaction: Transaction) => Message | undefined
  readonly follow?: (transaction: Transaction) => Effect.Effect<void>
}

/**
 * Opens transactions, moves them, and knows them all.
 *
 * - `open` returns the transaction as its create answers it.
 * - `move` gives a transaction another status than it has, and does nothing without one.
 * - `find` refuses an id that is not of that kind.
 * - `nextId` takes an identifier that nothing else has.
 *
 * @category models
 * @since 0.1.0
 */
export interface Book {
  readonly open: (opening: Opening) => Effect.Effect<Transaction>
  readonly move: (id: string, status: Status) => Effect.Effect<void>
  readonly find: (kind: Kind, id: string) => Effect.Effect<Transaction, Refusal>
  readonly transactions: Effect.Effect<ReadonlyArray<Transaction>>
  readonly transaction: (id: string) => Effect.Effect<Transaction | undefined>
  readonly nextId: Effect.Effect<string>
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
    const entries = new Map<string, Entry>()
    let taken = firstId - 1

    const tell = ({ opening, transaction }: Entry, status: Status) => {
      const callback = opening.message(transaction)
      if (callback === undefined) return Effect.void
      const { manner, statuses } = opening.scenario
      const isLast = status === statuses.at(-1)
      return courier.send({ ...callback, status, manner, isLast, forgery: forgery(statuses) })
    }

    const move = Effect.fnUntraced(function* (id: string, status: Status) {
      const at = yield* now
      const entry = entries.get(id)
      if (entry === undefined || entry.transaction.status === status) return
      const moved = { ...entry, transaction: after(entry, status, at) }
      entries.set(id, moved)
      yield* tell(moved, status)
      if (moved.opening.follow !== undefined) yield* moved.opening.follow(moved.transaction)
    }, Effect.uninterruptible)

    const transaction = (id: string) => Effect.sync(() => entries.get(id)?.transaction)
    const nextId = Effect.sync(() => String(++taken))

    return {
      open: Effect.fnUntraced(function* (opening: Opening) {
        const { follow: _follow, message: _message, scenario, ...given } = opening
        const { answered, statuses } = scenario
        const createdTime = yield* now
        const transactionId = yield* nextId
        const entry = statuses
          .slice(0, answered)
          .reduce<Entry>(
            (entry, status) => ({ opening, transaction: after(entry, status, createdTime) }),
            {
              opening,
              transaction: {
                ...given,
                transactionId,
                status: statuses[0],
                isOver: false,
                createdTime,
                history: []
              }
            }
          )
        entries.set(transactionId, entry)
        yield* Effect.forEach(statuses.slice(0, answered), (status) => tell(entry, status))
        yield* FiberMap.run(
          lives,
          transactionId,
          Effect.forEach(statuses.slice(answered), (status) =>
            Effect.delay(move(transactionId, status), pace)
          )
        )
        return entry.transaction
      }, Effect.uninterruptible),
      move,
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
          taken = firstId - 1
        })
      )
    }
  }
)

/**
 * The time as the service writes it.
 *
 * @category getters
 * @since 0.1.0
 */
export const now: Effect.Effect<string> = Effect.map(DateTime.now, DateTime.formatIso)

interface Entry {
  readonly transaction: Transaction
  readonly opening: Opening
}

const firstId = 100_001

const after = ({ opening, transaction }: Entry, status: Status, at: string): Transaction => ({
  ...transaction,
  status,
  isOver: transaction.isOver || status === opening.scenario.statuses.at(-1),
  declineCode: status === "FAILED" ? opening.scenario.declineCode : undefined,
  history: [...transaction.history, { status, at }]
})

/** The final status that a forger claims: one the transaction never has. */
const forgery = (statuses: ReadonlyArray<Status>): Status =>
  (["SUCCEED", "FAILED", "CANCELLED"] as const).find((status) => !statuses.includes(status)) ??
  "CHARGEBACK"
