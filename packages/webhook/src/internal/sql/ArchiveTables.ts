/**
 * The tables of the archive in SQL, and how a row is found there.
 *
 * **Details**
 *
 * - `pawl_archived`: the key of each archived row, with the month of its last new status, when work on it is due, and when the
 *   oldest of its bodies came. An accept looks only here, so its cost does not depend on the number of months.
 * - `pawl_archive`: the row itself, as the text of `ArchiveCodec`. On PostgreSQL each month is a partition, which is made when
 *   its first row comes.
 *
 * On SQLite both tables are in a second file, which the client attaches under the name `archive`; a client that attaches none
 * has them in its own. A row that comes back leaves a copy in the archive, because two files do not commit at one moment. The row
 * of `pawl_transactions` counts then, and is joined with its copy when it is archived again.
 *
 * All rows of a method and id are in the same place. So only an event for an id without rows has to look into the archive.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as ArchiveCodec from "./ArchiveCodec.ts"
import { type Key, keyOf } from "./RowCodec.ts"
import * as Lookup from "./Lookup.ts"

/** A line of `pawl_archived`. */
export interface ArchivedKey extends Key, Lookup.MethodId {
  readonly month: number
}

/** Returns the month of a time in UTC, such as 202611; with `back` the month so many months before it. */
export const monthOf = (at: number, back = 0): number => {
  const { month, year } = DateTime.toPartsUtc(DateTime.makeUnsafe(at))
  const months = year * 12 + month - 1 - back
  return Math.floor(months / 12) * 100 + (months % 12) + 1
}

/** Returns the time at which a month begins in UTC. */
export const startOf = (month: number): number =>
  DateTime.makeUnsafe({ year: Math.floor(month / 100), month: month % 100, day: 1 })
    .epochMilliseconds

/** An archived row: its text, and the lines in it. */
export interface Archived extends ArchivedKey {
  readonly content: string
  readonly lines: ArchiveCodec.ReadLines
}

/** Makes the tables. `schema` is a prefix of their names. */
export const makeTables = Effect.fnUntraced(function* (
  sql: SqlClient,
  schema: "" | "archive."
): Effect.fn.Return<void, SqlError> {
  const [prefix, partitions, clustered] = [
    schema,
    ...sql.onDialectOrElse({
      pg: () => ["PARTITION BY LIST (month)", ""] as const,
      orElse: () => ["WITHOUT ROWID", "WITHOUT ROWID"] as const
    })
  ].map((text) => sql.literal(text))
  yield* sql`CREATE TABLE IF NOT EXISTS ${prefix}pawl_archived (
    due_at BIGINT,
    bodies_at BIGINT,
    month INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    transaction_id TEXT NOT NULL,
    method TEXT NOT NULL,
    scope TEXT NOT NULL,
    PRIMARY KEY (transaction_id, scope)
  ) ${clustered}`
  yield* sql`CREATE INDEX IF NOT EXISTS ${prefix}pawl_archived_due
    ON pawl_archived (lane, due_at) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX IF NOT EXISTS ${prefix}pawl_archived_bodies
    ON pawl_archived (bodies_at) WHERE bodies_at IS NOT NULL`
  yield* sql`CREATE TABLE IF NOT EXISTS ${prefix}pawl_archive (
    month INTEGER NOT NULL,
    transaction_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (month, transaction_id, scope)
  ) ${partitions}`
})

/** Keeps the texts of columns out of the statistics of PostgreSQL, which `erase` cannot reach. */
export const withoutStatistics = (
  sql: SqlClient,
  table: string,
  columns: ReadonlyArray<string>
): Effect.Effect<void, SqlError> => {
  const changes = columns.map((column) => `ALTER COLUMN ${column} SET STATISTICS 0`)
  return Effect.asVoid(sql`${sql.literal(`ALTER TABLE ${table} ${changes.join(", ")}`)}`)
}

/** Tells whether a month has a partition, on PostgreSQL. */
const isMade = (sql: SqlClient, month: number): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql<{
      readonly name: string | null
    }>`SELECT to_regclass(${partitionOf(month)})::TEXT AS name`,
    ([line]) => line?.name !== null
  )

/** Makes the partition of a month on PostgreSQL, if there is none. */
export const makePartition = Effect.fnUntraced(function* (
  sql: SqlClient,
  month: number
): Effect.fn.Return<void, SqlError> {
  if (sql.onDialectOrElse({ pg: () => false, orElse: () => true })) return
  if (yield* isMade(sql, month)) return
  const name = partitionOf(month)
  // Two processes that make it at the same time would fail.
  yield* Lookup.lock(sql, "pawl_archive")
  yield* sql`${sql.literal(
    `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF pawl_archive FOR VALUES IN (${month})`
  )}`
  yield* withoutStatistics(sql, name, ["content"])
})

/**
 * Drops the oldest partition on PostgreSQL, if its month is before another one and it is empty. No row comes into it meanwhile. The
 * archive is locked only if the partition seems to be empty.
 */
export const dropOldest = (sql: SqlClient, before: number): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.gen(function* () {
        const [line] = yield* sql<{ readonly month: number | null }>`
          SELECT min(right(relname, 6)::INTEGER) AS month
          FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
          WHERE inhparent = 'pawl_archive'::regclass AND relname ~ '^pawl_archive_[0-9]{6}$'`
        const month = line?.month ?? Infinity
        if (month >= before) return
        const partition = sql.literal(partitionOf(month))
        const isEmpty = Effect.map(
          sql`SELECT 1 FROM ${partition} LIMIT 1`,
          ({ length }) => length === 0
        )
        if (!(yield* isEmpty)) return
        yield* sql`LOCK TABLE pawl_archive IN ACCESS EXCLUSIVE MODE`
        // Another process may have dropped it meanwhile, or archived a row.
        if ((yield* isMade(sql, month)) && (yield* isEmpty)) yield* sql`DROP TABLE ${partition}`
      }),
    orElse: () => Effect.void
  })

