/**
 * SQLite over `node:sqlite`. It runs in the process and needs no installation and no server.
 *
 * **Details**
 *
 * There is one connection, for one statement or transaction at a time. A file is in WAL mode, and every
 * commit is on the disk before it returns: SQLite writes it to the write-ahead log (`synchronous=NORMAL`, which is checked
 * when the file is opened), and then the log is flushed. After a flush that failed every statement fails, until the process
 * starts again. After three flushes in a row of more than 20 milliseconds each, a thread of Node makes them until one is
 * faster, and a worker thread copies the log into the file (a checkpoint). So the process answers while a slow disk flushes; on a fast disk the hop to a thread
 * would cost more than the flush.
 *
 * A transaction takes the write lock when it begins, so another process cannot make it fail later. It waits at
 * most 10 milliseconds for the lock; the caller may try again.
 *
 * Only the owner may read and write the file, its `-wal` and its `-shm` (mode 0600); a file that other users could read
 * is changed when it is opened. After a reader has let the `-wal` grow, it is cut back to 4 MiB.
 *
 * A file that was removed, renamed or replaced after it was opened is not written any more: every statement fails,
 * and no transaction commits, until the process starts again.
 *
 * **Gotchas**
 *
 * A statement blocks the process until it ends. So do the first three flushes of a disk that became slow, and one flush each time
 * that SQLite begins the log anew, which is once in some megabytes.
 *
 * @since 0.1.0
 */
