/**
 * Claiming in SQL: leases rows that are due, each to one worker.
 *
 * **Details**
 *
 * PostgreSQL skips rows that another transaction has locked at this moment (`SKIP LOCKED`); such a row is
 * not counted as due, because another process works on it. SQLite has one writer at a time. An UPDATE
 * returns its rows in any order, so each row keeps the time from which it could be claimed.
 *
 * While somebody holds a snapshot open, PostgreSQL keeps the index entries of every earlier state of a row, and those
 * of rows that were claimed come first. So a claim remembers the earliest time at which a row may be claimed, and the
 * next one searches from there. Rows that this process makes due move that time back. Rows that other processes make
 * due in the past are found by a search from the start, every 5 seconds.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Record from "effect/Record"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
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
  readonly newest?: number | undefined
}

/** The id of a lease: 53 bits that the database draws, so that two processes with the same seed draw different ids. */
export const leaseIds = {
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

interface Claimed {
  readonly rows: ReadonlyArray<Leased>
  readonly dueAt: number | undefined
}

/** The claims of one process. `noteDue` is given the time of each row that this process makes due, after its commit. */
export interface Claims {
  readonly claim: (options: Options) => Effect.Effect<Claimed, SqlError>
  readonly noteDue: (at: number) => void
}

/** Before any time of a row. */
export const start = Number.MIN_SAFE_INTEGER

/** How often a claim searches from the start, in nanoseconds. SQLite keeps no index entries of earlier states. */
const fullSearchInterval = { pg: () => 5_000_000_000n, orElse: () => 0n }

/** How late another process may commit a row that was due at its own time, in milliseconds. */
const maxLateness = 5000

/** Makes the claims of a process. */
export const make = (sql: SqlClient): Claims => {
  const interval = sql.onDialectOrElse(fullSearchInterval)
  const running = new Set<{ earliest: number }>()
  let searchFrom = perLane(start)
  let fullSearchAt = 0n

  const claim = Effect.fnUntraced(function* (options: Options) {
    const now = (yield* Clock.Clock).monotonicTimeNanosUnsafe()
    if (now >= fullSearchAt) {
      searchFrom = perLane(start)
      fullSearchAt = now + interval
    }
    const due = { earliest: Infinity }
    running.add(due)
    const { asked, soonest, ...claimed } = yield* claimFrom(sql, searchFrom, options).pipe(
      Effect.ensuring(Effect.sync(() => running.delete(due)))
    )
    const from = Math.min(soonest, options.at - maxLateness, due.earliest)
    searchFrom = { ...searchFrom, ...Object.fromEntries(asked.map((lane) => [lane, from])) }
    return claimed
  })

  const noteDue = (at: number): void => {
    searchFrom = Record.map(searchFrom, (from) => Math.min(from, at))
    for (const due of running) due.earliest = Math.min(due.earliest, at)
  }
  return { claim, noteDue }
}

/**
 * Leases rows that may be claimed at `from` or later, and returns when the next row may be claimed. `soonest` is when
 * the first of all these rows could be claimed. Each statement is retried alone, because a retry of all of them would
 * lease other rows.
 */
const claimFrom = Effect.fnUntraced(function* (
  sql: SqlClient,
  from: PerLane,
  { at, limit, newest = 0, until }: Options
) {
  const limits = perLane(limit)
  const asked = lanes.filter((lane) => limits[lane] > 0)
  if (asked.length === 0) return { rows: [], dueAt: undefined, soonest: Infinity, asked }
  const soonest = yield* nextClaimable(sql, asked, (lane) => from[lane] - 1)
  if (soonest > at) return { rows: [], dueAt: finite(soonest), soonest, asked }
  const lines = yield* Retry.onConflict(lease(sql, asked, { at, from, limits, newest, until }))
  const callbacks = yield* newestOfAll(sql, lines)
  const counts = Map.groupBy(lines, ({ lane }) => lane)
  const isUsedUp = (lane: Lane) => (counts.get(Lanes.numberOf(lane)) ?? []).length === limits[lane]
  const next = yield* nextClaimable(sql, asked, (lane) => (isUsedUp(lane) ? from[lane] - 1 : at))
  return {
    rows: lines.map((line): Leased => ({
      ...rowOf(line, callbacks(line)),
      lease: Number(line.lease),
      evidenceAtLease: line.evidence
    })),
    dueAt: finite(lines.length === 0 ? next : Math.min(next, until)),
    soonest,
    asked
  }
})

/** Translates `RowRule.lease`, for the rows of `StoredRow.claimable`. */
const lease = (
  sql: SqlClient,
  asked: ReadonlyArray<Lane>,
  {
    at,
    from,
    limits,
    newest,
    until
  }: Omit<Options, "limit" | "newest"> & {
    readonly from: PerLane
    readonly limits: PerLane
    readonly newest: number
  }
) => {
  const leaseId = sql.literal(sql.onDialectOrElse(leaseIds))
  const skipLocked = sql.literal(
    sql.onDialectOrElse({ pg: () => "FOR UPDATE SKIP LOCKED", orElse: () => "" })
  )
  const oldestFirst = sql.literal("")
  const newestFirst = sql.literal("DESC")
  const parts = asked.map((lane) => ({
    name: lane as string,
    lane,
    order: oldestFirst,
    limit: limits[lane] - (lane === "ask" ? newest : 0)
  }))
  if (newest > 0) parts.push({ name: "newest", lane: "ask", order: newestFirst, limit: newest })
  // PostgreSQL locks no rows in a UNION, so each part is a query of its own.
  const dueIn = parts.map(
    ({ lane, limit, name, order }) => sql`${sql(name)} AS MATERIALIZED (
      SELECT transaction_id, scope FROM pawl_transactions
      WHERE ${isIn(sql, lane)} AND claimable_at BETWEEN ${from[lane]} AND ${at}
      ORDER BY claimable_at ${order} LIMIT ${limit} ${skipLocked}
    )`
  )
  const all = sql.join(
    " UNION ALL ",
    false
  )(parts.map(({ name }) => sql`SELECT transaction_id, scope FROM ${sql(name)}`))
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
