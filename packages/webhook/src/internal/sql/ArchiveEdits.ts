/**
 * Deleting in the archive in SQL: bodies after their retention, months, and the texts of a person.
 */
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { DropOptions, Erased } from "../../Archive.ts"
import * as ArchiveCodec from "./ArchiveCodec.ts"
import * as ArchiveReturn from "./ArchiveReturn.ts"
import * as ArchiveTables from "./ArchiveTables.ts"
import * as FactCodec from "./FactCodec.ts"
import * as Lookup from "./Lookup.ts"
import * as Quarantine from "./Quarantine.ts"
import { type BigInteger, type Columns, orderedIn } from "./RowCodec.ts"

interface Options {
  readonly before: number
  readonly limit: number
}

/**
 * Deletes the bodies of archived callbacks that came before a time, of some ids, and returns their number without those of
 * copies. Runs in a transaction.
 */
const deleteBodiesOf = Effect.fnUntraced(function* (
  sql: SqlClient,
  ids: ReadonlyArray<Lookup.MethodId>,
  { before, limit }: Options
): Effect.fn.Return<number, SqlError> {
  const { archived, copies } = yield* ArchiveReturn.lookUp(sql, ids)
  const deletedIn = ({ lines }: ArchiveTables.Archived) =>
    lines.callbacks.filter(({ newest_at }) => newest_at !== null && newest_at < before)
  let count = 0
  const own = (yield* ArchiveTables.read(sql, archived)).map((row) => {
    const deleted = deletedIn(row).slice(0, limit - count)
    count += deleted.length
    return { row, deleted }
  })
  const others = (yield* ArchiveTables.read(sql, copies)).map((row) => ({
    row,
    deleted: deletedIn(row)
  }))
  const replaced = [...own, ...others].map(({ deleted, row }) => {
    const callbacks = row.lines.callbacks.map((line) =>
      deleted.includes(line) ? { ...line, ...noBodies, newest_at: null } : line
    )
    return { ...row, lines: { ...row.lines, callbacks } }
  })
  yield* replaceAll(sql, replaced)
  return count
})

const noBodies = { first_body: null, newest_body: null }

const hasBodies = ({ first_body, newest_body }: ArchiveCodec.Line): boolean =>
  first_body !== null || newest_body !== null

/** An archived row with its new lines. */
interface Replaced extends ArchiveTables.ArchivedKey {
  readonly lines: ArchiveCodec.Lines
}

/** Writes archived rows again, those of a month in one statement. */
const replaceAll = Effect.fnUntraced(function* (
  sql: SqlClient,
  rows: ReadonlyArray<Replaced>
): Effect.fn.Return<void, SqlError> {
  for (const [month, group] of Map.groupBy(rows, (row) => row.month)) {
    const contents = group.map(
      ({ lines, scope, transaction_id }) =>
        sql`(${transaction_id}, ${scope}, ${ArchiveCodec.encode(lines)})`
    )
    yield* sql`WITH changed (transaction_id, scope, content) AS (VALUES ${sql.csv(contents)})
      UPDATE ${sql(ArchiveTables.tableOf(sql, month))} AS stored SET content = changed.content
      FROM changed
      WHERE stored.month = ${sql.literal(String(month))}
        AND stored.transaction_id = changed.transaction_id AND stored.scope = changed.scope`
  }
  if (rows.length === 0) return
  const times = rows.map(
    ({ lines, scope, transaction_id }) =>
      sql`(${transaction_id}, ${scope}, CAST(${ArchiveCodec.bodiesAt(lines)} AS BIGINT))`
  )
  yield* sql`WITH changed (transaction_id, scope, bodies_at) AS (VALUES ${sql.csv(times)})
    UPDATE pawl_archived AS stored SET bodies_at = changed.bodies_at
    FROM changed
    WHERE stored.transaction_id = changed.transaction_id AND stored.scope = changed.scope`
})

const lock = (sql: SqlClient, { transaction_id }: Lookup.MethodId) =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(Lookup.lock(sql, transaction_id)),
    orElse: () => Effect.void
  })

/**
 * Deletes bodies of archived callbacks that came before a time: at most `limit` of them, of up to 16 ids. Returns 0 if there is none.
 * Each statement is a round trip, so a call for more ids would take longer than three seconds with a distant database.
 */
export const deleteBodies = Effect.fnUntraced(function* (
  sql: SqlClient,
  { before, limit }: Options
): Effect.fn.Return<number, SqlError> {
  if (limit <= 0) return 0
  // Bodies of copies do not count, so there may be another page.
  for (;;) {
    const ids = yield* sql<Lookup.MethodId>`SELECT transaction_id, method FROM pawl_archived
      WHERE bodies_at < ${before} ORDER BY bodies_at LIMIT ${Math.min(limit, ArchiveReturn.maxIds)}`
    if (ids.length === 0) return 0
    const unique = ArchiveReturn.inOrder(ArchiveReturn.unique(ids))
    const count = yield* sql.withTransaction(deleteBodiesOf(sql, unique, { before, limit }))
    if (count > 0) return count
  }
})

