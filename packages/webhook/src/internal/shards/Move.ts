/**
 * Moves the rows of databases to the shards where they belong, after databases were added.
 *
 * **Details**
 *
 * No receiver may run meanwhile: while rows are moved each database says so, and no ledger starts on it. The rows are moved
 * in batches: each is committed in its new database before it is deleted from the old one. A move that was interrupted
 * is run again: a row that is in both databases is the same in both, because nothing else writes.
 *
 * Archived rows are moved one by one from archive to archive.
 *
 * Callbacks in quarantine stay where they are, because lists are made from all shards.
 */
import { methodOf } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as ArchiveFiles from "../sql/ArchiveFiles.ts"
import * as ArchiveTables from "../sql/ArchiveTables.ts"
import * as FactCodec from "../sql/FactCodec.ts"
import type { Key } from "../sql/RowCodec.ts"
import * as Place from "../sql/Place.ts"
import { shardOf } from "./ShardOf.ts"

/** Is true for the lines whose key is that of a row. */
const isAnyOf = (sql: SqlClient, rows: ReadonlyArray<Key>): Fragment => {
  const keys = rows.map(({ scope, transaction_id }) => sql`(${transaction_id}, ${scope})`)
  return sql`(transaction_id, scope) IN (VALUES ${sql.csv(keys)})`
}

/** The tables whose lines belong to rows of `pawl_transactions`, and the condition for the lines of some rows. */
const tablesOfRows: ReadonlyArray<
  readonly [table: string, isOf: (sql: SqlClient, rows: ReadonlyArray<Key>) => Fragment]
> = [
  ["pawl_callbacks", isAnyOf],
  [
    "pawl_facts",
    (sql, rows) => {
      const stories = rows.map(
        ({ scope, transaction_id }) => sql`(${transaction_id}, ${FactCodec.letterOf(scope)})`
      )
      return sql`(transaction_id, substr(fact, 1, 1)) IN (VALUES ${sql.csv(stories)})`
    }
  ]
]

/** The most rows that are read at a time. */
const batchSize = 200

type Line = Readonly<Record<string, unknown>>
type TransactionLine = Key & Line
type RequestLine = { readonly request_id: string } & Line

/** Moves rows among databases that all have the newest tables, and returns the number of moved rows. */
export const move = Effect.fnUntraced(function* (
  databases: ReadonlyArray<SqlClient>
): Effect.fn.Return<number, SqlError> {
  const count = databases.length
  yield* Effect.forEach(databases, Place.setMoving, { discard: true })
  let moved = 0
  for (const [position, from] of databases.entries()) {
    moved += yield* moveTransactions(databases, from, position)
    moved += yield* moveArchived(databases, from, position)
    moved += yield* moveRequests(databases, from, position)
  }
  // An archive without the rows that came from others is an older one.
  yield* Effect.forEach(databases, ArchiveFiles.noteRemoval, { discard: true })
  yield* copyLiveness(databases)
  yield* Effect.forEach(databases, (sql, position) => Place.set(sql, { position, count }), {
    discard: true
  })
  return moved
})

const moveTransactions = Effect.fnUntraced(function* (
  databases: ReadonlyArray<SqlClient>,
  from: SqlClient,
  position: number
) {
  const places = ({ scope, transaction_id }: Key) =>
    shardOf({ method: methodOf(scope), transactionId: transaction_id }, databases.length)
  let moved = 0
  let last: Key = { transaction_id: "", scope: "card" }
  for (;;) {
    const lines = yield* from<TransactionLine>`SELECT * FROM pawl_transactions
      WHERE (transaction_id, scope) > (${last.transaction_id}, ${last.scope})
      ORDER BY transaction_id, scope LIMIT ${batchSize}`
    for (const [place, group] of Map.groupBy(lines, places)) {
      const to = databases[place]
      if (place === position || to === undefined) continue
      const belonging = yield* Effect.forEach(tablesOfRows, ([table, isOf]) =>
        Effect.map(
          from<Line>`SELECT * FROM ${from(table)} WHERE ${isOf(from, group)}`,
          (lines) => [table, lines] as const
        )
      )
      yield* to.withTransaction(
        Effect.andThen(
          insert(to, "pawl_transactions", group),
          Effect.forEach(belonging, ([table, lines]) => insert(to, table, lines))
        )
      )
      yield* from.withTransaction(
        Effect.andThen(
          Effect.forEach(
            tablesOfRows,
            ([table, isOf]) => from`DELETE FROM ${from(table)} WHERE ${isOf(from, group)}`
          ),
          from`DELETE FROM pawl_transactions WHERE ${isAnyOf(from, group)}`
        )
      )
      moved += group.length
    }
    const next = lines.at(-1)
    if (next === undefined) return moved
    last = next
  }
})

