/**
 * The SQL ledger: combines the statements with group commit, retries and timeouts.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Method } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as Digest from "effect/crypto/Digest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import type { Accepted, Ledger } from "../../Ledger.ts"
import type { RequestStore } from "../../RequestStore.ts"
import type { Change, Key, Leased } from "../../Row.ts"
import { find, ofNamedRefund } from "../../StoredRow.ts"
import type { Verified } from "../../Verifier.ts"
import * as Found from "../requests/Found.ts"
import type { AwaitResult } from "../SharedTimeout.ts"
import * as SqlAccept from "./Accept.ts"
import * as SqlBacklog from "./Backlog.ts"
import * as SqlClaim from "./Claim.ts"
import * as SqlDeadLetters from "./DeadLetters.ts"
import * as SqlBodies from "./DeleteBodies.ts"
import * as DatabaseClock from "./DatabaseClock.ts"
import * as SqlFacts from "./Facts.ts"
import * as GroupCommit from "./GroupCommit.ts"
import * as SqlJoin from "./Join.ts"
import * as SqlLiveness from "./Liveness.ts"
import * as Lookup from "./Lookup.ts"
import * as SqlPage from "./Page.ts"
import * as SqlPlace from "./Place.ts"
import * as SqlQuarantine from "./Quarantine.ts"
import * as SqlReadBudget from "./ReadBudget.ts"
import * as SqlRegister from "./Register.ts"
import * as SqlRequests from "./Requests.ts"
import * as Retry from "./Retry.ts"
import { isReadOnly } from "./Server.ts"
import { type Columns, rowOf } from "./RowCodec.ts"
import * as SqlShift from "./Shift.ts"
import * as SqlWrite from "./Write.ts"

/** The most callbacks or writes in one commit. */
const maxGroupSize = 128

/** The most callbacks that wait for a commit. The next one is answered 503. */
const maxWaiting = 2048

/** The most groups of callbacks that are committed at a time. SQLite has one writer. */
const committers = { pg: () => 2, orElse: () => 1 }

/** The longest time until a row that another process made due is noticed. */
const pollInterval = Duration.millis(250)

interface Stores {
  readonly ledger: Ledger["Service"]
  readonly requests: RequestStore["Service"]
}

