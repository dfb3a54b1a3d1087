/**
 * The SQL ledger: combines the statements with commits, retries and timeouts.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Digest from "effect/crypto/Digest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { ArchiveMisplaced } from "../../Archive.ts"
import type { Ledger } from "../../Ledger.ts"
import type { RequestStore } from "../../RequestStore.ts"
import type { Change, Leased } from "../../Row.ts"
import * as Found from "../requests/Found.ts"
import * as SqlArchive from "./Archive.ts"
import * as ArchiveEdits from "./ArchiveEdits.ts"
import * as ArchiveFiles from "./ArchiveFiles.ts"
import * as SqlBacklog from "./Backlog.ts"
import * as SqlClaim from "./Claim.ts"
import * as Commits from "./Commits.ts"
import * as SqlDeadLetters from "./DeadLetters.ts"
import * as SqlBodies from "./DeleteBodies.ts"
import * as Compact from "./Compact.ts"
import * as DatabaseClock from "./DatabaseClock.ts"
import * as SqlLiveness from "./Liveness.ts"
import * as SqlPage from "./Page.ts"
import * as SqlPlace from "./Place.ts"
import * as SqlQuarantine from "./Quarantine.ts"
import * as SqlReadBudget from "./ReadBudget.ts"
import * as SqlReads from "./Reads.ts"
import * as SqlRegister from "./Register.ts"
import * as SqlRequests from "./Requests.ts"
import * as Retry from "./Retry.ts"
import * as SqlShift from "./Shift.ts"

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
): Effect.fn.Return<Stores, SqlError | ArchiveMisplaced, Digest.Digest | Scope.Scope> {
  const scope = yield* Effect.scope
  const work = yield* Latch.make()
  const claims = SqlClaim.make(sql)
  const clock = yield* DatabaseClock.make(sql)
  const refreshClock = clock?.refresh ?? Effect.void
  const wake: Commits.Tools["wake"] = (dueAt) =>
    Effect.sync(() => {
      claims.noteDue(dueAt)
      work.openUnsafe()
    })

  const run: Commits.Tools["run"] = (statement, isFinal) =>
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
  const accept = yield* Commits.makeAccept(sql, { run, wait, wake })
  const write = yield* Commits.makeWrite(sql, { run, wait, wake })
  const register = SqlRegister.make(sql)
  const registerAlone: typeof register = sql.onDialectOrElse({
    pg: () => register,
    orElse: () => (registration, at) => sql.withTransaction(register(registration, at))
  })
  yield* ArchiveFiles.prepare(sql, { isLost: false })
  const archive = SqlArchive.make(sql, run)
  const digest = yield* Digest.Digest

  const requests = yield* SqlRequests.make(sql, {
    run,
    makeCommit: Commits.makeTogether(sql, { run, wait, wake }),
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

  const claim = Effect.fnUntraced(function* (options: Parameters<Ledger["Service"]["claim"]>[0]) {
    yield* archive.returnDue(options.at)
    const { dueAt = Infinity, rows } = yield* claims.claim(options)
    const next = Math.min(dueAt, archive.nextDueIn(options.limit))
    return { rows, dueAt: Number.isFinite(next) ? next : undefined }
  })

  const ledger: Ledger["Service"] = {
    accept: (verified, at) => unavailable(accept(verified, at)),
    register: (registration, at) =>
      Effect.flatMap(
        bounded(
          Effect.tap(run(Effect.andThen(refreshClock, registerAlone(registration, at))), wake(at))
        ),
        (registered) => Effect.asVoid(Effect.fromResult(registered))
      ),
    claim: (options) =>
      bounded(Retry.timeoutIn(scope)(Effect.andThen(refreshClock, claim(options)))),
    write: (leased, change) =>
      bounded(Effect.andThen(findRequest(leased, change), write(leased, change))),
    get: (method, transactionId) => bounded(run(SqlReads.get(sql, method, transactionId))),
    story: (method, transactionId) => bounded(run(SqlReads.stories(sql, method, transactionId))),
    page: (options) => bounded(run(SqlPage.page(sql, options))),
    isRegisteredRefund: (refundId) => bounded(run(SqlReads.isRegisteredRefund(sql, refundId))),
    body: (key, status) => bounded(run(SqlReads.body(sql, key, status))),
    deadLetters: (page) => bounded(run(SqlDeadLetters.list(sql, page))),
    redrive: (key, at, note) =>
      bounded(Effect.tap(run(SqlDeadLetters.redrive(sql, key, at, note)), wake(at))),
    redriveAll: (options) =>
      bounded(Effect.tap(run(SqlDeadLetters.redriveAll(sql, options)), wake(options.dueAt))),
    backlog: (at) => bounded(Effect.andThen(archive.returnDue(at), run(SqlBacklog.count(sql, at)))),
    deleteBodies: (options) => SqlBodies.deleteBodies(sql, options, (step) => bounded(run(step))),
    quarantined: bounded(run(SqlQuarantine.list(sql))),
    shift: (options) =>
      bounded(
        Effect.andThen(
          archive.returnShifted(options.until + 2 * options.by),
          Effect.tap(run(SqlShift.shift(sql, options)), wake(options.at))
        )
      ),
    noteAlive: (at) => bounded(run(SqlLiveness.noteAlive(sql, at))),
    lastAliveAt: bounded(run(SqlLiveness.lastAliveAt(sql))),
    checkWritable: bounded(run(SqlLiveness.checkWritable(sql))),
    bringForward: (page) =>
      bounded(
        Effect.andThen(
          archive.returnPlanned(page),
          Effect.tap(run(SqlLiveness.bringForward(sql, page)), wake(page.dueAt))
        )
      ),
    archive: {
      move: (page) => bounded(archive.move(page)),
      drop: (options) => bounded(run(sql.withTransaction(ArchiveEdits.drop(sql, options)))),
      erase: (method, transaction_id, requestIds = []) =>
        bounded(
          run(
            sql.withTransaction(
              ArchiveEdits.erase(sql, digest, { method, transaction_id }, requestIds)
            )
          )
        ),
      // It takes as long as the store is large.
      compact: unavailable(Compact.compact(sql))
    },
    takePlace: (place) => bounded(run(SqlPlace.take(sql, place))),
    reserveReads: (wanted, at) => bounded(run(SqlReadBudget.reserve(sql, wanted, at))),
    lowerReads: (by, at) => bounded(run(SqlReadBudget.lower(sql, by, at))),
    ...(clock && { time: clock.time }),
    awaitWork: Effect.andThen(work.await, Effect.asVoid(work.close)),
    pollInterval
  }
  return { ledger, requests: requests.store }
})
