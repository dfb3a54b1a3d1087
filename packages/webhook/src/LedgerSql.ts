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
import type { Method } from "@pawl/core/Transaction"
import * as Digest from "effect/crypto/Digest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { MigrationError } from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Group from "./internal/Group.ts"
import * as SqlAccept from "./internal/SqlAccept.ts"
import * as SqlClaim from "./internal/SqlClaim.ts"
import * as SqlQuarantine from "./internal/SqlQuarantine.ts"
import { type Columns, rowOf } from "./internal/SqlRow.ts"
import * as SqlSchema from "./internal/SqlSchema.ts"
import * as SqlWrite from "./internal/SqlWrite.ts"
import * as Store from "./internal/Store.ts"
import { type Accepted, type Change, Ledger, type Leased, type Operation } from "./Ledger.ts"
import type { Verified } from "./Verifier.ts"

/**
 * Why a ledger did not start: the database cannot be used, or its tables could not be made.
 *
 * @category errors
 * @since 0.1.0
 */
export type StartError = SqlError | MigrationError

/** How many share a commit, and how many commits may be under way. */
const size = 128
const committers = { pg: () => 2, orElse: () => 1 }
/** How long work that another process made may wait unseen. */
const patience = Duration.millis(250)

/**
 * Layer that keeps the ledger in the database of a `SqlClient`, whose tables it makes or brings up to
 * date.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Ledger, StartError, SqlClient> = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const digest = yield* Digest.Digest
    const within = Store.within(yield* Effect.scope)
    yield* SqlSchema.migrate

    const news = yield* Latch.make()
    const wake = Effect.sync(() => news.openUnsafe())
    /** The edge of the ledger: what goes wrong behind it, the receiver answers 503 to. */
    const guard = <A>(work: Effect.Effect<A, SqlError>): Effect.Effect<A, StoreUnavailable> =>
      work.pipe(
        Store.atMost,
        Effect.mapError((cause) => new StoreUnavailable({ cause }))
      )

    const isOnes = ({ isRetryable }: SqlError) => !isRetryable
    const acceptAll = SqlAccept.make(sql)
    const commitClaim = yield* Group.make<SqlAccept.Claim, Accepted, SqlError>({
      size,
      committers: sql.onDialectOrElse(committers),
      commit: (claims) => Effect.tap(within(Store.again(acceptAll(claims))), wake),
      isOnes,
      place: SqlAccept.place
    })
    const accept = (verified: Verified, at: number) => {
      const { bytes: body, claim: status, method, signed } = verified
      return status === undefined
        ? within(Store.again(SqlQuarantine.keep(sql, digest, verified, at)))
        : commitClaim({ method, transaction_id: signed.transactionId, status, at, body })
    }

    const register = ({ kind, status, transactionId }: Operation, at: number) =>
      Effect.andThen(
        sql`INSERT INTO pawl_transactions AS held ${sql.insert({
          method: kind.startsWith("apm") ? "apm" : "card",
          transaction_id: transactionId,
          kind,
          evidence: status === undefined ? Evidence.none : Evidence.confirmed(status),
          tell_at: at,
          created_at: at,
          since: at,
          due_at: at
        })} ON CONFLICT (method, transaction_id) DO UPDATE SET
          kind = excluded.kind,
          evidence = held.evidence | excluded.evidence,
          due_at = CASE WHEN held.due_at < excluded.due_at THEN held.due_at ELSE excluded.due_at END`,
        wake
      )

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
          place: SqlWrite.place
        })
    })
    const write = Effect.fnUntraced(function* (leased: Leased, change: Change) {
      // Inside a transaction of this client it is part of that, and no commit of its own.
      const outer = yield* Effect.serviceOption(sql.transactionService)
      const [line] = yield* (Option.isSome(outer) ? update : commitWrite)({ leased, change })
      if (line === undefined) return undefined
      if (change.release !== undefined) yield* sql.afterCommit(wake)
      const isSame = Number(line.callbacks) === leased.callbacks
      const newest = isSame
        ? leased.newest
        : (yield* within(SqlClaim.newestOfAll(sql, [line])))(line)
      return { ...rowOf(line, newest), lease: leased.lease, seen: leased.seen }
    })

    const get = Effect.fnUntraced(function* (method: Method, transactionId: string) {
      const [line] = yield* sql<Columns>`SELECT * FROM pawl_transactions
        WHERE method = ${method} AND transaction_id = ${transactionId}`
      return line && rowOf(line, (yield* SqlClaim.newestOfAll(sql, [line]))(line))
    })

    return Ledger.of({
      accept: (verified, at) => guard(accept(verified, at)),
      register: (operation, at) => guard(within(Store.again(register(operation, at)))),
      claim: (options) => guard(within(SqlClaim.claim(sql, options))),
      write: (leased, change) => guard(write(leased, change)),
      get: (method, transactionId) => guard(within(Store.again(get(method, transactionId)))),
      quarantined: guard(within(Store.again(SqlQuarantine.list(sql)))),
      woken: Effect.andThen(news.await, Effect.asVoid(news.close)),
      patience
    })
  })
).pipe(Layer.provide(Digest.layerWebCrypto))
