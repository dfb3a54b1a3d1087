import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlClient } from "effect/sql/SqlClient"
import { AuthorizationError, LockTimeoutError, SqlError } from "effect/sql/SqlError"
import type { Fault } from "./Fault.ts"
import * as Retry from "./Retry.ts"

const tables = [
  "pawl_transactions",
  "pawl_requests",
  "pawl_quarantine",
  "pawl_transactions_texts",
  "pawl_quarantine_texts"
]

export const compact = (sql: SqlClient): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({ pg: () => rewriteTables(sql), orElse: () => rewriteFiles(sql) })

const run = <A extends object>(sql: SqlClient, text: string) =>
  Retry.onConflict(sql.unsafe<A>(text).unprepared)

/** The server ends an idle transaction of a receiver after 5 seconds. */
const snapshotWait = Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "7 seconds" }))

/**
 * A rewrite copies deleted rows that an older snapshot sees. A role does not see the snapshots of
 * others without `pg_read_all_stats`.
 */
const rewriteTables = Effect.fnUntraced(function* (sql: SqlClient) {
  const [line] = yield* run<{ readonly end: string }>(
    sql,
    "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS end"
  )
  const end = `'${line?.end}'::xid8`
  const holder = sql.unsafe<{ readonly name: string }>(
    `SELECT application_name AS name FROM pg_stat_activity WHERE datname = current_database()
      AND backend_xmin IS NOT NULL AND age(backend_xmin) > age(${end}::xid)
    UNION ALL SELECT slot_name FROM pg_replication_slots WHERE age(xmin) > age(${end}::xid)
    UNION ALL SELECT gid FROM pg_prepared_xacts WHERE age(transaction) > age(${end}::xid)
    UNION ALL SELECT 'another transaction' WHERE pg_snapshot_xmin(pg_current_snapshot()) < ${end}
    UNION ALL SELECT 'perhaps ' || usename FROM pg_stat_activity WHERE datname = current_database()
      AND NOT pg_has_role(usesysid, 'USAGE') AND NOT pg_has_role('pg_read_all_stats', 'USAGE')`
  ).unprepared
  yield* Effect.retry(
    Effect.flatMap(holder, ([open]) =>
      open === undefined ? Effect.void : busy(`${open.name} holds an older snapshot`)
    ),
    snapshotWait
  )
  for (const table of tables) {
    const file = run<{ readonly node: number }>(
      sql,
      `SELECT pg_relation_filenode('${table}') AS node`
    )
    const [before] = yield* file
    yield* run(sql, `VACUUM FULL ${table}`)
    const [after] = yield* file
    // PostgreSQL skips a table of another role, with a warning alone.
    if (before?.node === after?.node) return yield* notOwned(table)
  }
})

const notOwned = (table: string) => {
  const message = `permission denied to vacuum ${table}`
  const cause = Object.assign(new Error(message), { code: "42501" })
  return new SqlError({ reason: new AuthorizationError({ message, operation: "compact", cause }) })
}

const rewriteFiles = Effect.fnUntraced(function* (sql: SqlClient) {
  const files = yield* run<{ readonly name: string }>(sql, "PRAGMA database_list")
  for (const { name } of files) {
    if (name !== "temp") yield* run(sql, `VACUUM ${name}`)
  }
  const [checkpoint] = yield* run<{ readonly busy: number }>(sql, "PRAGMA wal_checkpoint(TRUNCATE)")
  if (checkpoint?.busy === 1) return yield* busy("another process reads the write-ahead log")
})

const busy = (message: string) => {
  const reason = new LockTimeoutError({ message, operation: "compact", cause: undefined })
  const pawlFault: Fault = { kind: "unavailable", cause: message }
  return Object.assign(new SqlError({ reason }), { pawlFault })
}
