/**
 * SQLite over `node:sqlite`, in the process and without a server.
 *
 * **Details**
 *
 * Every commit is on disk before it returns: SQLite appends it to the write-ahead log
 * (`synchronous=NORMAL`), which is then flushed. After three slow flushes in a row threads do that
 * and make checkpoints, until a flush is fast.
 *
 * A transaction takes the write lock when it begins, and waits at most 10 milliseconds for it. Only
 * the owner may read and write the file, its `-wal` and its `-shm` (mode 0600). After a failed
 * flush, or when one of the three was removed, renamed or replaced, every statement fails until the
 * process restarts.
 *
 * **Gotchas**
 *
 * Statements block the process. So do the first three slow flushes, and one flush each time SQLite
 * restarts the log, once in some megabytes.
 *
 * A second copy of SQLite in the process, such as that of better-sqlite3, must not open the file:
 * the two ignore each other's locks, which damages it.
 *
 * @since 0.1.0
 */
import { isolated } from "@pawl/core/internal/Isolated"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection, Row } from "effect/sql/SqlConnection"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import { closeSync, openSync, realpathSync, statSync } from "node:fs"
import { unescape } from "node:querystring"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import type { Ledger } from "./Ledger.ts"
import * as LedgerSql from "./LedgerSql.ts"
import * as NodeOwnFile from "./internal/NodeOwnFile.ts"
import { attempt, lost, makeFlush } from "./internal/NodeFlush.ts"
import { makeCache } from "./internal/records/Cache.ts"
import type { Records } from "./internal/records/Records.ts"
import type { RequestStore } from "./internal/ledger/RequestStore.ts"
import * as Fault from "./internal/sql/Fault.ts"
import { Foreign } from "./internal/sql/Schema.ts"
import * as Retry from "./internal/sql/Retry.ts"

/**
 * The options of the database.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The file, its URI (`file:`), or `:memory:`. A missing file is created, its directory is not. */
  readonly filename: string
}

/**
 * The milliseconds that a statement waits for another process's lock, which blocks this process.
 */
const lockTimeout = 10
/** The bytes to which the write-ahead log is cut back after a long reader let it grow. */
const logSize = 4 * 1024 * 1024
const synchronousNormal = "1"
const maxPrepared = 100

/**
 * Layer that keeps the ledger and the request store in a file, for a single machine.
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
 * Fails with a `SqlError` that names the file and the reason: it cannot be read and written, is no
 * database or locked by another process, or its file system cannot make commits durable.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

const make = Effect.fnUntraced(function* (options: Options) {
  const database = yield* open(options)
  const file = fileOf(options.filename)
  const target = yield* attempt("open", () => file && realpathSync(file))
  const { connection, isTransaction } = connect(
    database,
    file && target ? yield* makeCheck(file, target) : Effect.void,
    target ? yield* makeFlush(target, database) : Effect.void
  )
  return yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connection),
      semaphore: yield* Semaphore.make(1),
      isTransaction
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
      Effect.flatMap(Foreign, (foreign) =>
        Effect.retry(
          attempt("open", () => {
            const isForeign = foreign !== undefined && database.prepare(foreign).get() !== undefined
            if (isForeign) throw new Error("it is no file of pawl")
            harden(database)
          }),
          Retry.conflictPolicy
        )
      )
    ),
    Effect.tap(() => protect(filename)),
    Effect.mapError((error) => {
      const { reason } = error
      const message = `The SQLite file ${filename} cannot be used: ${reasonOf(error)}`
      return new SqlError({
        reason: new ConnectionError({ message, operation: "open", cause: reason.cause })
      })
    })
  )

/**
 * Returns the path of a file, which a URI may name; undefined for a database in memory.
 *
 * @category getters
 * @since 0.1.0
 */
