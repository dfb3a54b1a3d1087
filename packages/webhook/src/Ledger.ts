/**
 * Durable storage of callbacks: one row for each transaction, with its evidence, its last read, the
 * status last delivered to the handler, and its next due time.
 *
 * **Details**
 *
 * `accept` commits a callback before the response may be 200. A worker leases due rows with `claim`
 * and commits its results with `write`; without the lease that changes nothing. Evidence is joined
 * and never replaced, so a callback that arrives during a lease is kept.
 *
 * The token of the callback URL names the row. Without a token the callback joins the row of its
 * signed id, else a new row whose kind a read finds. An unsigned id names only a registered refund,
 * if `Profile.refundCallbackId` allows it.
 *
 * Processes that share a database must agree on the time, which `time` returns.
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
import * as LedgerOperations from "./internal/ledger/LedgerOperations.ts"
import * as Engines from "./internal/records/Engines.ts"
import * as MemoryStore from "./internal/records/MemoryStore.ts"
import type { Operations } from "./internal/ledger/LedgerOperations.ts"
import type { RegisteredDifferently } from "./internal/rule/Order.ts"
import { Records } from "./internal/records/Records.ts"
import { type CreateRequest, orderedOf } from "./internal/rule/Row.ts"

/**
 * Error raised when a store cannot be opened, or belongs to another merchant key or base URL.
 *
 * @category errors
 * @since 0.1.0
 */
export { StoreUnusable } from "./internal/ledger/Owner.ts"

/**
 * Error of `register`: its row already has another account, amount, currency or requestId.
 *
 * @category errors
 * @since 0.1.0
 */
export { RegisteredDifferently } from "./internal/rule/Order.ts"

/**
 * Service that keeps callbacks and the rows of their transactions.
 *
 * @category services
 * @since 0.1.0
 */
export class Ledger extends Context.Service<Ledger, Operations>()("@pawl/webhook/Ledger") {}

/**
 * The id and status in the response to a create. The id of a refund is its `refundId`.
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
 * The account of each callback is compared with `request`, if it is given; for APM payments,
 * payouts and refunds also the amount and the currency. After the error `Declined`, register its
 * `response`. A repeat changes nothing.
 *
 * Fails with `RegisteredDifferently` and raises an alarm if the row has another account, amount,
 * currency or requestId: two operations share an id, or `request` is not the one that was sent.
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
  const at = ledger.time(yield* Clock.Clock, key)
  yield* ledger
    .register({ ...orderedOf(request), kind, transactionId, status }, at)
    .pipe(Effect.tapErrorTag("RegisteredDifferently", ({ message }) => raiseAlarm(message, key)))
})

/**
 * Layer that keeps the ledger in memory, for tests. Its rows end with the process.
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
