/**
 * The ledger in SQLite or PostgreSQL, over any `SqlClient` of the two dialects.
 *
 * **Details**
 *
 * Any number of processes may share a database. Every call returns after its commit; waiting
 * changes share one. Conflicts are retried. A statement that is refused, or takes longer than three
 * seconds, fails with `StoreUnavailable`.
 *
 * @see `NodeSqlite` for one machine
 * @see `NodePostgres` for several machines
 * @since 0.1.0
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { Handler, type Transition } from "@pawl/core/Handler"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { MigrationError } from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Settings from "./internal/ledger/Settings.ts"
import * as Engines from "./internal/records/Engines.ts"
import * as SqlEngine from "./internal/records/SqlEngine.ts"
import * as Retry from "./internal/sql/Retry.ts"
import * as SqlSchema from "./internal/sql/Schema.ts"
import * as Server from "./internal/sql/Server.ts"
import type { Ledger } from "./Ledger.ts"
import { Records } from "./internal/records/Records.ts"
import { type RequestStore, services } from "./internal/ledger/RequestStore.ts"

export { type ShardKey, shardOf } from "./internal/records/Engines.ts"

/**
 * Error raised when the database cannot be used, or has the rows of another merchant.
 *
 * @category errors
 * @since 0.1.0
 */
export type StartError = SqlError | MigrationError

/**
 * Service that runs work in one database transaction, with the ledger's writes inside it.
 *
 * **Gotchas**
 *
 * - On SQLite a transaction blocks every accept.
 * - A transaction that takes longer than three seconds fails.
 *
 * @category services
 * @since 0.1.0
 */
export class Transactions extends Context.Service<
  Transactions,
  {
    /**
     * Runs `work` and commits. Fails with `StoreUnavailable` if a retry may help: the database is
     * busy, unavailable, read-only after a fail-over, or had a conflict. Other errors are returned
     * unchanged. `layerShards` needs `key`: the transaction or request whose rows are written.
     */
    readonly run: <A, E, R>(
      work: Effect.Effect<A, E, R>,
      key?: Engines.ShardKey
    ) => Effect.Effect<A, E | SqlError | StoreUnavailable, Exclude<R, SqlClient>>
  }
>()("@pawl/webhook/LedgerSql/Transactions") {}

/**
 * Layer that makes a handler of two parts: `handle`, and `commit`, whose writes are committed with
 * the delivery of the transition, so a crash repeats none of them.
 *
 * **Details**
 *
 * `handle` runs first, outside every transaction. `commit` then runs with the ledger's `SqlClient`,
 * in the transaction of the ledger's database that marks the transition as delivered. If either
 * fails, the call is retried.
 *
 * **Gotchas**
 *
 * Put only SQL writes into `commit`: it runs again after a conflict, and other transactions wait
 * for it.
 *
 * **Example** (An order is paid once)
 *
 * ```ts
 * import * as LedgerSql from "@pawl/webhook/LedgerSql"
 * import * as Effect from "effect/Effect"
 * import { SqlClient } from "effect/sql/SqlClient"
 *
 * const handler = LedgerSql.handler({
 *   handle: ({ to, transactionId }) => Effect.logInfo(transactionId, to),
 *   commit: ({ requestId, to }) =>
 *     Effect.flatMap(
 *       SqlClient,
 *       (sql) => sql`UPDATE orders SET status = ${to} WHERE id = ${requestId}`
 *     )
 * })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const handler = <E1 = never, R1 = never, E2 = never, R2 = never>({
  commit,
  handle = () => Effect.void
}: {
  readonly handle?: (transition: Transition) => Effect.Effect<void, E1, R1>
  readonly commit: (transition: Transition) => Effect.Effect<unknown, E2, R2>
}): Layer.Layer<Handler, never, Transactions | R1 | Exclude<R2, SqlClient>> =>
  Layer.effect(
    Handler,
    Effect.gen(function* () {
      const { run } = yield* Transactions
      const context = yield* Effect.context<R1 | Exclude<R2, SqlClient>>()
      return {
        handle: (transition: Transition) => Effect.provide(handle(transition), context),
        commit: <A, E>(transition: Transition, markTold: Effect.Effect<A, E>) =>
          run(
            Effect.flatMap(SqlClient, (sql) =>
              Effect.tap(
                markTold,
                commit(transition).pipe(
                  Effect.provideService(SqlClient, sql),
                  Effect.provide(context)
                )
              )
            ),
            transition
          )
      }
    })
  )

/**
 * Makes the tables or brings them up to date, and returns their version. Several processes may run
 * it at once. Fails on a server that `layer` refuses.
 *
 * @category constructors
 * @since 0.1.0
 */
