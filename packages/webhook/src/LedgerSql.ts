/**
 * The ledger in a database: SQLite in the process, or PostgreSQL when one machine is not enough.
 *
 * **Details**
 *
 * Runs on any `SqlClient` of either dialect; `NodeSqlite` and `NodePostgres` bring theirs. Every step is
 * one upsert or one UPDATE under a lease, so any number of processes may share a database: evidence is
 * joined where it lies, and nothing is read to be written back. Nothing returns before its commit.
 *
 * `accept` commits in groups of whatever waits: the disk's flush, which is what accepting costs, is
 * shared by all that came during the last one. SQLite's writes are grouped too.
 *
 * What conflicts is done again; what takes longer than three seconds, or cannot be done, is
 * `StoreUnavailable`, and the next call finds the store as it then is.
 *
 * @since 0.1.0
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Evidence from "@pawl/core/Evidence"
import { type Method, methodOf } from "@pawl/core/Kind"
import { Handler, type Transition } from "@pawl/core/Handler"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { MigrationError } from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Commit from "./internal/sql/Transactions.ts"
import * as Group from "./internal/sql/GroupCommit.ts"
import * as SqlAccept from "./internal/sql/Accept.ts"
import * as SqlBacklog from "./internal/sql/Backlog.ts"
import * as SqlClaim from "./internal/sql/Claim.ts"
import * as SqlForget from "./internal/sql/Forget.ts"
import * as SqlLetters from "./internal/sql/DeadLetters.ts"
import * as SqlQuarantine from "./internal/sql/Quarantine.ts"
import { type Columns, rowOf } from "./internal/sql/RowCodec.ts"
import * as SqlSchema from "./internal/sql/Schema.ts"
import * as SqlWrite from "./internal/sql/Write.ts"
import * as Store from "./internal/sql/Retry.ts"
import { type Accepted, Ledger, type Registration } from "./Ledger.ts"
import { type Change, find, type Leased, orderedOf } from "./Row.ts"
import type { Verified } from "./Verifier.ts"

/**
 * Why a ledger did not start: the database cannot be used, or its tables could not be made.
 *
 * @category errors
 * @since 0.1.0
 */
export type StartError = SqlError | MigrationError

/**
 * Service that runs work in one transaction of the ledger's own database, in which a write of the ledger
 * takes part. Only what keeps a ledger in a database provides it.
 *
 * **Gotchas**
 *
 * A transaction holds up every accept on SQLite, and is given up after three seconds.
 *
 * @category services
 * @since 0.1.0
 */
export class Transactions extends Context.Service<
  Transactions,
  {
    readonly run: <A, E>(
      work: Effect.Effect<A, E, SqlClient>
    ) => Effect.Effect<A, E | SqlError | StoreUnavailable>
  }
>()("@pawl/webhook/LedgerSql/Transactions") {}

/**
 * Layer that makes a handler of two parts, for merchants whose own rows are in the ledger's database.
 *
 * **Details**
 *
 * `handle`, any effect, runs outside every transaction. When it has succeeded, `commit` runs inside the
 * short transaction that marks the transition told: its rows and that mark are written together or not at
 * all, so they are written once, whenever a process dies. Its `SqlClient` is the ledger's. A commit that
 * fails counts as a call of the handler that failed.
 *
 * It needs `Transactions`, which a ledger in memory does not provide: without a database it is a type
 * error.
 *
 * **Gotchas**
 *
 * Give `commit` SQL writes and nothing else: it is done again after a conflict, and everybody waits for it.
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
 *   commit: ({ to, transactionId }) =>
 *     Effect.flatMap(
 *       SqlClient,
 *       (sql) => sql`UPDATE orders SET status = ${to} WHERE transaction_id = ${transactionId}`
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
        settle: <A, E>(transition: Transition, told: Effect.Effect<A, E>) =>
          run(
            Effect.flatMap(SqlClient, (sql) =>
              Effect.tap(
                told,
                commit(transition).pipe(
                  Effect.provideService(SqlClient, sql),
                  Effect.provide(context)
                )
              )
            )
          )
      }
    })
  )

/** How many share a commit, and how many commits may be under way. */
const size = 128
const committers = { pg: () => 2, orElse: () => 1 }
/** How long work that another process made may wait unseen. */
const pollInterval = Duration.millis(250)

