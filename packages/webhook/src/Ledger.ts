/**
 * The ledger: durable storage of callbacks and of the rows that they belong to, one row for each transaction.
 *
 * **Details**
 *
 * A row holds the evidence of its transaction, the last read, the status that the handler was last told,
 * and the time at which work on it is due. `accept` writes a callback to its row in one durable step; only
 * after that may the response be 200. A worker `claim`s rows that are due, which leases them, and
 * `write`s its results. A write without the lease changes nothing. `RowRule` states exactly how each
 * operation changes a row.
 *
 * A callback belongs to the row of the kind that the token in its URL names, with its signed id. Without a token it
 * belongs to the row that its id already has, else to a new row, and a read finds the kind of that row. An id that is
 * not signed names only a registered refund, and only if `Profile.refundCallbackId` says so.
 *
 * Evidence is joined, never replaced, so a callback that comes during a lease is never lost. If that
 * callback brings a new status, it resets the poll ladder, and the worker's write leaves the ladder as it
 * is. Work that becomes due during a lease is still due after it.
 *
 * Every operation takes the time as a parameter. `time` is that time: processes that share a database on several
 * machines have to agree on it.
 *
 * @since 0.1.0
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import { isStatus, type Status } from "@pawl/core/Status"
import { type KnownKind, type Method, methodOf } from "@pawl/core/Kind"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Archive } from "./Archive.ts"
import type { Note } from "./Fact.ts"
import { alarmsFor } from "./internal/Counters.ts"
import * as LedgerClock from "./internal/LedgerClock.ts"
import * as Memory from "./internal/memory/Memory.ts"
import * as ShardedLedger from "./internal/shards/ShardedLedger.ts"
import type { PerLane } from "./Lane.ts"
import type { Reservation, Wanted } from "./ReadBudget.ts"
import {
  type Change,
  type CreateRequest,
  type DeadLetter,
  type Key,
  type Leased,
  orderedOf,
  type Parked,
  type ParkedKey,
  type Registration,
  type Row
} from "./Row.ts"
import type { RegisteredDifferently } from "./Order.ts"
import type { PageOptions, PlannedKey, PlannedPage, RowPage } from "./RowPages.ts"
import type { Story } from "./Story.ts"
import type { Verified } from "./Verifier.ts"

/**
 * Service that keeps callbacks and the rows that they belong to.
 *
 * - `accept` stores a verified callback.
 * - `register` makes a row for an operation, or takes the row that its callbacks made. A second registration changes
 *   nothing that was ordered: with another account, amount or currency it fails.
 * - `claim` leases up to `limit` rows of each lane that are due, oldest first, until `until`. Of those in the lane of first
 *   reads, `newest` are the newest instead of the oldest; 0 by default, and at most the limit of that lane. `dueAt` is when the next
 *   row may be claimed in the lanes whose limit is not 0; undefined when no row may be.
 * - `write` changes a leased row and returns the changed row; undefined when the lease was lost. If another row
 *   of the id has the kind in the change, the leased row is joined to that row and removed, and the result is
 *   undefined too.
 * - `get` finds a row by method and id. If there are several, it returns the payment, else the payout, else the
 *   refund, else the row whose kind is not known.
 * - `story` returns the rows of a method and id with their facts.
 * - `page` looks at up to `limit` rows behind `after`, in the order of their keys, and returns those that were created at
 *   `from` or later and before `before`. `last` is the key of the last row that it looked at; undefined if there are no more.
 *   PostgreSQL orders keys by the collation of its database. Pages of several databases (`shards`) are joined in the order of
 *   the characters, and miss rows if a database has another collation than `C` or `C.UTF-8`: page each shard by itself then.
 * - `isRegisteredRefund` tells whether a card refund with the id is registered.
 * - `body` returns the body of the newest callback of a row that claims a status, as the bytes that came; undefined if
 *   there is none or it was deleted.
 * - `deadLetters` lists a page of the dead letters, oldest first: those behind `after`, of one `reason` if there is
 *   one. `redrive` makes the dead letters that a key names due again, and returns false when the key names none.
 *   A `note` says who redrives them, and why.
 * - `redriveAll` redrives up to `limit` dead letters of a reason that were parked at `before` or earlier, oldest first,
 *   and returns their number. The first is due at `dueAt`, and then `rate` of them in each second.
 * - `backlog` counts the rows that are due at a time, and the dead letters.
 * - `deleteBodies` deletes the bodies of callbacks that came before `before`, except those of dead letters: at most
 *   `limit` accepted ones and `limit` quarantined ones. It returns the number deleted, and 0 if there is none left. It fails if
 *   it deleted none because of an error. Rows and counts stay.
 * - `quarantined` lists the verified callbacks that cannot be acted on, oldest first. At most 16 bodies of a
 *   transaction are kept, each once: the first 15 and the last one.
 * - `shift` is called when the clock was set back by `by` milliseconds to `at`, where rows would be due too late: those
 *   due within twice that time and the time of a lease are due earlier by it, and no lease ends after `until`.
 * - `noteAlive` stores the time at which a worker is alive, and `lastAliveAt` returns the last such time; undefined if
 *   there is none.
 * - `checkWritable` succeeds if the ledger can be written now. It makes a durable write of its own.
 * - `bringForward` brings a page of planned reads forward, and returns the place of the last of them, or undefined if
 *   there is no further page (`RowPages.bringForward`).
 * - `reserveReads` reserves reads of the service from the budget that all processes of the ledger share, and `lowerReads`
 *   lowers its rate after a 429 (`ReadBudget`). The clock of the database decides, where there is one.
 * - `archive` moves finished rows to the archive, drops old ones, and erases what a person may ask to be erased (`Archive`).
 * - `takePlace` keeps the place of a database without rows among the shards of a ledger, and tells whether the database has
 *   it. A ledger without it may have any place.
 * - `shards`: the ledgers of which this one is made, each with its own work (`sharded`).
 * - `time` returns the time of the ledger, in milliseconds since the epoch, from the clock of the process; with a key that of
 *   the shard of its transaction. Without it the clock of the process counts.
 * - `awaitWork` completes when a row was made due or released in this process since `awaitWork` last completed.
 * - `pollInterval` is the longest wait before a worker looks for rows that other processes made due. It is infinite for
 *   a ledger that ends with its process.
 *
 * @category services
 * @since 0.1.0
 */