export const migrate: Effect.Effect<number, StartError, SqlClient> = Effect.suspend(() =>
  Effect.andThen(SqlSchema.migrate, SqlSchema.version)
)

/**
 * Layer that keeps the ledger and the request store in the database of a `SqlClient`, and migrates
 * its tables.
 *
 * **Details**
 *
 * Fails if the PostgreSQL role lacks a right, which it names, if the server is read-only, behind a
 * pooler that is not in session mode, or does not answer a check within 15 seconds, or if a commit
 * may return before it is on disk (`synchronous_commit` or `fsync` is off).
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<
  Ledger | Records | RequestStore | Transactions,
  StartError,
  SqlClient
> = Layer.effectContext(
  Effect.gen(function* () {
    const client = yield* SqlClient
    const sql = client.withoutTransforms()
    const scope = yield* Effect.scope
    yield* SqlSchema.migrate
    const retire = yield* Server.makeRetire(sql)
    const records = yield* SqlEngine.make(sql, retire)
    const run: Transactions["Service"]["run"] = (work) =>
      Effect.provideService(work, SqlClient, client).pipe(
        client.withTransaction,
        Retry.failOnSqlDefect,
        Retry.timeoutIn(scope),
        Effect.tapError((error) => (isSqlError(error) ? retire(error) : Effect.void)),
        Effect.mapError((error) =>
          isSqlError(error) && (error.isRetryable || Server.isReadOnly(error))
            ? new StoreUnavailable({ cause: error })
            : error
        )
      )
    return Context.add(services(Engines.make([records])), Transactions, { run })
  })
)

/**
 * Error raised when the list of databases was changed or reordered, or their rows are being moved.
 *
 * @category errors
 * @since 0.1.0
 */
export class ShardMisplaced extends Data.TaggedError("ShardMisplaced")<{
  /** The position of the database in the list, from 0. */
  readonly position: number
  /** The number of databases in the list. */
  readonly count: number
}> {
  override get message() {
    return `Store ${this.position + 1} of ${this.count} has another place among the shards, or its rows were not moved to the end: name each database once, all in the order of the last start, or stop all receivers and run once with --move-rows`
  }
}

/**
 * Layer that makes one store of several databases, for more transactions than one database can
 * carry.
 *
 * **Details**
 *
 * A stable hash of method and signed id assigns each transaction, with its callbacks, its work and
 * the handler's `commit`, to a shard. A request lives in the shard of its requestId. An unavailable
 * shard answers 503 for its own transactions. Each shard has a worker, with an equal share of the
 * slots and of the read budget.
 *
 * **Gotchas**
 *
 * - The order of the databases must never change; else the receiver does not start.
 *   `pawl-receiver --move-rows` adds databases.
 * - `Transactions.run` needs the key of the transaction or request.
 * - Fails with `StoreUnavailable` if a database refuses its first write, or does not answer it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerShards = <E, R, S = never>(
  stores: Arr.NonEmptyReadonlyArray<Layer.Layer<Ledger | Records | RequestStore | S, E, R>>
): Layer.Layer<
  Ledger | Records | RequestStore | Extract<S, Transactions>,
  E | ShardMisplaced | StoreUnavailable,
  R
> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const count = stores.length
      const shards = yield* Effect.forEach(stores, (store) => Layer.build(Layer.fresh(store)))
      // A database that is named twice must not keep a place of several.
      const isOnce = count === 1 || (yield* Settings.areDistinct(shards.map(recordsOf)))
      yield* Effect.forEach(shards, (built, position) =>
        takePlace(recordsOf(built), { position, count }, isOnce)
      )
      const [first] = shards
      if (shards.length === 1) return first
      const context = services(Engines.make(Arr.map(shards, recordsOf)))
      const transactions = shards.flatMap((built) =>
        Option.toArray(Context.getOption(built as Context.Context<Transactions>, Transactions))
      )
      const run: Transactions["Service"]["run"] = (work, key) => {
        const shard = key && transactions[Engines.shardOf(key, count)]
        return shard === undefined ? Effect.die(unnamed) : shard.run(work)
      }
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

const takePlace = (
  records: Records["Service"]["own"][0],
  place: Settings.Place,
  isOnce: boolean
): Effect.Effect<void, ShardMisplaced | StoreUnavailable> =>
  Effect.flatMap(isOnce ? Settings.takePlace(records, place) : Effect.succeed(false), (isTaken) =>
    isTaken ? Effect.void : Effect.fail(new ShardMisplaced(place))
  )
