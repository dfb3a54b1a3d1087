/**
 * Pages of all rows in SQL.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { PageOptions, RowPage } from "../../RowPages.ts"
import * as RowPages from "../../RowPages.ts"
import * as ArchiveReads from "./ArchiveReads.ts"
import * as ArchiveTables from "./ArchiveTables.ts"
import { type Columns, type Key, rowOf } from "./RowCodec.ts"
import * as Snapshot from "./Snapshot.ts"

/**
 * Returns a page of all rows, archived ones included. Translates `RowPages.page`. The indexes of the keys find it, and no index on
 * the time is needed, which would slow each accept down.
 *
 * The order is that of the database, because PostgreSQL uses no index of another collation: `COLLATE "C"` would sort the whole
 * table for each page.
 */
export const page = (sql: SqlClient, options: PageOptions): Effect.Effect<RowPage, SqlError> =>
  // A row may be archived or come back between two statements.
  Snapshot.within(sql, read(sql, options))

const read = Effect.fnUntraced(function* (
  sql: SqlClient,
  { after, before, from, limit }: PageOptions
): Effect.fn.Return<RowPage, SqlError> {
  const isBehind = (table: string) =>
    sql`(${sql.literal(table)}transaction_id, ${sql.literal(table)}scope)
      > (${after?.transactionId ?? ""}, ${after?.scope ?? ""})`
  const keysIn = (table: string) => sql`SELECT * FROM (
    SELECT transaction_id, scope FROM ${sql(table)} WHERE ${isBehind("")}
    ORDER BY transaction_id, scope LIMIT ${limit}) AS ${sql(`keys_of_${table}`)}`
  const [end] = yield* sql<Key>`SELECT transaction_id, scope FROM (
      ${keysIn("pawl_transactions")} UNION ${keysIn("pawl_archived")}
    ) AS keys ORDER BY transaction_id, scope LIMIT 1 OFFSET ${limit - 1}`
  const isInPage = (table: string) =>
    end === undefined
      ? isBehind(table)
      : sql`${isBehind(table)} AND (${sql.literal(table)}transaction_id, ${sql.literal(table)}scope)
          <= (${end.transaction_id}, ${end.scope})`
  const lines = yield* sql<Columns>`SELECT * FROM pawl_transactions
    WHERE ${isInPage("")} AND created_at >= ${from} AND created_at < ${before}`
  const archived = yield* ArchiveTables.select(
    sql,
    sql`${isInPage("key.")} AND ${ArchiveTables.isOnlyArchived(sql)}`
  )
  const rows = archived
    .map((row) => ({ ...ArchiveReads.rowIn(row), newestCallbacks: {} }))
    .filter(({ createdAt }) => createdAt >= from && createdAt < before)
  return {
    rows: [...lines.map((line) => rowOf(line, {})), ...rows].toSorted(RowPages.compareKeys),
    last: end && { transactionId: end.transaction_id, scope: end.scope }
  }
})
