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
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Move from "./internal/shards/Move.ts"
import * as ShardedLedger from "./internal/shards/ShardedLedger.ts"
import * as ShardedRequests from "./internal/shards/ShardedRequests.ts"
import * as ShardOf from "./internal/shards/ShardOf.ts"
import { Ledger } from "./Ledger.ts"
import { Transactions } from "./LedgerSql.ts"
import { RequestStore } from "./RequestStore.ts"

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
  stores: Arr.NonEmptyReadonlyArray<Layer.Layer<Ledger | RequestStore | S, E, R>>
): Layer.Layer<Ledger | RequestStore | Extract<S, Transactions>, E | ShardMisplaced, R> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const count = stores.length
      const shards = yield* Effect.forEach(stores, (store, position) =>
        Effect.tap(Layer.build(Layer.fresh(store)), (built) =>
          takePlace(Context.get(built as Context.Context<Ledger>, Ledger), { position, count })
        )
      )
      const [first] = shards
      if (shards.length === 1) return first
      const requests: RequestStore["Service"] = ShardedRequests.make(
        Arr.map(shards, (built) =>
          Context.get(built as Context.Context<RequestStore>, RequestStore)
        ),
        { register: (registration, at) => ledger.register(registration, at) }
      )
      const ledger: Ledger["Service"] = ShardedLedger.make(
        Arr.map(shards, (built) => Context.get(built as Context.Context<Ledger>, Ledger)),
        requests.find
      )
      const transactions = shards.flatMap((built) =>
        Option.toArray(Context.getOption(built as Context.Context<Transactions>, Transactions))
      )
      const run: Transactions["Service"]["run"] = (work, key) => {
        const shard = key && transactions[shardOf(key, count)]
        return shard === undefined
          ? Effect.die(
              new Error(
                "Each shard has transactions of its own: name the transaction or the request"
              )
            )
          : shard.run(work)
      }
      return Context.empty().pipe(
        Context.add(Ledger, ledger),
        Context.add(RequestStore, requests),
        (context) =>
          transactions.length === count ? Context.add(context, Transactions, { run }) : context
      ) as Context.Context<Ledger | RequestStore | Extract<S, Transactions>>
    })
  )

const takePlace = (ledger: Ledger["Service"], place: { position: number; count: number }) =>
  ledger.takePlace === undefined
    ? Effect.void
    : Effect.flatMap(Effect.orDie(ledger.takePlace(place)), (isTaken) =>
        isTaken ? Effect.void : Effect.fail(new ShardMisplaced(place))
      )

/**
 * Moves the rows of databases to the shards where they belong, and returns the number of moved rows. The databases are those of
 * the next start, in its order. The first ones have rows; the others are new, and have the tables of a ledger.
 *
 * **Gotchas**
 *
 * Stop all receivers before. The service repeats callbacks for 62 minutes. If a move is interrupted, run it again: until
 * then no receiver starts.
 *
 * @category running
 * @since 0.1.0
 */
export const move: (databases: ReadonlyArray<SqlClient>) => Effect.Effect<number, SqlError> =
  Move.move
