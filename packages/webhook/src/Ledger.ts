/**
 * Where callbacks land: one row a transaction, and the row is the unit of everything.
 *
 * **Details**
 *
 * A row holds the evidence of its transaction, the service's last answer, what the handler was last
 * told, and when work on it is due. `accept` writes a callback into it in one durable step; only then
 * may the callback be answered 200. A worker `claim`s rows that are due, under a lease, and `write`s
 * what it found out; a write without the lease changes nothing.
 *
 * A callback belongs to the row of the operation that its URL names, else to one that was registered or
 * found under its id, else to a new one whose kind the service tells when it is asked.
 *
 * Evidence is joined, never replaced, so an `accept` during a lease is never lost. Fields that both
 * sides set (the poll ladder) are kept as `accept` left them when it brought a new status in between.
 * What made a row due during a lease still does when it is released.
 *
 * Time is a parameter of everything: the ledger has no clock of its own.
 *
 * @since 0.1.0
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import { isStatus, type Status } from "@pawl/core/Status"
import type { KnownKind, Method } from "@pawl/core/Kind"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Memory from "./internal/memory/Memory.ts"
import {
  type Change,
  type Key,
  type Leased,
  type CreateRequest,
  type Row,
  type Ordered,
  orderedOf
} from "./Row.ts"
import type { Verified } from "./Verifier.ts"

/**
 * Service that keeps callbacks and the rows they belong to.
 *
 * - `accept` stores a verified callback; `isNew` is false for one that adds nothing.
 * - `register` makes a row for an operation, or takes the one that its callbacks made; `status` is the
 *   response's, and counts as confirmed.
 * - `claim` leases up to `limit` rows that are due, oldest first, until `until`; `dueAt` is when
 *   the next row falls due that nobody holds.
 * - `write` changes a leased row and returns it as it is now; undefined when the lease was lost. A row
 *   whose kind becomes known, while another row has that kind and id, is joined to that row and is gone.
 * - `get` finds the row of a method and an id: a payment before a payout before a refund, and each of
 *   them before one whose kind is not known.
 * - `deadLetters` are the rows that are parked, oldest first. `redrive` takes what a key names from among
 *   them, to be worked on again from `at`; false when there was none.
 * - `backlog` is how much there is to do at a time.
 * - `forget` deletes the bodies that nothing was heard of since `before`, but for a dead letter's: at
 *   most `limit` of each store's, and returns how many. Rows stay, and so does what was counted.
 * - `quarantined` are the verified callbacks that cannot be acted on, oldest first: at most 16 bodies a
 *   transaction, each once. What comes then is `StoreUnavailable`.
 * - `awaitWork` completes when a row of this process became due or free since it last did; `pollInterval` is
 *   how long rows of other processes may wait unseen.
 *
 * @category services
 * @since 0.1.0
 */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly accept: (verified: Verified, at: number) => Effect.Effect<Accepted, StoreUnavailable>
    readonly register: (
      registration: Registration,
      at: number
    ) => Effect.Effect<void, StoreUnavailable>
    readonly claim: (options: {
      readonly at: number
      readonly until: number
      readonly limit: number
    }) => Effect.Effect<
      { readonly rows: ReadonlyArray<Leased>; readonly dueAt: number | undefined },
      StoreUnavailable
    >
    readonly write: (
      leased: Leased,
      change: Change
    ) => Effect.Effect<Leased | undefined, StoreUnavailable>
    readonly get: (
      method: Method,
      transactionId: string
    ) => Effect.Effect<Row | undefined, StoreUnavailable>
    readonly deadLetters: Effect.Effect<ReadonlyArray<Row>, StoreUnavailable>
    readonly redrive: (key: Key, at: number) => Effect.Effect<boolean, StoreUnavailable>
    readonly backlog: (at: number) => Effect.Effect<Backlog, StoreUnavailable>
    readonly forget: (options: {
      readonly before: number
      readonly limit: number
    }) => Effect.Effect<number, StoreUnavailable>
    readonly quarantined: Effect.Effect<ReadonlyArray<Verified>, StoreUnavailable>
    readonly awaitWork: Effect.Effect<void>
    readonly pollInterval: Duration.Duration
  }
>()("@pawl/webhook/Ledger") {}

/**
 * How much there is to do: the rows that are due and nobody works on, since when the oldest of them is
 * (ms since the epoch; undefined when there is none), and the dead letters.
 *
 * @category models
 * @since 0.1.0
 */
export interface Backlog {
  readonly due: number
  readonly oldestDueAt: number | undefined
  readonly deadLetters: number
}

/**
 * What became of an accepted callback.
 *
 * @category models
 * @since 0.1.0
 */
export interface Accepted {
  readonly isNew: boolean
}

/**
 * An operation the merchant started, to be followed from now on, callbacks or not. `transactionId` is
 * what its status endpoint takes: of a refund that is the refundId.
 *
 * @category models
 * @since 0.1.0
 */
export interface Registration extends Ordered {
  readonly kind: KnownKind
  readonly transactionId: string
  readonly status?: Status | undefined
}

/**
 * What an answer of the service says of the operation it made. A refund names itself by `refundId`.
 *
 * @category models
 * @since 0.1.0
 */
export type CreateResponse = { readonly transactionStatus: OpenStatus } & (
  | { readonly transactionId: string }
  | { readonly refundId: string }
)

/**
 * Registers the operation that an answer of the service is about: the one line after a create.
 *
 * **Details**
 *
 * Account, amount and currency of `request` are what the callbacks of APM payments, payouts and refunds
 * are held against; without it they are not. An operation that was `Declined` has a `response` too.
 *
 * **Example** (After a create)
 *
 * ```ts
 * import * as Ledger from "@pawl/webhook/Ledger"
 * import * as Effect from "effect/Effect"
 *
 * const request = { accountId: "4711", amount: "10.00", currency: "EUR" }
 * const response = { transactionId: "100001", transactionStatus: "NEW" }
 *
 * const program = Effect.gen(function* () {
 *   yield* Ledger.register("apm-payment", response, request)
 *   const ledger = yield* Ledger.Ledger
 *   return (yield* ledger.get("apm", "100001"))?.kind
 * })
 *
 * Effect.runSync(Effect.provide(program, Ledger.layerMemory)) // => "apm-payment"
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const register = Effect.fn("Ledger.register")(function* (
  kind: Registration["kind"],
  response: CreateResponse,
  request: CreateRequest = {}
): Effect.fn.Return<void, StoreUnavailable, Ledger> {
  const ledger = yield* Ledger
  const { transactionStatus } = response
  yield* ledger.register(
    {
      ...orderedOf(request),
      kind,
      transactionId: "refundId" in response ? response.refundId : response.transactionId,
      status: isStatus(transactionStatus) ? transactionStatus : undefined
    },
    yield* Clock.currentTimeMillis
  )
})

/**
 * Layer that keeps the ledger in memory: the default for tests, gone with the process.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<Ledger> = Layer.effect(Ledger, Memory.make)