/** Is true for archived rows that are not in `pawl_transactions`. The keys have the name `key`. */
export const isOnlyArchived = (sql: SqlClient): Fragment =>
  sql.literal(`((SELECT count(*) FROM pawl_transactions AS stored
    WHERE stored.transaction_id = key.transaction_id AND stored.method = key.method) = 0)`)

/** Reads archived rows, by a condition on their keys, which have the name `key`. */
export const select = (
  sql: SqlClient,
  where: Fragment
): Effect.Effect<ReadonlyArray<Archived>, SqlError> =>
  Effect.map(
    // A subquery is always a search in the index of one partition.
    sql<
      ArchivedKey & { readonly content: string | null }
    >`SELECT key.transaction_id, key.method, key.scope, key.month,
        (SELECT archived.content FROM pawl_archive AS archived
          WHERE archived.month = key.month AND archived.transaction_id = key.transaction_id
            AND archived.scope = key.scope) AS content
      FROM pawl_archived AS key WHERE ${where}`,
    (lines) =>
      lines.flatMap(({ content, ...key }) =>
        content === null ? [] : [{ ...key, content, lines: ArchiveCodec.decode(content) }]
      )
  )

/** Reads the keys of the archived rows with some ids, of both methods. */
export const keysOf = (
  sql: SqlClient,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<ArchivedKey>, SqlError> =>
  sql`SELECT transaction_id, method, scope, month FROM pawl_archived
    WHERE ${Lookup.isOneOf(sql, ids)}${Lookup.everyScope(sql)}`

/** Reads archived rows by their keys. Rows that came back since the keys were read are left out. */
export const read = Effect.fnUntraced(function* (
  sql: SqlClient,
  keys: ReadonlyArray<ArchivedKey>
): Effect.fn.Return<ReadonlyArray<Archived>, SqlError> {
  const rows: Array<Archived> = []
  for (const [month, group] of Map.groupBy(keys, (key) => key.month)) {
    const lines = yield* sql<Key & { readonly content: string }>`
      SELECT transaction_id, scope, content FROM ${sql(tableOf(sql, month))}
      WHERE ${isAnyIn(sql, month, group)}`
    const contents = new Map(lines.map((line) => [keyOf(line), line.content]))
    for (const key of group) {
      const content = contents.get(keyOf(key))
      if (content !== undefined) rows.push({ ...key, content, lines: ArchiveCodec.decode(content) })
    }
  }
  return rows
})

/** Reads the archived rows of a method and id. */
export const rowsOf = (
  sql: SqlClient,
  { method, transaction_id }: Lookup.MethodId
): Effect.Effect<ReadonlyArray<Archived>, SqlError> =>
  Effect.flatMap(keysOf(sql, [transaction_id]), (keys) =>
    read(
      sql,
      keys.filter((key) => key.method === method)
    )
  )

const partitionOf = (month: number): string => `pawl_archive_${month}`

/** Is true for the lines of the rows of a method and id. */
export const isOf = (sql: SqlClient, { method, transaction_id }: Lookup.MethodId): Fragment =>
  sql`transaction_id = ${transaction_id} AND method = ${method}`

/** Deletes archived rows. */
export const remove = Effect.fnUntraced(function* (
  sql: SqlClient,
  rows: ReadonlyArray<ArchivedKey>
): Effect.fn.Return<void, SqlError> {
  for (const [month, group] of Map.groupBy(rows, (row) => row.month)) {
    yield* sql`DELETE FROM ${sql(tableOf(sql, month))} WHERE ${isAnyIn(sql, month, group)}`
  }
  if (rows.length > 0) yield* sql`DELETE FROM pawl_archived WHERE ${isAnyOf(sql, rows)}`
})

/** On PostgreSQL the rows of a month are in a partition: a search in all of them is planned and locked for each. */
export const tableOf = (sql: SqlClient, month: number): string =>
  sql.onDialectOrElse({ pg: () => partitionOf(month), orElse: () => "pawl_archive" })

/**
 * Is true for the rows of a month with some keys. PostgreSQL uses the index for the whole key, and for a list of one only if it is
 * written without a list.
 */
const isAnyIn = (sql: SqlClient, month: number, keys: ReadonlyArray<Key>): Fragment => {
  const number = sql.literal(String(month))
  const all = keys.map(({ scope, transaction_id }) => sql`(${number}, ${transaction_id}, ${scope})`)
  return keys.length === 1
    ? sql`month = ${number} AND ${isAnyOf(sql, keys)}`
    : sql`(month, transaction_id, scope) IN (VALUES ${sql.csv(all)})`
}

/** Is true for the lines with some keys. */
export const isAnyOf = (sql: SqlClient, keys: ReadonlyArray<Key>): Fragment => {
  const all = keys.map(({ scope, transaction_id }) => sql`(${transaction_id}, ${scope})`)
  const [one] = keys
  return one !== undefined && keys.length === 1
    ? sql`transaction_id = ${one.transaction_id} AND scope = ${one.scope}`
    : sql`(transaction_id, scope) IN (VALUES ${sql.csv(all)})`
}
