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
import { type KnownKind, methodOf } from "@pawl/core/Kind"
import { isStatus } from "@pawl/core/Status"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { raiseAlarm } from "./internal/rule/Counters.ts"
import * as LedgerClock from "./internal/ledger/LedgerClock.ts"
import * as LedgerOperations from "./internal/ledger/LedgerOperations.ts"
import * as Engines from "./internal/records/Engines.ts"
import * as MemoryStore from "./internal/records/MemoryStore.ts"
import type { Operations } from "./internal/ledger/LedgerOperations.ts"
import type { RegisteredDifferently } from "./internal/rule/Order.ts"
import { Records } from "./internal/records/Records.ts"
import { type CreateRequest, orderedOf } from "./internal/rule/Row.ts"

/**
 * Error raised when a store cannot be opened, or belongs to another merchant key or base URL. The message is one sentence without a
 * password.
 *
 * @category errors
 * @since 0.1.0
 */
export { StoreUnusable } from "./internal/ledger/Owner.ts"

/**
 * Service that keeps callbacks and the rows that they belong to.
 *
 * @category services
 * @since 0.1.0
 */
export class Ledger extends Context.Service<Ledger, Operations>()("@pawl/webhook/Ledger") {}

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
  yield* ledger
    .register({ ...orderedOf(request), kind, transactionId, status }, at)
    .pipe(Effect.tapErrorTag("RegisteredDifferently", ({ message }) => raiseAlarm(message, key)))
})

/**
 * Layer that keeps the ledger in memory, for tests. Its rows are lost when the process ends.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<Ledger | Records> = Layer.effectContext(
  Effect.map(MemoryStore.makeEngine, (records) => {
    const engines = Engines.make([records])
    return Context.make(Records, engines).pipe(Context.add(Ledger, LedgerOperations.make(engines)))
  })
)
