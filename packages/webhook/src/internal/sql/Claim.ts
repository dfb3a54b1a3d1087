/**
 * Claiming in SQL: the rows that are due, leased to one worker each.
 *
 * **Details**
 *
 * PostgreSQL steps over rows that another transaction holds at this moment (`SKIP LOCKED`); what is
 * left due then is somebody's, and does not count as due. SQLite lets in one writer at a time. An UPDATE
 * gives its rows in any order, so each keeps for how long it had been free.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Leased, Row } from "../../Row.ts"
import {
  type Big,
  type Columns,
  type Key,
  keyOf,
  lone,
  type Newest,
  newestOf,
  rowOf
} from "./RowCodec.ts"
import * as Store from "./Retry.ts"

interface Options {
  readonly at: number
  readonly until: number
  readonly limit: number
}

/** A lease's token: 53 bits that the database draws, whatever seed this process runs with. */
const tokens = {
  pg: () => "floor(random() * 9007199254740992)::bigint",
  orElse: () => "random() & 9007199254740991"
}

/** Reads the newest bodies of rows, by the text of their keys. */
export const newestOfAll = Effect.fnUntraced(function* (sql: SqlClient, keys: ReadonlyArray<Key>) {
  const lines = yield* Store.again(
    lone(
      keys,
      sql<Newest>`SELECT transaction_id, scope, status, COALESCE(newest_body, first_body) AS body
      FROM pawl_callbacks WHERE ${isOneOf(sql, keys)} AND newest_at IS NOT NULL`
    )
  )
  const bodies = Map.groupBy(lines, keyOf)
  return (key: Key): Row["newestCallbacks"] => newestOf(bodies.get(keyOf(key)) ?? [])
})

/**
 * Leases rows, and says when the next is free that nobody holds. Each step is done again by itself, for
 * what is leased must not be leased again.
 */
export const claim = Effect.fnUntraced(function* (sql: SqlClient, { at, limit, until }: Options) {
  const soonest = yield* nextFree(sql, Number.MIN_SAFE_INTEGER)
  if (soonest > at || limit === 0) return { rows: [], dueAt: finite(soonest) }
  const lines = yield* Store.again(lease(sql, { at, limit, until }))
  const newest = yield* newestOfAll(sql, lines)
  const next = yield* nextFree(sql, lines.length === limit ? Number.MIN_SAFE_INTEGER : at)
  return {
    rows: lines.map((line): Leased => ({
      ...rowOf(line, newest(line)),
      lease: Number(line.lease),
      evidenceAtLease: line.evidence
    })),
    dueAt: finite(lines.length === 0 ? next : Math.min(next, until))
  }
})

const lease = (sql: SqlClient, { at, limit, until }: Options) => {
  const token = sql.literal(sql.onDialectOrElse(tokens))
  const stepOver = sql.literal(
    sql.onDialectOrElse({ pg: () => "FOR UPDATE SKIP LOCKED", orElse: () => "" })
  )
  return Effect.map(
    sql<Columns & { readonly was_free_at: Big }>`
      WITH due AS MATERIALIZED (
        SELECT transaction_id, scope FROM pawl_transactions
        WHERE free_at <= ${at} ORDER BY free_at LIMIT ${limit} ${stepOver}
      )
      UPDATE pawl_transactions
      SET lease = ${token}, lease_until = ${until}, due_at = NULL, was_free_at = free_at
      WHERE (transaction_id, scope) IN (SELECT transaction_id, scope FROM due)
      RETURNING *`,
    (lines) => Arr.sortWith(lines, (line) => Number(line.was_free_at), Order.Number)
  )
}

/** When the next row is free, later than a moment; Infinity if none ever is. */
const nextFree = (sql: SqlClient, after: number) =>
  Effect.map(
    Store.again(sql<{ readonly free_at: Big }>`SELECT free_at FROM pawl_transactions
      WHERE free_at > ${after} ORDER BY free_at LIMIT 1`),
    ([line]) => (line === undefined ? Infinity : Number(line.free_at))
  )

const isOneOf = (sql: SqlClient, keys: ReadonlyArray<Key>): Fragment =>
  keys.length === 0
    ? sql.literal("1 = 0")
    : sql`(transaction_id, scope) IN (VALUES ${sql.csv(
        keys.map(({ scope, transaction_id }) => sql`(${transaction_id}, ${scope})`)
      )})`

const finite = (time: number): number | undefined => (Number.isFinite(time) ? time : undefined)
