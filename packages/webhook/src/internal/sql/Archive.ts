/**
 * Archiving in SQL: moves finished rows to the archive.
 *
 * **Details**
 *
 * On PostgreSQL a page of rows is moved in one transaction. On SQLite the two files do not commit at one moment: the rows are
 * copied and committed. Then a second transaction reads both files, and deletes those rows from the ledger that the archive
 * has as they are. A process that stops between the two leaves rows in both files, and the next move joins them with the copies.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Moved, MovePage } from "../../Archive.ts"
import * as ArchiveCodec from "./ArchiveCodec.ts"
import * as ArchiveDue from "./ArchiveDue.ts"
import * as ArchiveFiles from "./ArchiveFiles.ts"
import { isJoinedAway, join } from "./ArchiveJoin.ts"
import * as ArchiveTables from "./ArchiveTables.ts"
import * as FactCodec from "./FactCodec.ts"
import * as Lookup from "./Lookup.ts"
import type { Columns, Key } from "./RowCodec.ts"

type HotLine = Columns & { readonly due_at: unknown; readonly lane: number }

/** A row to archive, with the lines that belong to it. */
interface Finished extends ArchiveDue.Planned {
  readonly key: ArchiveTables.ArchivedKey
  readonly lines: ArchiveCodec.Lines
}

