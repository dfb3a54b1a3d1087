/**
 * The commits of the SQL ledger: callbacks, writes and requests that wait for the disk share one flush.
 */
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import type { Accepted } from "../../Ledger.ts"
import type { Change, Leased } from "../../Row.ts"
import { ofNamedRefund } from "../../StoredRow.ts"
import type { Verified } from "../../Verifier.ts"
import type { AwaitResult } from "../SharedTimeout.ts"
import * as SqlAccept from "./Accept.ts"
import * as SqlClaim from "./Claim.ts"
import * as GroupCommit from "./GroupCommit.ts"
import * as SqlJoin from "./Join.ts"
import * as Lookup from "./Lookup.ts"
import * as SqlQuarantine from "./Quarantine.ts"
import * as SqlReads from "./Reads.ts"
import type * as SqlRequests from "./Requests.ts"
import { type Columns, rowOf } from "./RowCodec.ts"
import { isReadOnly } from "./Server.ts"
import * as SqlWrite from "./Write.ts"

/** The most callbacks or writes in one commit. */
const maxGroupSize = 128

/** The most callbacks that wait for a commit. The next one is answered 503. */
const maxWaiting = 2048

/** The most groups of callbacks that are committed at a time. SQLite has one writer. */
const committers = { pg: () => 2, orElse: () => 1 }

/** Tells whether one item of a group may have caused the error. A retry does not help after such an error. */
const isItemError = (error: SqlError) => !error.isRetryable && !isReadOnly(error)

/** Tells whether a row was locked for half a second. On SQLite the lock is that of the whole file. */
const isRowLocked = {
  pg: () => (error: SqlError) => error.reason._tag === "LockTimeoutError",
  orElse: () => () => false
}

const full = new SqlError({
  reason: new UnknownError({
    message: `More than ${maxWaiting} callbacks wait, or more than ${maxGroupSize} of one transaction`,
    cause: undefined
  })
})

/** The parts of a ledger that its commits use. */
export interface Tools {
  /** Runs a statement or transaction within three seconds, again after a conflict, except after an error that `isFinal`. */
  readonly run: <A>(
    statement: Effect.Effect<A, SqlError>,
    isFinal?: (error: SqlError) => boolean
  ) => Effect.Effect<A, SqlError>
  readonly wait: AwaitResult<SqlError>
  /** Notes that this process has made a row due at a time. */
  readonly wake: (dueAt: number) => Effect.Effect<void>
}

/** Makes the function that stores a callback. The callbacks that wait for a commit share the next one. */
export const makeAccept = Effect.fnUntraced(function* (sql: SqlClient, { run, wait, wake }: Tools) {
  const digest = yield* Digest.Digest
  const acceptGroup = SqlAccept.make(sql)
  const isBlocked = sql.onDialectOrElse(isRowLocked)
  const commit = yield* GroupCommit.make<SqlAccept.Callback, Accepted, SqlError>({
    maxSize: maxGroupSize,
    committers: sql.onDialectOrElse(committers),
    commit: (callbacks) =>
      Effect.tap(
        run(acceptGroup(callbacks), isBlocked),
        wake(Math.min(...callbacks.map(({ at }) => at)))
      ),
    commitAlone: (callback) => Effect.tap(run(acceptGroup([callback])), wake(callback.at)),
    isBlocked,
    isItemError,
    keyOf: SqlAccept.groupKeyOf,
    wait,
    maxWaiting,
    full
  })
  const store = (verified: Verified, at: number) =>
    verified.claim === undefined
      ? run(SqlQuarantine.store(sql, digest, verified, at))
      : commit(SqlAccept.callbackOf(verified, verified.claim, at))
  return (verified: Verified, at: number) =>
    verified.refundId === undefined
      ? store(verified, at)
      : Effect.flatMap(run(SqlReads.isRegisteredRefund(sql, verified.refundId)), (isRegistered) =>
          store(isRegistered ? ofNamedRefund(verified) : verified, at)
        )
})

/** Makes the function that writes a change of a leased row. */
export const makeWrite = Effect.fnUntraced(function* (sql: SqlClient, { run, wait, wake }: Tools) {
  const update = (write: SqlWrite.Write) => SqlJoin.write(sql, write)
  const updateAlone = (write: SqlWrite.Write) =>
    sql.withTransaction(Effect.andThen(Lookup.lock(sql, write.leased.transactionId), update(write)))
  // PostgreSQL itself shares a flush of the disk among its connections.
  const commit = yield* sql.onDialectOrElse({
    pg: () =>
      Effect.succeed((write: SqlWrite.Write) =>
        run(SqlJoin.setsKind(write) ? updateAlone(write) : update(write))
      ),
    orElse: () =>
      GroupCommit.make<SqlWrite.Write, ReadonlyArray<Columns>, SqlError>({
        maxSize: maxGroupSize,
        committers: 1,
        commit: (writes) => run(sql.withTransaction(Effect.forEach(writes, update))),
        commitAlone: (write) =>
          run(sql.withTransaction(Effect.map(update(write), (lines) => [lines]))),
        isBlocked: () => false,
        isItemError,
        keyOf: SqlWrite.groupKeyOf,
        wait,
        maxWaiting,
        full
      })
  })

  return Effect.fnUntraced(function* (leased: Leased, change: Change) {
    // In a transaction of this client the write is part of that transaction.
    const outer = yield* Effect.serviceOption(sql.transactionService)
    const [line] = yield* (Option.isSome(outer) ? update : commit)({ leased, change })
    if (line === undefined) {
      // The row may have been joined to another one, which is due since a time that is not known here.
      yield* sql.afterCommit(wake(SqlClaim.start))
      return undefined
    }
    if (change.release !== undefined) {
      yield* sql.afterCommit(wake(Number(line.claimable_at ?? Infinity)))
    }
    // No new callback came since the lease, so the bodies need not be read again.
    const newest =
      Number(line.callbacks) === leased.callbacks
        ? leased.newestCallbacks
        : (yield* run(SqlClaim.newestOfAll(sql, [line])))(line)
    return {
      ...rowOf(line, newest),
      lease: leased.lease,
      evidenceAtLease: leased.evidenceAtLease
    }
  })
})

/** Makes the function that commits the work on requests together. PostgreSQL itself shares a flush of the disk. */
export const makeTogether = (
  sql: SqlClient,
  { run, wait }: Tools
): SqlRequests.Tools["makeCommit"] => {
  interface Item {
    readonly requestId: string
    readonly work: Effect.Effect<unknown, SqlError>
  }
  const together = (items: ReadonlyArray<Item>) =>
    run(sql.withTransaction(Effect.forEach(items, ({ work }) => work)))
  return sql.onDialectOrElse({
    pg: () => Effect.succeed((_: string, work: Item["work"]) => run(sql.withTransaction(work))),
    orElse: () =>
      Effect.map(
        GroupCommit.make<Item, unknown, SqlError>({
          maxSize: maxGroupSize,
          committers: 1,
          commit: together,
          commitAlone: (item) => together([item]),
          isBlocked: () => false,
          isItemError,
          keyOf: ({ requestId }) => ({ key: requestId, variant: "" }),
          wait,
          maxWaiting,
          full
        }),
        (commit) => (requestId: string, work: Item["work"]) => commit({ requestId, work })
      )
  })
}