export const fileOf = (filename: string): string | undefined => {
  const [, uri, query = ""] = /^file:(?:\/\/[^/]*)?([^?#]*)([^#]*)/u.exec(filename) ?? []
  const path = uri === undefined ? filename : unescape(uri)
  const isMemory = path === "" || path === ":memory:" || /mode=memory|vfs=memdb/u.test(query)
  return isMemory ? undefined : path
}

/** Refuses anything but a regular file with one name, and creates a missing one for its owner. */
const create = (filename: string): Effect.Effect<void, SqlError> =>
  Effect.flatMap(
    attempt("open", () => {
      const file = fileOf(filename)
      if (file === undefined || !NodeOwnFile.isThere(file)) return file
      if (statSync(file).nlink > 1) throw new Error(`it has ${severalNames}`)
      return undefined
    }),
    (missing) =>
      missing === undefined
        ? Effect.void
        : Effect.ignore(attempt("open", () => closeSync(openSync(missing, "wx", NodeOwnFile.mode))))
  )

/** Removes the rights of other users from files that another program made. */
const protect = (filename: string): Effect.Effect<void> => {
  const file = fileOf(filename)
  return file === undefined
    ? Effect.void
    : Effect.forEach(
        ["", "-wal", "-shm"],
        (suffix) =>
          Effect.ignore(attempt("open", () => NodeOwnFile.close(realpathSync(file) + suffix))),
        { discard: true }
      )
}

const reasonOf = (error: SqlError): string => {
  const { _tag, cause } = error.reason
  if (Fault.of(error).kind === "refused") {
    return "its directory must exist, and both must be readable and writable"
  }
  if (_tag === "LockTimeoutError") {
    return "another process has locked it; end that process, or name another file"
  }
  const text = cause instanceof Error ? cause.message : String(cause)
  const [, advice] = advices.find(([part]) => text.includes(part)) ?? []
  return `${text}; ${advice ?? "name another file"}`
}

const severalNames = "several names (hard links), each with a log of its own"
const advices = [
  ["malformed", "restore it from a backup"],
  ["full", "make room on its disk"],
  ["disk I/O error", "make room on its disk, or repair it"],
  [severalNames, "keep one"]
] as const

/** Sets and checks the modes that make commits durable, and the write lock. */
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
  // A transaction alone begins on a read-only file, too.
  database.exec("BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK")
}

/**
 * Makes the check that the file, its log and the index of that are still the opened ones; SQLite
 * would write to a file without a name. The log is beside the target of a link.
 */
const makeCheck = (
  filename: string,
  target: string
): Effect.Effect<Effect.Effect<void, SqlError>, SqlError> => {
  const identify = attempt("open", () =>
    [filename, `${target}-wal`, `${target}-shm`]
      .map((file) => {
        // `vfs=unix-excl` has the index in memory.
        const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
        return `${stats?.dev}/${stats?.ino}`
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

const isEnd = /^(?:COMMIT|ROLLBACK)$/u
const isRead = /^\s*(?:SELECT|PRAGMA|EXPLAIN|ROLLBACK)\b/iu

const replaced = (filename: string): SqlError =>
  lost(`The SQLite file ${filename} was removed or replaced while it was open`)

const connect = (
  database: DatabaseSync,
  checkFile: Effect.Effect<void, SqlError>,
  flush: Effect.Effect<void, SqlError>
): { readonly connection: Connection; readonly isTransaction: () => boolean } => {
  // After a failed flush it is unknown which rows are on disk, even if a later flush succeeds.
  let failed: SqlError | undefined
  const check = Effect.suspend(() => (failed === undefined ? checkFile : Effect.fail(failed)))
  const flushed = Effect.tapError(flush, (error) => Effect.sync(() => (failed = error)))
  /**
   * The error at which SQLite itself rolled a transaction back, such as a full disk. Its next
   * statements would be committed one by one.
   */
  let ended: SqlError | undefined
  const prepared = makeCache<StatementSync>(maxPrepared / 2)

  const prepare = (text: string): StatementSync => {
    const known = prepared.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    prepared.set(text, statement)
    return statement
  }

  const run = <A>(statementOf: (text: string) => StatementSync, returnArrays: boolean) =>
    Effect.fnUntraced(function* (text: string, params: ReadonlyArray<unknown>) {
      if (ended !== undefined) {
        if (!/^(?:RELEASE|ROLLBACK)\b/u.test(text)) return yield* ended
        if (text === "ROLLBACK") ended = undefined
        return []
      }
      const isInside = database.isTransaction
      if (text === "COMMIT" || !isInside) yield* check
      const readBigInts = yield* SqlClient.SafeIntegers
      const lines = yield* attempt("execute", () => {
        const statement = statementOf(text)
        statement.setReadBigInts(readBigInts)
        statement.setReturnArrays(returnArrays)
        const found: ReadonlyArray<unknown> = statement.all(
          ...params.map((value) => (value ?? null) as SQLInputValue)
        )
        return found as ReadonlyArray<A>
      }).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            if (isInside && !database.isTransaction && !isEnd.test(text)) ended = error
          })
        )
      )
      if (!database.isTransaction && !isRead.test(text)) yield* flushed
      return lines
    })

  const prepareAgain = (text: string) => database.prepare(text)
  const rows = run<Row>(prepare, false)
  const transformed =
    (rows: ReturnType<typeof run<Row>>): Connection["execute"] =>
    (text, params, transform) =>
      transform === undefined ? rows(text, params) : Effect.map(rows(text, params), transform)
  const execute = transformed(rows)
  const connection: Connection = {
    execute,
    executeUnprepared: transformed(run<Row>(prepareAgain, false)),
    executeRaw: rows,
    executeValues: run<ReadonlyArray<unknown>>(prepare, true),
    executeValuesUnprepared: run<ReadonlyArray<unknown>>(prepareAgain, true),
    executeStream: (text, params, transform) =>
      Stream.fromArrayEffect(execute(text, params, transform))
  }
  return { connection, isTransaction: () => database.isTransaction || ended !== undefined }
}