/** Moves archived rows from archive to archive. */
const moveArchived = Effect.fnUntraced(function* (
  databases: ReadonlyArray<SqlClient>,
  from: SqlClient,
  position: number
) {
  let moved = 0
  let last: Key = { transaction_id: "", scope: "card" }
  for (;;) {
    const keys = yield* from<
      TransactionLine & ArchiveTables.ArchivedKey
    >`SELECT * FROM pawl_archived
      WHERE (transaction_id, scope) > (${last.transaction_id}, ${last.scope})
      ORDER BY transaction_id, scope LIMIT ${batchSize}`
    for (const key of keys) {
      const { method, month, scope, transaction_id } = key
      const place = shardOf({ method, transactionId: transaction_id }, databases.length)
      const to = databases[place]
      if (place === position || to === undefined) continue
      const rows = yield* from<Line>`SELECT * FROM pawl_archive
        WHERE month = ${month} AND transaction_id = ${transaction_id} AND scope = ${scope}`
      yield* to.withTransaction(
        ArchiveTables.makePartition(to, month).pipe(
          Effect.andThen(insert(to, "pawl_archive", rows)),
          Effect.andThen(insert(to, "pawl_archived", [key])),
          Effect.andThen(ArchiveFiles.noteCopy(to))
        )
      )
      yield* from.withTransaction(ArchiveTables.remove(from, [key]))
      moved++
    }
    const next = keys.at(-1)
    if (next === undefined) return moved
    last = next
  }
})

const moveRequests = Effect.fnUntraced(function* (
  databases: ReadonlyArray<SqlClient>,
  from: SqlClient,
  position: number
) {
  let moved = 0
  let last = ""
  for (;;) {
    const lines = yield* from<RequestLine>`SELECT * FROM pawl_requests
      WHERE request_id > ${last} ORDER BY request_id LIMIT ${batchSize}`
    const groups = Map.groupBy(lines, ({ request_id }) =>
      shardOf({ requestId: request_id }, databases.length)
    )
    for (const [place, group] of groups) {
      const to = databases[place]
      if (place === position || to === undefined) continue
      yield* to.withTransaction(insert(to, "pawl_requests", group))
      yield* from`DELETE FROM pawl_requests
        WHERE ${from.in(
          "request_id",
          group.map(({ request_id }) => request_id)
        )}`
      moved += group.length
    }
    const next = lines.at(-1)
    if (next === undefined) return moved
    last = next.request_id
  }
})

/** Gives the time at which a worker was last alive to the databases that have none. */
const copyLiveness = Effect.fnUntraced(function* (databases: ReadonlyArray<SqlClient>) {
  const lines = yield* Effect.forEach(
    databases,
    (sql) => sql<Line>`SELECT id, alive_at FROM pawl_liveness`
  )
  const known = lines.flat().slice(0, 1)
  yield* Effect.forEach(databases, (sql) => insert(sql, "pawl_liveness", known), { discard: true })
})

/** Inserts lines that are not there yet. The database computes `claimable_at` itself. */
const insert = (sql: SqlClient, table: string, lines: ReadonlyArray<Line>) =>
  Effect.forEach(
    lines,
    (line) =>
      sql`INSERT INTO ${sql(table)} ${sql.insert(Struct.omit(line, ["claimable_at"]))} ON CONFLICT DO NOTHING`,
    { discard: true }
  )