/**
 * Deletes up to `limit` archived rows of old months, and up to `limit` requests that were settled in them. On PostgreSQL the oldest
 * partition of an old month is dropped if it is empty, also if its rows came back or were deleted by an earlier call.
 */
export const drop = Effect.fnUntraced(function* (
  sql: SqlClient,
  { at, limit, months }: DropOptions
): Effect.fn.Return<number, SqlError> {
  const month = ArchiveTables.monthOf(at, months)
  const keys = yield* sql<ArchiveTables.ArchivedKey>`
    SELECT month, transaction_id, scope FROM pawl_archive
    WHERE month = (SELECT min(month) FROM pawl_archive WHERE month < ${month})
    ORDER BY transaction_id, scope LIMIT ${limit}`
  yield* ArchiveTables.remove(sql, keys)
  const requests = yield* sql`DELETE FROM pawl_requests WHERE request_id IN (
      SELECT request_id FROM pawl_requests WHERE settled_at < ${ArchiveTables.startOf(month)}
      ORDER BY settled_at LIMIT ${limit})
    RETURNING request_id`
  yield* ArchiveTables.dropOldest(sql, month)
  return keys.length + requests.length
})

/** Erases the texts of the rows of a method and id, wherever they are, and of their requests. Runs in a transaction. */
export const erase = Effect.fnUntraced(function* (
  sql: SqlClient,
  digest: Digest.Digest["Service"],
  id: Lookup.MethodId,
  requestIds: ReadonlyArray<string>
): Effect.fn.Return<Erased, SqlError> {
  const { method, transaction_id } = id
  yield* lock(sql, id)
  const rows =
    yield* sql<Columns>`SELECT * FROM pawl_transactions WHERE ${ArchiveTables.isOf(sql, id)}`
  const archived = yield* ArchiveTables.rowsOf(sql, id)
  let bodies = 0
  let notes = 0
  for (const { scope } of rows) {
    const deleted = yield* sql`UPDATE pawl_callbacks SET first_body = NULL, newest_body = NULL
      WHERE transaction_id = ${transaction_id} AND scope = ${scope}
        AND (first_body IS NOT NULL OR newest_body IS NOT NULL) RETURNING status`
    const cleared = yield* sql`UPDATE pawl_facts SET detail = ${FactCodec.noNote}
      WHERE transaction_id = ${transaction_id} AND substr(fact, 1, 1) = ${FactCodec.letterOf(scope)}
        AND substr(fact, 2, 1) = 'v' AND detail <> ${FactCodec.noNote} RETURNING fact`
    bodies += deleted.length
    notes += cleared.length
  }
  yield* replaceAll(sql, archived.map(withoutTexts))
  // The bodies and notes of a copy are those of its row.
  for (const { lines } of rows.length > 0 ? [] : archived) {
    bodies += lines.callbacks.filter(hasBodies).length
    notes += lines.facts.filter(isNote).length
  }
  const quarantined = yield* Quarantine.remove(sql, digest, {
    method,
    transactionId: transaction_id
  })
  const orders = [...rows.map(({ ordered }) => ordered), ...archived.map(orderIn)]
  const named = orders.flatMap((ordered) => orderedIn(ordered)?.requestId ?? [])
  const requests = yield* eraseRequests(sql, id, [...requestIds, ...named])
  const count = rows.length === 0 ? archived.length : rows.length
  return { rows: count, bodies, quarantined, notes, ...requests }
})

const orderIn = ({ lines }: ArchiveTables.Archived): string | null => lines.row.ordered

/** The fact of a redrive has the name of a person and a reason. */
const isNote = ({ detail, fact }: ArchiveCodec.Line): boolean =>
  String(fact).charAt(1) === "v" && detail !== null && detail !== FactCodec.noNote

const withoutTexts = ({ lines, ...key }: ArchiveTables.Archived): Replaced => ({
  ...key,
  lines: {
    ...lines,
    callbacks: lines.callbacks.map((line) => ({ ...line, ...noBodies })),
    facts: lines.facts.map((line) => (isNote(line) ? { ...line, detail: FactCodec.noNote } : line))
  }
})

/** Deletes the texts of the settled requests that led to a transaction. */
const eraseRequests = Effect.fnUntraced(function* (
  sql: SqlClient,
  { method, transaction_id }: Lookup.MethodId,
  requestIds: ReadonlyArray<string>
) {
  const isOfTransaction =
    requestIds.length === 0
      ? sql`method = ${method} AND transaction_id = ${transaction_id}`
      : sql`(${sql.in("request_id", requestIds)}
          OR (method = ${method} AND transaction_id = ${transaction_id}))`
  const erased = yield* sql`UPDATE pawl_requests SET body = NULL, answer = NULL
    WHERE ${isOfTransaction} AND settled_at IS NOT NULL
      AND (body IS NOT NULL OR answer IS NOT NULL) RETURNING request_id`
  const [open] = yield* sql<{ readonly count: BigInteger }>`SELECT count(*) AS count
    FROM pawl_requests WHERE ${isOfTransaction} AND settled_at IS NULL`
  return { requests: erased.length, open: Number(open?.count ?? 0) }
})