/** Makes a ledger and a request store over the tables of a database. `retire` is given each error of the database. */
export const make = Effect.fnUntraced(function* (
  sql: SqlClient,
  retire: (error: SqlError) => Effect.Effect<void>
): Effect.fn.Return<Stores, SqlError, Digest.Digest | Scope.Scope> {
  const scope = yield* Effect.scope
  const work = yield* Latch.make()
  const claims = SqlClaim.make(sql)
  const clock = yield* DatabaseClock.make(sql)
  const refreshClock = clock?.refresh ?? Effect.void
  const wake: Tools["wake"] = (dueAt) =>
    Effect.sync(() => {
      claims.noteDue(dueAt)
      work.openUnsafe()
    })

  const run: Tools["run"] = (statement, isFinal) =>
    Retry.timeoutIn(scope)(Retry.onConflict(statement, isFinal))

  /** Turns an error of the database into the one error of a ledger. The receiver answers 503 to it. */
  const unavailable = <A>(call: Effect.Effect<A, SqlError>) =>
    call.pipe(
      Effect.tapError(retire),
      Effect.mapError((cause) => new StoreUnavailable({ cause }))
    )

  /** Limits a call to three seconds in all. */
  const bounded = <A>(call: Effect.Effect<A, SqlError>) => unavailable(Retry.timeout(call))

  const wait = yield* Retry.makeWait
  const accept = yield* makeAccept(sql, { run, wait, wake })
  const write = yield* makeWrite(sql, { run, wait, wake })
  const register = SqlRegister.make(sql)

  const get = Effect.fnUntraced(function* (method: Method, transactionId: string) {
    const lines = yield* sql<Columns>`SELECT * FROM pawl_transactions
      WHERE transaction_id = ${transactionId} AND method = ${method}`
    const line = find(lines, ({ kind }) => kind, method, "callback")
    return line && rowOf(line, (yield* SqlClaim.newestOfAll(sql, [line]))(line))
  })

  const body = Effect.fnUntraced(function* (key: Required<Key>, status: Status) {
    const [line] = yield* sql<{ readonly body: Uint8Array | null }>`
      SELECT COALESCE(newest_body, first_body) AS body FROM pawl_callbacks
      WHERE transaction_id = ${key.transactionId} AND scope = ${key.scope ?? key.method}
        AND status = ${status}`
    return line?.body ?? undefined
  })

  const requests = yield* SqlRequests.make(sql, {
    run,
    makeCommit: makeCommitTogether(sql, { run, wait, wake }),
    register,
    wake,
    retire,
    clock
  })

  /** Settles the request before the lease ends: after a crash between the two, the row is claimed and released again. */
  const findRequest = (leased: Leased, change: Change) => {
    const found = Found.named(leased, change)
    return found === undefined ? Effect.void : requests.find(found.requestId, found.row)
  }

  const ledger: Ledger["Service"] = {
    accept: (verified, at) => unavailable(accept(verified, at)),
    register: (registration, at) =>
      Effect.flatMap(
        bounded(
          Effect.tap(run(Effect.andThen(refreshClock, register(registration, at))), wake(at))
        ),
        (registered) => Effect.asVoid(Effect.fromResult(registered))
      ),
    claim: (options) =>
      bounded(Retry.timeoutIn(scope)(Effect.andThen(refreshClock, claims.claim(options)))),
    write: (leased, change) =>
      bounded(Effect.andThen(findRequest(leased, change), write(leased, change))),
    get: (method, transactionId) => bounded(run(get(method, transactionId))),
    story: (method, transactionId) => bounded(run(SqlFacts.stories(sql, method, transactionId))),
    page: (options) => bounded(run(SqlPage.page(sql, options))),
    isRegisteredRefund: (refundId) => bounded(run(Lookup.isRegisteredRefund(sql, refundId))),
    body: (key, status) => bounded(run(body(key, status))),
    deadLetters: (page) => bounded(run(SqlDeadLetters.list(sql, page))),
    redrive: (key, at, note) =>
      bounded(Effect.tap(run(SqlDeadLetters.redrive(sql, key, at, note)), wake(at))),
    redriveAll: (options) =>
      bounded(Effect.tap(run(SqlDeadLetters.redriveAll(sql, options)), wake(options.dueAt))),
    backlog: (at) => bounded(run(SqlBacklog.count(sql, at))),
    deleteBodies: (options) => bounded(run(SqlBodies.deleteBodies(sql, options))),
    quarantined: bounded(run(SqlQuarantine.list(sql))),
    shift: (options) => bounded(Effect.tap(run(SqlShift.shift(sql, options)), wake(options.at))),
    noteAlive: (at) => bounded(run(SqlLiveness.noteAlive(sql, at))),
    lastAliveAt: bounded(run(SqlLiveness.lastAliveAt(sql))),
    checkWritable: bounded(run(SqlLiveness.checkWritable(sql))),
    bringForward: (page) =>
      bounded(Effect.tap(run(SqlLiveness.bringForward(sql, page)), wake(page.dueAt))),
    takePlace: (place) => bounded(run(SqlPlace.take(sql, place))),
    reserveReads: (wanted, at) => bounded(run(SqlReadBudget.reserve(sql, wanted, at))),
    lowerReads: (by, at) => bounded(run(SqlReadBudget.lower(sql, by, at))),
    ...(clock && { time: clock.time }),
    awaitWork: Effect.andThen(work.await, Effect.asVoid(work.close)),
    pollInterval
  }
  return { ledger, requests: requests.store }
})

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

interface Tools {
  /** Runs a statement or transaction within three seconds, again after a conflict, except after an error that `isFinal`. */
  readonly run: <A>(
    statement: Effect.Effect<A, SqlError>,
    isFinal?: (error: SqlError) => boolean
  ) => Effect.Effect<A, SqlError>
  readonly wait: AwaitResult<SqlError>
  /** Notes that this process has made a row due at a time. */
  readonly wake: (dueAt: number) => Effect.Effect<void>
}

const makeAccept = Effect.fnUntraced(function* (sql: SqlClient, { run, wait, wake }: Tools) {
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
      : Effect.flatMap(run(Lookup.isRegisteredRefund(sql, verified.refundId)), (isRegistered) =>
          store(isRegistered ? ofNamedRefund(verified) : verified, at)
        )
})

const makeWrite = Effect.fnUntraced(function* (sql: SqlClient, { run, wait, wake }: Tools) {
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

/** Makes the function that commits works together. PostgreSQL itself shares a flush of the disk. */
const makeCommitTogether = (
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
