/**
 * Several databases as one store, for more transactions than one database carries.
 *
 * **Details**
 *
 * Each transaction lives in one shard: a stable hash of its method and signed id says which. So all callbacks of a
 * transaction, and all of its work, are in one database, and the handler's `commit` runs there. The token of a
 * callback URL names no transaction, so it does not change the shard. A request lives in the shard of its requestId, and
 * its transaction is registered in the shard of the transaction.
 *
 * A shard that is not available answers 503 for its own transactions. Each shard has a worker of its own, with an equal share
 * of the slots and of the read budget.
 *
 * Each database keeps its place among the shards. A receiver with other databases, or with the same ones in another
 * order, does not start. `move` adds databases.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as LedgerRecords from "./internal/ledger/LedgerRecords.ts"
import * as Move from "./internal/ledger/Move.ts"
import * as Requests from "./internal/ledger/Requests.ts"
import * as Settings from "./internal/ledger/Settings.ts"
import * as Engines from "./internal/records/Engines.ts"
import * as ShardOf from "./internal/records/ShardOf.ts"
import { Ledger } from "./Ledger.ts"
import { Transactions } from "./LedgerSql.ts"
import { Records } from "./internal/records/Records.ts"
import { RequestStore } from "./internal/ledger/RequestStore.ts"

/**
 * The key of a transaction or of a request.
 *
 * @category models
 * @since 0.1.0
 */
export type ShardKey = ShardOf.ShardKey

/**
 * Returns the position of the shard where a transaction or a request lives, from 0.
 *
 * @category getters
 * @since 0.1.0
 */
export const shardOf: (key: ShardKey, count: number) => number = ShardOf.shardOf

/**
 * Error raised when a database has another place among the shards: a database was added, removed or named in another
 * order, or its rows are being moved. `position` counts from 0.
 *
 * @category errors
 * @since 0.1.0
 */
export class ShardMisplaced extends Data.TaggedError("ShardMisplaced")<{
  readonly position: number
  readonly count: number
}> {
  override get message() {
    return `Store ${this.position + 1} of ${this.count} has another place among the shards, or its rows were not moved to the end: name all stores in the order of the last start, or stop all receivers and run once with --move-rows`
  }
}

/**
 * Layer that makes one store of several ones. The order of the layers must never change.
 *
 * **Gotchas**
 *
 * With `Transactions` in all of them, `run` needs the key of the transaction or request whose rows are written.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E, R, S = never>(
  stores: Arr.NonEmptyReadonlyArray<Layer.Layer<Ledger | Records | RequestStore | S, E, R>>
): Layer.Layer<Ledger | Records | RequestStore | Extract<S, Transactions>, E | ShardMisplaced, R> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const count = stores.length
      const shards = yield* Effect.forEach(stores, (store, position) =>
        Effect.tap(Layer.build(Layer.fresh(store)), (built) =>
          takePlace(recordsOf(built), { position, count })
        )
      )
      const [first] = shards
      if (shards.length === 1) return first
      const engines = Engines.make(Arr.map(shards, recordsOf))
      const ledger = LedgerRecords.make(engines)
      const transactions = shards.flatMap((built) =>
        Option.toArray(Context.getOption(built as Context.Context<Transactions>, Transactions))
      )
      const run: Transactions["Service"]["run"] = (work, key) => {
        const shard = key && transactions[shardOf(key, count)]
        return shard === undefined ? Effect.die(unnamed) : shard.run(work)
      }
      const context = Context.make(Ledger, ledger).pipe(
        Context.add(Records, engines),
        Context.add(RequestStore, Requests.make(engines, ledger))
      )
      return transactions.length === count ? Context.add(context, Transactions, { run }) : context
    }).pipe(
      Effect.map(
        (context) =>
          context as Context.Context<Ledger | Records | RequestStore | Extract<S, Transactions>>
      )
    )
  )

const unnamed = new Error(
  "Each shard has transactions of its own: name the transaction or the request"
)

const recordsOf = (built: Context.Context<never>) =>
  Context.get(built as Context.Context<Records>, Records).own[0]

const takePlace = (records: Records["Service"]["own"][0], place: Settings.Place) =>
  Effect.flatMap(Effect.orDie(Settings.takePlace(records, place)), (isTaken) =>
    isTaken ? Effect.void : Effect.fail(new ShardMisplaced(place))
  )

/**
 * Moves the rows of stores to the shards where they belong, and returns the number of moved transactions and requests. The
 * stores are those of the next start, in its order. The first ones have rows; the others are new.
 *
 * **Gotchas**
 *
 * Stop all receivers before. The service repeats callbacks for 62 minutes. If a move is interrupted, run it again: until
 * then no receiver starts.
 *
 * @category running
 * @since 0.1.0
 */
export const move: (
  stores: Arr.NonEmptyReadonlyArray<Records["Service"]>
) => Effect.Effect<number, StoreUnavailable> = (stores) =>
  Move.move(Arr.map(stores, ({ own }) => own[0]))
