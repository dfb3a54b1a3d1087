/**
 * Claiming in SQL: leases rows that are due, each to one worker.
 *
 * **Details**
 *
 * PostgreSQL skips rows that another transaction has locked at this moment (`SKIP LOCKED`); such a row is
 * not counted as due, because another process works on it. SQLite has one writer at a time. An UPDATE
 * returns its rows in any order, so each row keeps the time from which it could be claimed.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type Lane, lanes, perLane, type PerLane } from "../../Lane.ts"
import type { Leased, Row } from "../../Row.ts"
import * as Lanes from "./Lanes.ts"
import * as Retry from "./Retry.ts"
import {
  type BigInteger,
  type CallbackColumns,
  type Columns,
  type Key,
  keyOf,
  newestOf,
  preparedIfSingle,
  rowOf
} from "./RowCodec.ts"

interface Options {
  readonly at: number
  readonly until: number
  readonly limit: number | PerLane
}

/** The id of a lease: 53 bits that the database draws, so that two processes with the same seed draw different ids. */
const leaseIds = {
  pg: () => "floor(random() * 9007199254740992)::bigint",
  orElse: () => "random() & 9007199254740991"
}

/** Reads the newest callbacks of rows, without their bodies, and returns the function that looks one row up. */
export const newestOfAll = Effect.fnUntraced(function* (sql: SqlClient, keys: ReadonlyArray<Key>) {
  const lines = yield* Retry.onConflict(
    preparedIfSingle(
      keys,
      sql<CallbackColumns>`SELECT transaction_id, scope, status, newest_at AS at,
        account, amount, currency
      FROM pawl_callbacks WHERE ${isOneOf(sql, keys)} AND newest_at IS NOT NULL`
    )
  )
  const linesByKey = Map.groupBy(lines, keyOf)
  return (key: Key): Row["newestCallbacks"] => newestOf(linesByKey.get(keyOf(key)) ?? [])
})

/**
 * Leases rows, and returns when the next row may be claimed. Each statement is retried alone, because a
 * retry of all of them would lease other rows.
 */
export const claim = Effect.fnUntraced(function* (sql: SqlClient, { at, limit, until }: Options) {
  const limits = perLane(limit)
  const asked = lanes.filter((lane) => limits[lane] > 0)
  if (asked.length === 0) return { rows: [], dueAt: undefined }
  const soonest = yield* nextClaimable(sql, asked, () => Number.MIN_SAFE_INTEGER)
  if (soonest > at) return { rows: [], dueAt: finite(soonest) }
  const lines = yield* Retry.onConflict(lease(sql, asked, { at, limits, until }))
  const newest = yield* newestOfAll(sql, lines)
  const counts = Map.groupBy(lines, ({ lane }) => lane)
  const isUsedUp = (lane: Lane) => (counts.get(Lanes.numberOf(lane)) ?? []).length === limits[lane]
  const next = yield* nextClaimable(sql, asked, (lane) =>
    isUsedUp(lane) ? Number.MIN_SAFE_INTEGER : at
  )
  return {
    rows: lines.map((line): Leased => ({
      ...rowOf(line, newest(line)),
      lease: Number(line.lease),
      evidenceAtLease: line.evidence
    })),
    dueAt: finite(lines.length === 0 ? next : Math.min(next, until))
  }
})

/** Translates `RowRule.lease`, for the rows of `StoredRow.claimable`. */
const lease = (
  sql: SqlClient,
  asked: ReadonlyArray<Lane>,
  { at, limits, until }: Omit<Options, "limit"> & { readonly limits: PerLane }
) => {
  const leaseId = sql.literal(sql.onDialectOrElse(leaseIds))
  const skipLocked = sql.literal(
    sql.onDialectOrElse({ pg: () => "FOR UPDATE SKIP LOCKED", orElse: () => "" })
  )
  // PostgreSQL locks no rows in a UNION, so each lane is a query of its own.
  const dueIn = asked.map(
    (lane) => sql`${sql(lane)} AS MATERIALIZED (
      SELECT transaction_id, scope FROM pawl_transactions
      WHERE ${isIn(sql, lane)} AND claimable_at <= ${at}
      ORDER BY claimable_at LIMIT ${limits[lane]} ${skipLocked}
    )`
  )
  const all = sql.join(
    " UNION ALL ",
    false
  )(asked.map((lane) => sql`SELECT transaction_id, scope FROM ${sql(lane)}`))
  return Effect.map(
    sql<Columns & { readonly was_claimable_at: BigInteger; readonly lane: number }>`
      WITH ${sql.csv(dueIn)}, due AS MATERIALIZED (${all})
      UPDATE pawl_transactions
      SET lease = ${leaseId}, lease_until = ${until}, due_at = NULL,
        was_claimable_at = claimable_at
      WHERE (transaction_id, scope) IN (SELECT transaction_id, scope FROM due)
      RETURNING *`,
    (lines) => Arr.sortWith(lines, (line) => Number(line.was_claimable_at), Order.Number)
  )
}

/**
 * Returns when the next row of some lanes may be claimed, in each lane after a time; `Infinity` when none may.
 * Translates `StoredRow.nextClaimableAt`.
 */
const nextClaimable = (
  sql: SqlClient,
  asked: ReadonlyArray<Lane>,
  after: (lane: Lane) => number
) => {
  const columns = asked.map(
    (lane) => sql`(SELECT claimable_at FROM pawl_transactions
      WHERE ${isIn(sql, lane)} AND claimable_at > ${after(lane)}
      ORDER BY claimable_at LIMIT 1) AS ${sql(lane)}`
  )
  return Effect.map(
    Retry.onConflict(sql<Readonly<Record<string, BigInteger | null>>>`SELECT ${sql.csv(columns)}`),
    ([line = {}]) =>
      Object.values(line).reduce<number>(
        (soonest, at) => (at === null ? soonest : Math.min(soonest, Number(at))),
        Infinity
      )
  )
}

const isIn = (sql: SqlClient, lane: Lane): Fragment => sql.literal(`lane = ${Lanes.numberOf(lane)}`)

const isOneOf = (sql: SqlClient, keys: ReadonlyArray<Key>): Fragment =>
  keys.length === 0
    ? sql.literal("1 = 0")
    : sql`(transaction_id, scope) IN (VALUES ${sql.csv(
        keys.map(({ scope, transaction_id }) => sql`(${transaction_id}, ${scope})`)
      )})`

const finite = (time: number): number | undefined => (Number.isFinite(time) ? time : undefined)
