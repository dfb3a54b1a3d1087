/** The flush of the write-ahead log after each commit, and the checkpoints of a slow disk. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { classifySqliteError, ConnectionError, SqlError } from "effect/sql/SqlError"
import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import type { Fault } from "./sql/Fault.ts"

/** The nanoseconds from which a flush is slow: below this a hop to a thread costs more. */
const slowFlush = 20_000_000n
const slowInARow = 3
/** The pages of the log before SQLite makes a checkpoint; `slow` while a worker thread makes them. */
const checkpointPages = { usual: 1000, slow: 8000 }
const checkpointRows = 500

export const attempt = <A>(operation: string, call: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({
    try: call,
    catch: (cause) => new SqlError({ reason: classifySqliteError(withErrno(cause), { operation }) })
  })

const withErrno = (cause: unknown): unknown =>
  cause instanceof Error && "errcode" in cause
    ? Object.assign(cause, { errno: cause.errcode })
    : cause

export const makeFlush = (
  filename: string,
  database: DatabaseSync
): Effect.Effect<Effect.Effect<void, SqlError>, SqlError, Scope.Scope> => {
  const log = Effect.acquireRelease(
    attempt("open", () => openSync(`${filename}-wal`, "r+")),
    (file) => Effect.sync(() => closeSync(file))
  )
  return Effect.map(Effect.all([log, makeCheckpoint(filename)]), ([log, checkpoint]) => {
    const changes = database.prepare("SELECT total_changes() AS count")
    let copied = 0
    let slow = 0
    let isSlow = false
    const record = (nanos: bigint) => {
      slow = nanos > slowFlush ? slow + 1 : 0
      if (slow >= slowInARow === isSlow) return
      isSlow = !isSlow
      const pages = checkpointPages[isSlow ? "slow" : "usual"]
      database.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
    }
    const copy = () => {
      const { count } = changes.get() as { readonly count: number }
      if (count - copied < checkpointRows) return
      copied = count
      checkpoint()
    }
    const inThread = Effect.callback<void, SqlError>((resume) => {
      fdatasync(log, (cause) =>
        resume(cause === null ? Effect.sync(copy) : Effect.fail(unflushed(filename, cause)))
      )
    })
    const here = Effect.try({
      try: () => fdatasyncSync(log),
      catch: (cause) => unflushed(filename, cause)
    })
    return Effect.clockWith((clock) => {
      const begin = clock.monotonicTimeNanosUnsafe()
      return Effect.andThen(
        isSlow ? inThread : here,
        Effect.sync(() => record(clock.monotonicTimeNanosUnsafe() - begin))
      )
    }).pipe(Effect.uninterruptible)
  })
}

const makeCheckpoint = (filename: string): Effect.Effect<() => void, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Set<Worker>()),
      (workers) => Effect.promise(() => Promise.all([...workers].map((each) => each.terminate())))
    ),
    (workers) => () => {
      if (workers.size > 0) return
      const worker = new Worker(checkpointer, { eval: true, workerData: filename })
      worker.unref()
      workers.add(worker)
      // After a failed checkpoint SQLite makes the next one, at `checkpointPages.slow`.
      worker.on("error", () => undefined).on("exit", () => workers.delete(worker))
    }
  )

/** The worker thread, as text so that every bundle contains it. */
const checkpointer = `
const { DatabaseSync } = require("node:sqlite")
const database = new DatabaseSync(require("node:worker_threads").workerData)
database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(PASSIVE)")
database.close()`

/** Makes the error of a file that is unusable until the process restarts. */
export const lost = (what: string, cause?: unknown): SqlError => {
  const message = `${what}: start the receiver again`
  const pawlFault: Fault = { kind: "unavailable", cause: message }
  const reason = new ConnectionError({ message, operation: "execute", cause })
  return Object.assign(new SqlError({ reason }), { pawlFault })
}

const unflushed = (filename: string, cause: unknown): SqlError =>
  lost(`The SQLite file ${filename} could not be flushed to the disk`, cause)