export class Ledger extends Context.Service<Ledger, Operations>()("@pawl/webhook/Ledger") {}

/**
 * The operations of a ledger.
 *
 * @category models
 * @since 0.1.0
 */
export interface Operations {
  readonly accept: (verified: Verified, at: number) => Effect.Effect<Accepted, StoreUnavailable>
  readonly register: (
    registration: Registration,
    at: number
  ) => Effect.Effect<void, StoreUnavailable | RegisteredDifferently>
  readonly claim: (options: {
    readonly at: number
    readonly until: number
    readonly limit: number | PerLane
    readonly newest?: number | undefined
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
  readonly story: (
    method: Method,
    transactionId: string
  ) => Effect.Effect<ReadonlyArray<Story>, StoreUnavailable>
  readonly page: (options: PageOptions) => Effect.Effect<RowPage, StoreUnavailable>
  readonly isRegisteredRefund: (refundId: string) => Effect.Effect<boolean, StoreUnavailable>
  readonly body: (
    key: Required<Key>,
    status: Status
  ) => Effect.Effect<Uint8Array | undefined, StoreUnavailable>
  readonly deadLetters: (page: {
    readonly limit: number
    readonly after?: ParkedKey | undefined
    readonly reason?: DeadLetter["reason"] | undefined
  }) => Effect.Effect<ReadonlyArray<Parked>, StoreUnavailable>
  readonly redrive: (key: Key, at: number, note?: Note) => Effect.Effect<boolean, StoreUnavailable>
  readonly redriveAll: (options: {
    readonly reason: DeadLetter["reason"]
    readonly before: number
    readonly dueAt: number
    readonly rate: number
    readonly limit: number
    readonly note?: Note | undefined
  }) => Effect.Effect<number, StoreUnavailable>
  readonly backlog: (at: number) => Effect.Effect<Backlog, StoreUnavailable>
  readonly deleteBodies: (options: {
    readonly before: number
    readonly limit: number
  }) => Effect.Effect<number, StoreUnavailable>
  readonly quarantined: Effect.Effect<ReadonlyArray<Verified>, StoreUnavailable>
  readonly shift: (options: {
    readonly at: number
    readonly by: number
    readonly until: number
  }) => Effect.Effect<void, StoreUnavailable>
  readonly noteAlive: (at: number) => Effect.Effect<void, StoreUnavailable>
  readonly lastAliveAt: Effect.Effect<number | undefined, StoreUnavailable>
  readonly checkWritable: Effect.Effect<void, StoreUnavailable>
  readonly bringForward: (
    page: PlannedPage
  ) => Effect.Effect<PlannedKey | undefined, StoreUnavailable>
  readonly reserveReads: (
    wanted: Wanted,
    at: number
  ) => Effect.Effect<Reservation, StoreUnavailable>
  readonly lowerReads: (
    by: { readonly limit: number; readonly retryAfter?: number | undefined },
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  readonly archive: Archive
  readonly takePlace?: (place: Place) => Effect.Effect<boolean, StoreUnavailable>
  readonly shards?: ReadonlyArray<Operations>
  readonly time?: (
    clock: Clock.Clock,
    key?: { readonly method: Method; readonly transactionId: string }
  ) => number
  readonly awaitWork: Effect.Effect<void>
  readonly pollInterval: Duration.Duration
}

/**
 * The place of a database among the shards of a ledger: its position, from 0, and the number of shards.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place {
  readonly position: number
  readonly count: number
}

/**
 * The open work.
 *
 * - `due`: the number of rows that may be claimed.
 * - `oldestDueAt`: the time since which the oldest of these rows may be claimed, in milliseconds since the epoch;
 *   undefined when there is no such row.
 * - `deadLetters`: the number of dead letters.
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
 * The result of accepting a callback: `isNew` is false if a callback claimed the same status before. In quarantine it
 * is false if the same body is stored already, and `hasReplaced` is true if its transaction had no more room there.
 *
 * @category models
 * @since 0.1.0
 */
export interface Accepted {
  readonly isNew: boolean
  readonly hasReplaced?: boolean
}

/**
 * The fields of the response to a create that have the id of the operation and its status. The id of a refund
 * is its `refundId`.
 *
 * @category models
 * @since 0.1.0
 */
export type CreateResponse = { readonly transactionStatus: OpenStatus } & (
  | { readonly transactionId: string }
  | { readonly refundId: string }
)

/**
 * Registers the operation that a create has started. Call it after every create.
 *
 * **Details**
 *
 * The account of each callback is compared with `request`; for APM payments, payouts and refunds also the amount
 * and the currency. Without `request` nothing is compared. After the error `Declined`, register its `response`.
 *
 * The same registration may be made again. With another account, amount or currency it fails with
 * `RegisteredDifferently`, changes nothing and raises an alarm: two operations have one id, or the request of the create
 * was not the one that is registered.
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
// PURE: a receiver does not register, so its bundle drops this.
export const register = /* @__PURE__ */ Effect.fn("Ledger.register")(function* (
  kind: KnownKind,
  response: CreateResponse,
  request: CreateRequest = {}
): Effect.fn.Return<void, StoreUnavailable | RegisteredDifferently, Ledger> {
  const ledger = yield* Ledger
  const { transactionStatus } = response
  const transactionId = "refundId" in response ? response.refundId : response.transactionId
  const status = isStatus(transactionStatus) ? transactionStatus : undefined
  const key = { method: methodOf(kind), transactionId }
  const at = LedgerClock.timeOf(ledger, yield* Clock.Clock, key)
  yield* ledger.register({ ...orderedOf(request), kind, transactionId, status }, at).pipe(
    Effect.tapErrorTag("RegisteredDifferently", ({ message: reason }) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const event = { _tag: "Alarm", reason } as const
        alarmsFor(reason).updateUnsafe(1, context)
        return Effect.annotateLogs(Effect.logWarning(event), key)
      })
    )
  )
})

/**
 * Layer that keeps the ledger in memory, for tests. Its rows are lost when the process ends.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<Ledger> = Layer.effect(Ledger, Memory.make)

/**
 * Makes a ledger of several ledgers, which are its shards: each transaction belongs to one of them, by a hash of its
 * method and signed id.
 *
 * **Details**
 *
 * A shard that is not available fails the callbacks of its own transactions alone. Order and limits hold within a shard. A
 * receiver works on each shard by itself. `Shards` makes the layers, and keeps the requests and the commits of a handler in
 * the right database.
 *
 * **Gotchas**
 *
 * The number of the ledgers and their order decide where a row is looked for, so neither may change while there are rows.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sharded = (ledgers: readonly [Operations, ...ReadonlyArray<Operations>]): Operations =>
  ShardedLedger.make(ledgers)
