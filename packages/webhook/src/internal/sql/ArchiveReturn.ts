/**
 * Bringing archived rows back to the tables of the ledger, for an event.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Line, ReadLines } from "./ArchiveCodec.ts"
import * as ArchiveTables from "./ArchiveTables.ts"
import * as Lookup from "./Lookup.ts"

/** The most ids of a statement. With more of them PostgreSQL would read the whole tables if it has no statistics. */
export const maxIds = 16

/** The most lines that a statement inserts. */
const maxLines = 500

/**
 * Brings the archived rows of methods and ids back to the tables of the ledger, inside a transaction, if the tables have none of them.
 * On PostgreSQL they leave the archive in it. On SQLite they stay there, because the two files do not commit at one moment.
 * The ids are locked in the order in which every group of callbacks locks them. There are few statements for many rows: a claim that takes longer than three seconds would never succeed.
 */
export const restoreAll = Effect.fnUntraced(function* (
  sql: SqlClient,
  ids: ReadonlyArray<Lookup.MethodId>
): Effect.fn.Return<void, SqlError> {
  for (const some of Arr.chunksOf(inOrder(ids), maxIds)) yield* restore(sql, some)
})

const byId = Order.mapInput(Order.String, (id: Lookup.MethodId) => id.transaction_id)

/** Returns ids in the order in which they are locked. */
export const inOrder = (ids: ReadonlyArray<Lookup.MethodId>): ReadonlyArray<Lookup.MethodId> =>
  Arr.sort(ids, byId)

/**
 * Locks ids that are in their order, and returns the keys of their archived rows: those that only the archive has, and those of
 * copies.
 */
export const lookUp = Effect.fnUntraced(function* (
  sql: SqlClient,
  ids: ReadonlyArray<Lookup.MethodId>
): Effect.fn.Return<
  Record<"archived" | "copies", ReadonlyArray<ArchiveTables.ArchivedKey>>,
  SqlError
> {
  const texts = ids.map(({ transaction_id }) => transaction_id)
  yield* sql.onDialectOrElse({
    pg: () => Effect.asVoid(Lookup.lockAll(sql, texts)),
    orElse: () => Effect.void
  })
  const stored = yield* sql<Lookup.MethodId>`SELECT transaction_id, method FROM pawl_transactions
    WHERE ${Lookup.isOneOf(sql, texts)}${Lookup.everyScope(sql)}`
  const hot = new Set(stored.map(Lookup.textOf))
  const wanted = new Set(ids.map(Lookup.textOf))
  const keys = (yield* ArchiveTables.keysOf(sql, texts)).filter((key) =>
    wanted.has(Lookup.textOf(key))
  )
  const isCopy = (key: Lookup.MethodId) => hot.has(Lookup.textOf(key))
  return { archived: keys.filter((key) => !isCopy(key)), copies: keys.filter(isCopy) }
})

/**
 * Removes the due times of the copies of rows that came back, inside a transaction: the rows of the ledger are due. On SQLite it is
 * one of its own, after the rows are in the ledger.
 */
export const forgetDue = Effect.fnUntraced(function* (
  sql: SqlClient,
  ids: ReadonlyArray<Lookup.MethodId>
): Effect.fn.Return<void, SqlError> {
  for (const some of Arr.chunksOf(inOrder(ids), maxIds)) {
    const { copies } = yield* lookUp(sql, some)
    if (copies.length === 0) continue
    yield* sql`UPDATE pawl_archived SET due_at = NULL WHERE ${ArchiveTables.isAnyOf(sql, copies)}`
  }
})

const restore = Effect.fnUntraced(function* (
  sql: SqlClient,
  ids: ReadonlyArray<Lookup.MethodId>
): Effect.fn.Return<void, SqlError> {
  const keys = yield* lookUp(sql, ids)
  const archived = yield* ArchiveTables.read(sql, keys.archived)
  const linesOf = (select: (lines: ReadLines) => ReadonlyArray<Line>) =>
    archived.flatMap(({ lines, transaction_id }) =>
      select(lines).map((line) => ({ transaction_id, ...line }))
    )
  yield* insert(
    sql,
    "pawl_transactions",
    linesOf(({ row }) => [row])
  )
  yield* insert(
    sql,
    "pawl_callbacks",
    linesOf(({ callbacks }) => callbacks)
  )
  yield* insert(
    sql,
    "pawl_facts",
    linesOf(({ facts }) => facts)
  )
  yield* sql.onDialectOrElse({
    pg: () => ArchiveTables.remove(sql, archived),
    orElse: () => Effect.void
  })
})

const insert = (sql: SqlClient, table: string, lines: ReadonlyArray<Line>) =>
  Effect.forEach(
    Arr.chunksOf(lines, maxLines),
    (some) => sql`INSERT INTO ${sql(table)} ${sql.insert(some)}`.unprepared,
    { discard: true }
  )

/** Returns each method and id once. */
export const unique = (ids: ReadonlyArray<Lookup.MethodId>): ReadonlyArray<Lookup.MethodId> => [
  ...new Map(ids.map((id) => [Lookup.textOf(id), id])).values()
]

/**
 * Runs a statement of PostgreSQL. `Lookup.hotScopesFunction` refuses ids that are in the archive: then their rows are brought
 * back in the transaction of a second try.
 */
export const restoring = <A>(
  sql: SqlClient,
  ids: ReadonlyArray<string>,
  statement: Effect.Effect<A, SqlError>
): Effect.Effect<A, SqlError> =>
  statement.pipe(
    Effect.catch((error) =>
      Lookup.isArchived(error)
        ? ArchiveTables.keysOf(sql, ids).pipe(
            Effect.flatMap((archived) => restoreAll(sql, unique(archived))),
            Effect.andThen(statement),
            sql.withTransaction
          )
        : Effect.fail(error)
    )
  )

/**
 * Looks rows up, and looks again after those that only the archive has were brought back: the ids of a look-up that
 * have no row in `pawl_transactions`.
 */
export const restored = Effect.fnUntraced(function* <A extends Lookup.MethodId>(
  sql: SqlClient,
  lookup: Effect.Effect<ReadonlyArray<A | Lookup.ArchivedMark>, SqlError>
): Effect.fn.Return<ReadonlyArray<A>, SqlError> {
  const isRow = (line: A | Lookup.ArchivedMark): line is A =>
    !("scope" in line && line.scope === null)
  const lines = yield* lookup
  const rows = lines.filter(isRow)
  if (rows.length === lines.length) return rows
  const hot = new Set(rows.map(Lookup.textOf))
  const missing = lines.filter((line) => !isRow(line) && !hot.has(Lookup.textOf(line)))
  if (missing.length === 0) return rows
  yield* sql.withTransaction(restoreAll(sql, unique(missing)))
  return (yield* lookup).filter(isRow)
})