/** Makes the archive of a database. `run` runs a statement or a transaction again after a conflict. */
export const make = (sql: SqlClient, run: ArchiveDue.Run) => {
  const { note, ...due } = ArchiveDue.make(sql, run)
  const isPostgres = sql.onDialectOrElse({ pg: () => true, orElse: () => false })

  /** Reads the finished rows of some ids. All rows of a method and id are finished, or none. */
  const gather = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, page: MovePage) {
    // Every id may be locked by another transaction.
    if (ids.length === 0) return []
    const forUpdate = sql.literal(isPostgres ? "FOR UPDATE" : "")
    const isOneOf = Lookup.isOneOf(sql, ids)
    const rows = yield* sql<HotLine>`
      SELECT * FROM pawl_transactions WHERE ${isOneOf}${Lookup.everyScope(sql)} ${forUpdate}`
    const units = [...Map.groupBy(rows, Lookup.textOf).values()]
    const finished = units.filter((unit) => unit.every((line) => isFinished(line, page))).flat()
    if (finished.length === 0) return []
    const callbacks = yield* sql<Key & ArchiveCodec.Line>`
      SELECT * FROM pawl_callbacks WHERE ${isOneOf} ORDER BY first_at`
    const facts = yield* sql<FactCodec.FactColumns & ArchiveCodec.Line>`
      SELECT * FROM pawl_facts WHERE ${isOneOf} ORDER BY number`
    const callbacksOf = Map.groupBy(callbacks, textOf)
    const factsOf = Map.groupBy(facts, (line) => line.transaction_id)
    return finished.map((row): Finished => {
      const { method, scope, transaction_id } = row
      const lines = {
        row: { ...row },
        callbacks: callbacksOf.get(textOf(row)) ?? [],
        facts: (factsOf.get(transaction_id) ?? []).filter(
          (line) => FactCodec.letterOfLine(line) === FactCodec.letterOf(scope)
        )
      }
      return {
        key: {
          transaction_id,
          method,
          scope,
          month: ArchiveTables.monthOf(Number(row.new_status_at))
        },
        dueAt: row.due_at === null ? null : Number(row.due_at),
        lane: row.lane,
        lines
      }
    })
  })

  /** Reads the copies of rows, and those of the other rows of their ids. */
  const copiesOf = Effect.fnUntraced(function* (rows: ReadonlyArray<Finished>) {
    const ids = rows.map(({ key }) => key.transaction_id)
    const known = yield* ArchiveTables.read(sql, yield* ArchiveTables.keysOf(sql, ids))
    return new Map(
      known.map(({ content, lines, ...key }) => [textOf(key), { key, content, lines }])
    )
  })

  /** Writes rows to the archive. A row of which a copy is there is joined to it. */
  const copy = Effect.fnUntraced(function* (rows: ReadonlyArray<Finished>) {
    if (rows.length === 0) return
    for (const month of new Set(rows.map(({ key }) => key.month))) {
      yield* ArchiveTables.makePartition(sql, month)
    }
    const copies = yield* copiesOf(rows)
    const joined = rows.map((row) => {
      const before = copies.get(textOf(row.key))
      return before === undefined ? row : { ...row, lines: join(row.lines, before.lines) }
    })
    const months = new Map(rows.map(({ key }) => [textOf(key), key.month]))
    const isReplaced = (old: Pick<Finished, "key" | "lines">) =>
      isJoinedAway(old, rows) || (months.get(textOf(old.key)) ?? old.key.month) !== old.key.month
    const replaced = [...copies.values()].filter(isReplaced)
    yield* ArchiveTables.remove(
      sql,
      replaced.map(({ key }) => key)
    )
    const contents = joined.map(
      ({ key, lines }) =>
        sql`(${key.month}, ${key.transaction_id}, ${key.scope}, ${ArchiveCodec.encode(lines)})`
    )
    yield* sql`INSERT INTO pawl_archive (month, transaction_id, scope, content)
      VALUES ${sql.csv(contents)}
      ON CONFLICT (month, transaction_id, scope) DO UPDATE SET content = excluded.content`
    const keys = joined.map(
      ({ dueAt, key, lane, lines }) =>
        sql`(CAST(${dueAt} AS BIGINT), CAST(${ArchiveCodec.bodiesAt(lines)} AS BIGINT), ${key.month}, ${lane},
          ${key.transaction_id}, ${key.method}, ${key.scope})`
    )
    yield* sql`INSERT INTO pawl_archived (due_at, bodies_at, month, lane, transaction_id, method, scope)
      VALUES ${sql.csv(keys)}
      ON CONFLICT (transaction_id, scope) DO UPDATE SET due_at = excluded.due_at,
        bodies_at = excluded.bodies_at, month = excluded.month, lane = excluded.lane`
  })

  const removeHot = Effect.fnUntraced(function* (rows: ReadonlyArray<Finished>) {
    if (rows.length === 0) return
    const keys = rows.map(({ key }) => sql`(${key.transaction_id}, ${key.scope})`)
    const stories = rows.map(
      ({ key }) => sql`(${key.transaction_id}, ${FactCodec.letterOf(key.scope)})`
    )
    yield* sql`DELETE FROM pawl_facts
      WHERE (transaction_id, substr(fact, 1, 1)) IN (VALUES ${sql.csv(stories)})
        AND ${Lookup.isOneOf(
          sql,
          rows.map(({ key }) => key.transaction_id)
        )}`
    yield* sql`DELETE FROM pawl_callbacks
      WHERE (transaction_id, scope) IN (VALUES ${sql.csv(keys)})`
    yield* sql`DELETE FROM pawl_transactions
      WHERE (transaction_id, scope) IN (VALUES ${sql.csv(keys)})`
  })

  const moveTogether = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, page: MovePage) {
    // Without statistics PostgreSQL would read the whole tables for the rows of a page.
    yield* sql`SET LOCAL enable_seqscan = off`
    const rows = yield* gather(yield* Lookup.tryLock(sql, ids), page)
    yield* copy(rows)
    yield* removeHot(rows)
    return rows
  })

  const copyIds = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, page: MovePage) {
    yield* copy(yield* gather(ids, page))
    yield* ArchiveFiles.noteCopy(sql)
  })

  /** Deletes the rows of which the archive has a copy that a join would not change. */
  const removeCopied = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, page: MovePage) {
    const rows = yield* gather(ids, page)
    if (rows.length === 0) return rows
    const copies = yield* copiesOf(rows)
    const isCopied = ({ key, lines }: Finished) => {
      const stored = copies.get(textOf(key))
      return (
        stored !== undefined && ArchiveCodec.encode(join(lines, stored.lines)) === stored.content
      )
    }
    const removed = wholeUnits(rows, rows.filter(isCopied))
    yield* removeHot(removed)
    yield* ArchiveFiles.noteRemoval(sql)
    return removed
  })

  const moveIds = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, page: MovePage) {
    if (isPostgres) return yield* run(sql.withTransaction(moveTogether(ids, page)))
    yield* run(sql.withTransaction(copyIds(ids, page)))
    return yield* run(sql.withTransaction(removeCopied(ids, page)))
  })

  /** Moves the finished rows of a page. */
  const move = Effect.fnUntraced(function* (page: MovePage): Effect.fn.Return<Moved, SqlError> {
    const { after, limit } = page
    const lines = yield* run(
      sql<HotLine>`SELECT * FROM pawl_transactions
        WHERE (transaction_id, scope) > (${after?.transactionId ?? ""}, ${after?.scope ?? ""})
        ORDER BY transaction_id, scope LIMIT ${limit}`
    )
    const finished = lines.filter((line) => isFinished(line, page))
    const ids = [...new Set(finished.map(({ transaction_id }) => transaction_id))]
    const moved = ids.length === 0 ? [] : yield* moveIds(ids, page)
    note(moved)
    const last = lines.length < limit ? undefined : lines.at(-1)
    return {
      moved: moved.length,
      last: last && { transactionId: last.transaction_id, scope: last.scope }
    }
  })

  return { move, ...due }
}

/** Tells whether a row is finished. */
const isFinished = (line: HotLine, { before, dueAfter }: MovePage): boolean =>
  line.lease === null &&
  line.dead_letter_at === null &&
  Number(line.new_status_at) < before &&
  (line.due_at === null || Number(line.due_at) > dueAfter)

const textOf = ({ scope, transaction_id }: Key): string => `${scope}/${transaction_id}`

/** Returns those of some rows whose method and id has no other row. */
const wholeUnits = (
  all: ReadonlyArray<Finished>,
  some: ReadonlyArray<Finished>
): ReadonlyArray<Finished> => {
  const others = new Set(
    all.filter((row) => !some.includes(row)).map(({ key }) => Lookup.textOf(key))
  )
  return some.filter(({ key }) => !others.has(Lookup.textOf(key)))
}