/**
 * Layer that keeps the ledger in the database of a `SqlClient`, whose tables it makes or brings up to
 * date.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Ledger | Transactions, StartError, SqlClient> = Layer.effectContext(
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const digest = yield* Digest.Digest
    const scope = yield* Effect.scope
    const within = Store.within(scope)
    yield* SqlSchema.migrate

    const news = yield* Latch.make()
    const wake = Effect.sync(() => news.openUnsafe())
    /** The edge of the ledger: what goes wrong behind it, the receiver answers 503 to. */
    const unavailable = Effect.mapError((cause: SqlError) => new StoreUnavailable({ cause }))
    const guard = <A>(work: Effect.Effect<A, SqlError>) => unavailable(Store.atMost(work))
    const wait = yield* Store.wait

    const isOnes = ({ isRetryable }: SqlError) => !isRetryable
    const acceptAll = SqlAccept.make(sql)
    const commitClaim = yield* Group.make<SqlAccept.Claim, Accepted, SqlError>({
      size,
      committers: sql.onDialectOrElse(committers),
      commit: (claims) => Effect.tap(within(Store.again(acceptAll(claims))), wake),
      isOnes,
      place: SqlAccept.place,
      wait
    })
    const accept = (verified: Verified, at: number) => {
      const { bytes: body, claim: status, kind, method, secret, transactionId } = verified
      const ordered = verified.ordered === undefined ? null : JSON.stringify(verified.ordered)
      const transaction_id = transactionId
      return status === undefined
        ? within(Store.again(SqlQuarantine.keep(sql, digest, verified, at)))
        : commitClaim({ method, kind, transaction_id, ordered, secret, status, at, body })
    }

    const register = Effect.fnUntraced(function* (
      { kind, status, transactionId, ...said }: Registration,
      at: number
    ) {
      const method = methodOf(kind)
      const rows = yield* SqlAccept.rowsUnder(sql, [{ method, transaction_id: transactionId }])
      const ours = rows.filter((row) => row.method === method)
      const ordered = orderedOf(said)
      yield* sql`INSERT INTO pawl_transactions AS held ${sql.insert({
        transaction_id: transactionId,
        scope: find(ours, (row) => row.kind, kind, "registration")?.scope ?? kind,
        method,
        kind,
        ordered: ordered === undefined ? null : JSON.stringify(ordered),
        evidence: status === undefined ? Evidence.none : Evidence.confirmed(status),
        retry_at: at,
        created_at: at,
        new_status_at: at,
        due_at: at
      })} ON CONFLICT (transaction_id, scope) DO UPDATE SET
        kind = excluded.kind,
        ordered = COALESCE(excluded.ordered, held.ordered),
        evidence = held.evidence | excluded.evidence,
        due_at = CASE WHEN held.due_at < excluded.due_at THEN held.due_at ELSE excluded.due_at END`
    })
    /** One step on SQLite; on PostgreSQL two, as with accept. */
    const registerAll = sql.onDialectOrElse({
      pg: () => register,
      orElse: () => (registration: Registration, at: number) =>
        sql.withTransaction(register(registration, at))
    })

    const update = (write: SqlWrite.Write) => SqlWrite.statement(sql, write)
    // PostgreSQL shares the flush among its connections by itself.
    const commitWrite = yield* sql.onDialectOrElse({
      pg: () => Effect.succeed((write: SqlWrite.Write) => within(Store.again(update(write)))),
      orElse: () =>
        Group.make<SqlWrite.Write, ReadonlyArray<Columns>, SqlError>({
          size,
          committers: 1,
          commit: (writes) =>
            within(Store.again(sql.withTransaction(Effect.forEach(writes, update)))),
          isOnes,
          place: SqlWrite.place,
          wait
        })
    })
    const write = Effect.fnUntraced(function* (leased: Leased, change: Change) {
      // Inside a transaction of this client it is part of that, and no commit of its own.
      const twin = yield* within(Store.again(SqlWrite.twinOf(sql, { leased, change })))
      if (twin !== undefined) {
        yield* within(Store.again(SqlWrite.merge(sql, { leased, change }, twin)))
        yield* wake
        return undefined
      }
      const outer = yield* Effect.serviceOption(sql.transactionService)
      const [line] = yield* (Option.isSome(outer) ? update : commitWrite)({ leased, change })
      if (line === undefined) return undefined
      if (change.release !== undefined) yield* sql.afterCommit(wake)
      const isSame = Number(line.callbacks) === leased.callbacks
      const newest = isSame
        ? leased.newestCallbacks
        : (yield* within(SqlClaim.newestOfAll(sql, [line])))(line)
      return {
        ...rowOf(line, newest),
        lease: leased.lease,
        evidenceAtLease: leased.evidenceAtLease
      }
    })

    const get = Effect.fnUntraced(function* (method: Method, transactionId: string) {
      const lines = yield* sql<Columns>`SELECT * FROM pawl_transactions
        WHERE transaction_id = ${transactionId} AND method = ${method}`
      const line = find(lines, ({ kind }) => kind, method, "callback")
      return line && rowOf(line, (yield* SqlClaim.newestOfAll(sql, [line]))(line))
    })

    const ledger = Ledger.of({
      accept: (verified, at) => unavailable(accept(verified, at)),
      register: (registration, at) =>
        guard(Effect.tap(within(Store.again(registerAll(registration, at))), wake)),
      claim: (options) => guard(within(SqlClaim.claim(sql, options))),
      write: (leased, change) => guard(write(leased, change)),
      get: (method, transactionId) => guard(within(Store.again(get(method, transactionId)))),
      deadLetters: guard(within(Store.again(SqlLetters.list(sql)))),
      redrive: (key, at) =>
        guard(Effect.tap(within(Store.again(SqlLetters.redrive(sql, key, at))), wake)),
      backlog: (at) => guard(within(Store.again(SqlBacklog.count(sql, at)))),
      forget: (options) => guard(within(Store.again(SqlForget.forget(sql, options)))),
      quarantined: guard(within(Store.again(SqlQuarantine.list(sql)))),
      awaitWork: Effect.andThen(news.await, Effect.asVoid(news.close)),
      pollInterval
    })
    return Context.make(Ledger, ledger).pipe(
      Context.add(Transactions, { run: Commit.make(sql, scope) })
    )
  })
).pipe(Layer.provide(Digest.layerWebCrypto))