import { isolated } from "@pawl/core/internal/Isolated"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection, Row } from "effect/sql/SqlConnection"
import { classifySqliteError, ConnectionError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import { closeSync, fdatasync, fdatasyncSync, openSync, statSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import type { Ledger } from "./Ledger.ts"
import * as LedgerSql from "./LedgerSql.ts"
import * as NodeOwnFile from "./internal/NodeOwnFile.ts"
import type { Records } from "./internal/records/Records.ts"
import type { RequestStore } from "./internal/ledger/RequestStore.ts"
import * as Retry from "./internal/sql/Retry.ts"

/**
 * The file of the database; `:memory:` keeps the database in memory. A file that does not exist is created,
 * its directory is not.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly filename: string
}

/** The longest wait of a statement for the lock of another process, in milliseconds. It blocks this process. */
const lockTimeout = 10
/** The size to which the write-ahead log is cut back, in bytes. Without a long reader it does not grow beyond this. */
const logSize = 4 * 1024 * 1024
/** A flush that takes longer, in nanoseconds, is slow. */
const slowFlush = 20_000_000n
/** The slow flushes in a row after which a thread makes them. One of them is a moment, and not the disk. */
const slowInARow = 3
/** The pages of the log after which SQLite makes a checkpoint: usually, and while the worker thread makes them. */
const checkpointPages = { usual: 1000, slow: 8000 }
/** The changed rows after which the worker thread makes a checkpoint. */
const checkpointRows = 500
/** The value of `PRAGMA synchronous` for NORMAL. */
const synchronousNormal = "1"
/** The most statements that stay prepared. */
const maxPrepared = 100

/**
 * Layer that keeps the ledger and the request store in a file: the durable ledger of a single machine.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerLedger = (
  options: Options
): Layer.Layer<Ledger | Records | RequestStore | LedgerSql.Transactions, LedgerSql.StartError> =>
  isolated(Layer.provide(LedgerSql.layer, layer(options)))

/**
 * Layer that opens a file as a `SqlClient`.
 *
 * **Details**
 *
 * Fails with a `SqlError` whose message names the file and the reason: it cannot be read and written, it is
 * not a database, another process has locked it, or its file system cannot make commits durable.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

const make = Effect.fnUntraced(function* (options: Options) {
  const database = yield* open(options)
  const connection = connect(
    database,
    yield* makeCheck(options),
    yield* makeFlush(options, database)
  )
  return yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connection),
      semaphore: yield* Semaphore.make(1),
      isTransaction: () => database.isTransaction
    }),
    compiler: Statement.makeCompilerSqlite(),
    driver: "node-sqlite",
    spanAttributes: [["db.system.name", "sqlite"]],
    beginTransaction: "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
})

const open = ({ filename }: Options) =>
  Effect.acquireRelease(
    Effect.andThen(
      create(filename),
      attempt("open", () => new DatabaseSync(filename, { timeout: lockTimeout }))
    ),
    (database) => Effect.sync(() => database.close())
  ).pipe(
    Effect.tap((database) =>
      Effect.retry(
        attempt("open", () => harden(database)),
        Retry.conflictPolicy
      )
    ),
    Effect.tap(() => protect(filename)),
    Effect.mapError(({ reason }) => {
      const why = reasons[reason._tag] ?? `${messageOf(reason.cause)}; name another file`
      const message = `The SQLite file ${filename} cannot be used: ${why}`
      return new SqlError({
        reason: new ConnectionError({ message, operation: "open", cause: reason.cause })
      })
    })
  )

/**
 * Tells whether a name is that of a file, and neither a database in memory nor a URI.
 *
 * @category guards
 * @since 0.1.0
 */
export const isFile = (filename: string): boolean =>
  filename !== "" && filename !== ":memory:" && !filename.startsWith("file:")

/** Refuses what is no regular file, and creates the file for its owner if there is none. If that fails, SQLite says why. */
const create = (filename: string): Effect.Effect<void, SqlError> =>
  Effect.andThen(
    attempt("open", () => NodeOwnFile.isThere(pathOf(filename))),
    isFile(filename)
      ? Effect.ignore(attempt("open", () => closeSync(openSync(filename, "wx", NodeOwnFile.mode))))
      : Effect.void
  )

/** Returns the path of a file, also of one that a URI names. */
const pathOf = (filename: string): string => {
  const path = /^file:(?:\/\/[^/]*)?([^?#]*)/u.exec(filename)?.[1]
  return path === undefined ? filename : decodeURIComponent(path)
}

/** Takes the rights of others from the files of an older version. SQLite gives new ones the mode of the database. */
const protect = (filename: string): Effect.Effect<void> =>
  isFile(filename)
    ? Effect.forEach(
        [filename, `${filename}-wal`, `${filename}-shm`],
        (file) => Effect.ignore(attempt("open", () => NodeOwnFile.close(file))),
        { discard: true }
      )
    : Effect.void

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

const reasons: Partial<Record<SqlError["reason"]["_tag"], string>> = {
  ConnectionError: "its directory must exist, and both must be readable and writable",
  LockTimeoutError: "another process has locked it; end that process, or name another file"
}

/** Sets the modes that make commits durable, and checks the modes and the write lock. */
const harden = (database: DatabaseSync): void => {
  const runPragma = (pragma: string) =>
    String(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])
  const mode = runPragma("journal_mode = WAL")
  if (mode !== "wal" && mode !== "memory") {
    throw new Error(`its file system has no write-ahead log (journal_mode is ${mode})`)
  }
  database.exec("PRAGMA synchronous = NORMAL")
  const synchronous = runPragma("synchronous")
  if (synchronous !== synchronousNormal) {
    throw new Error(`a commit would not reach the disk (synchronous is ${synchronous})`)
  }
  database.exec(`PRAGMA journal_size_limit = ${logSize}`)
  database.exec("BEGIN IMMEDIATE; ROLLBACK")
}

const attempt = <A>(operation: string, call: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({
    try: call,
    catch: (cause) => new SqlError({ reason: classifySqliteError(withErrno(cause), { operation }) })
  })

/** Copies the number of an error from `errcode` of `node:sqlite` to `errno`, which `classifySqliteError` reads. */
const withErrno = (cause: unknown): unknown =>
  cause instanceof Error && "errcode" in cause
    ? Object.assign(cause, { errno: cause.errcode })
    : cause

/**
 * Makes the check that the names of the file and of its write-ahead log still lead to what was opened. SQLite goes on
 * writing to files without a name, and their rows are lost.
 */
const makeCheck = ({
  filename
}: Options): Effect.Effect<Effect.Effect<void, SqlError>, SqlError> => {
  if (!isFile(filename)) return Effect.succeed(Effect.void)
  const identify = attempt("open", () =>
    [filename, `${filename}-wal`]
      .map((file) => {
        const { dev, ino } = statSync(file, { bigint: true })
        return `${dev}/${ino}`
      })
      .join()
  )
  return Effect.map(identify, (opened) =>
    Effect.flatMap(
      Effect.orElseSucceed(identify, () => undefined),
      (present) => (present === opened ? Effect.void : Effect.fail(replaced(filename)))
    )
  )
}

/** A statement that writes nothing to the log. */
const isRead = /^\s*(?:SELECT|PRAGMA|EXPLAIN|ROLLBACK)\b/iu

const replaced = (filename: string) => {
  const message = `The SQLite file ${filename} was removed or replaced while it was open: start the receiver again`
  return new SqlError({
    reason: new ConnectionError({ message, operation: "execute", cause: new Error(message) })
  })
}

/** Makes the flush of the write-ahead log, which every commit waits for. */
const makeFlush = (
  { filename }: Options,
  database: DatabaseSync
): Effect.Effect<Effect.Effect<void, SqlError>, SqlError, Scope.Scope> => {
  if (!isFile(filename)) return Effect.succeed(Effect.void)
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

/** Makes the function that starts a checkpoint in a worker thread, unless one is in progress. */
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
      // After a checkpoint that failed SQLite makes the next one, at `checkpointPages.slow`.
      worker.on("error", () => undefined).on("exit", () => workers.delete(worker))
    }
  )

/** The program of the worker thread. It is a text, so that it is part of every bundle. */
const checkpointer = `
const { DatabaseSync } = require("node:sqlite")
const database = new DatabaseSync(require("node:worker_threads").workerData)
database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(PASSIVE)")
database.close()`

const unflushed = (filename: string, cause: unknown) => {
  const message = `The SQLite file ${filename} could not be flushed to the disk: start the receiver again`
  return new SqlError({ reason: new ConnectionError({ message, operation: "execute", cause }) })
}

const connect = (
  database: DatabaseSync,
  checkFile: Effect.Effect<void, SqlError>,
  flush: Effect.Effect<void, SqlError>
): Connection => {
  // Whether the disk has a row after a flush that failed is not known, also if a later flush succeeds.
  let failed: SqlError | undefined
  const check = Effect.suspend(() => (failed === undefined ? checkFile : Effect.fail(failed)))
  const flushed = Effect.tapError(flush, (error) => Effect.sync(() => (failed = error)))
  let recent = new Map<string, StatementSync>()
  let older = new Map<string, StatementSync>()

  /** Prepares a statement, and keeps the recently used ones. */
  const prepare = (text: string): StatementSync => {
    const known = recent.get(text)
    if (known !== undefined) return known
    const statement = older.get(text) ?? database.prepare(text)
    if (recent.size === maxPrepared / 2) [older, recent] = [recent, new Map()]
    recent.set(text, statement)
    return statement
  }

  const run = <A>(statementOf: (text: string) => StatementSync, returnArrays: boolean) =>
    Effect.fnUntraced(function* (text: string, params: ReadonlyArray<unknown>) {
      if (text === "COMMIT" || !database.isTransaction) yield* check
      const readBigInts = yield* SqlClient.SafeIntegers
      const lines = yield* attempt("execute", () => {
        const statement = statementOf(text)
        statement.setReadBigInts(readBigInts)
        statement.setReturnArrays(returnArrays)
        const found: ReadonlyArray<unknown> = statement.all(
          ...params.map((value) => (value ?? null) as SQLInputValue)
        )
        return found as ReadonlyArray<A>
      })
      if (!database.isTransaction && !isRead.test(text)) yield* flushed
      return lines
    })

  const prepareAgain = (text: string) => database.prepare(text)
  const rows = run<Row>(prepare, false)
  const unpreparedRows = run<Row>(prepareAgain, false)
  const execute: Connection["execute"] = (text, params, transform) =>
    transform === undefined ? rows(text, params) : Effect.map(rows(text, params), transform)
  return {
    execute,
    executeUnprepared: (text, params, transform) =>
      transform === undefined
        ? unpreparedRows(text, params)
        : Effect.map(unpreparedRows(text, params), transform),
    executeRaw: rows,
    executeValues: run<ReadonlyArray<unknown>>(prepare, true),
    executeValuesUnprepared: run<ReadonlyArray<unknown>>(prepareAgain, true),
    executeStream: (text, params, transform) =>
      Stream.fromArrayEffect(execute(text, params, transform))
  }
}
