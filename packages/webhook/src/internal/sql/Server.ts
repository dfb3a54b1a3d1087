/**
 * Whether a PostgreSQL server keeps its commits, all letters and the session of a connection, and
 * the end of read-only connections.
 *
 * After a fail-over the old primary may go on read-only with its connections open. A refused write
 * ends them, and the next connection follows the address.
 */
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import { hasProperty } from "effect/Predicate"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

const readOnlyState = "25006"

const maxEnded = 10

export const isReadOnly = ({ reason: { cause } }: SqlError): boolean =>
  hasProperty(cause, "code") && cause.code === readOnlyState

interface Settings {
  readonly read_only: string
  readonly synchronous_commit: string
  readonly fsync: string
  readonly encoding: string
}

/** A commit must not return before it is on the disk, and a callback may have any letter. */
export const check = (sql: SqlClient): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.flatMap(
        sql<Settings>`SELECT current_setting('transaction_read_only') AS read_only,
          current_setting('synchronous_commit') AS synchronous_commit,
          current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding`,
        Effect.fnUntraced(function* ([settings]) {
          const reason =
            (settings && reasonToRefuse(settings)) ??
            ((yield* isShared(sql)) ? sharedReason : undefined)
          if (reason === undefined) return
          const message = `The PostgreSQL database cannot be used: ${reason}`
          return yield* new SqlError({
            reason: new ConnectionError({ message, operation: "open", cause: undefined })
          })
        })
      ),
    orElse: () => Effect.void
  })

const sharedReason = "its pooler is not in session mode; in PgBouncer, set pool_mode = session"

/**
 * Tells whether a pooler gives the server process of a connection to the transaction of another.
 * The driver prepares statements for a connection, and a transaction that meets another process
 * fails. Without a second connection it is unknown.
 */
const isShared = (sql: SqlClient): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const connection = yield* sql.reserve
    const process = connection.executeValues("SELECT pg_backend_pid()", [])
    const [before] = yield* process
    const [during] = yield* sql.withTransaction(Effect.andThen(sql`SELECT 1`, process))
    return String(before) !== String(during)
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({ duration: "1 second", orElse: () => Effect.succeed(false) }),
    Effect.orElseSucceed(() => false)
  )

const reasonToRefuse = (settings: Settings): string | undefined => {
  if (settings.read_only === "on") return "it is read-only; name the primary server"
  const off = (["synchronous_commit", "fsync"] as const).find((name) => settings[name] === "off")
  if (off !== undefined) return `a commit would not reach the disk (${off} is off)`
  // The server keeps the bytes of SQL_ASCII as they are.
  return /^(?:UTF8|SQL_ASCII)$/u.test(settings.encoding)
    ? undefined
    : `its encoding ${settings.encoding} lacks letters; make one with ENCODING 'UTF8'`
}

export const makeRetire = (
  sql: SqlClient
): Effect.Effect<(error: SqlError) => Effect.Effect<void>, never, Scope.Scope> =>
  Effect.map(FiberHandle.makeRuntime<never>(), (fork) => {
    /** Ends a read-only connection, and returns whether the connection was another one. */
    const endOne = sql`SELECT pg_terminate_backend(pg_backend_pid())
      WHERE current_setting('transaction_read_only') = 'on'`.pipe(
      Effect.map(({ length }) => length === 0),
      Effect.orElseSucceed(() => false)
    )
    const endAll = Effect.repeat(endOne, { until: (isDone) => isDone, times: maxEnded })
    return (error) =>
      Effect.sync(() => {
        if (isReadOnly(error)) fork(endAll, { onlyIfMissing: true })
      })
  })
