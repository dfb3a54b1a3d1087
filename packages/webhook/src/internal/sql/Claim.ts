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
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Leased, Row } from "../../Row.ts"
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
  readonly limit: number
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
  let searchFrom = start
  let fullSearchAt = 0n

  const claim = Effect.fnUntraced(function* (options: Options) {
    const now = (yield* Clock.Clock).monotonicTimeNanosUnsafe()
    if (now >= fullSearchAt) {
      searchFrom = start
      fullSearchAt = now + interval
    }
    const due = { earliest: Infinity }
    running.add(due)
    const { soonest, ...claimed } = yield* claimFrom(sql, searchFrom, options).pipe(
      Effect.ensuring(Effect.sync(() => running.delete(due)))
    )
    searchFrom = Math.min(soonest, options.at - maxLateness, due.earliest)
    return claimed
  })

  const noteDue = (at: number): void => {
    searchFrom = Math.min(searchFrom, at)
    for (const due of running) due.earliest = Math.min(due.earliest, at)
  }
  return { claim, noteDue }
}

/**
 * Leases rows that may be claimed at `from` or later, and returns when the next row may be claimed. `soonest` is when
 * the first of all these rows could be claimed. Each statement is retried alone, because a retry of all of them would
 * lease other rows.
 */
const claimFrom = Effect.fnUntraced(function* (sql: SqlClient, from: number, options: Options) {
  const { at, limit, until } = options
  const soonest = yield* nextClaimable(sql, from - 1)
  if (soonest > at || limit === 0) return { rows: [], dueAt: finite(soonest), soonest }
  const lines = yield* Retry.onConflict(lease(sql, from, options))
  const newest = yield* newestOfAll(sql, lines)
  const next = yield* nextClaimable(sql, lines.length === limit ? from - 1 : at)
  return {
    rows: lines.map((line): Leased => ({
      ...rowOf(line, newest(line)),
      lease: Number(line.lease),
      evidenceAtLease: line.evidence
    })),
    dueAt: finite(lines.length === 0 ? next : Math.min(next, until)),
    soonest
  }
})

/** Translates `RowRule.lease`, for the rows of `StoredRow.claimable`. */
const lease = (sql: SqlClient, from: number, { at, limit, until }: Options) => {
  const leaseId = sql.literal(sql.onDialectOrElse(leaseIds))
  const skipLocked = sql.literal(
    sql.onDialectOrElse({ pg: () => "FOR UPDATE SKIP LOCKED", orElse: () => "" })
  )
  return Effect.map(
    sql<Columns & { readonly was_claimable_at: BigInteger }>`
      WITH due AS MATERIALIZED (
        SELECT transaction_id, scope FROM pawl_transactions
        WHERE claimable_at BETWEEN ${from} AND ${at} ORDER BY claimable_at LIMIT ${limit} ${skipLocked}
      )
      UPDATE pawl_transactions
      SET lease = ${leaseId}, lease_until = ${until}, due_at = NULL,
        was_claimable_at = claimable_at
      WHERE (transaction_id, scope) IN (SELECT transaction_id, scope FROM due)
      RETURNING *`,
    (lines) => Arr.sortWith(lines, (line) => Number(line.was_claimable_at), Order.Number)
  )
}

/** Returns when the next row may be claimed after a time; `Infinity` when none may. Translates `StoredRow.nextClaimableAt`. */
const nextClaimable = (sql: SqlClient, after: number) =>
  Effect.map(
    Retry.onConflict(sql<{ readonly claimable_at: BigInteger }>`
      SELECT claimable_at FROM pawl_transactions
      WHERE claimable_at > ${after} ORDER BY claimable_at LIMIT 1`),
    ([line]) => (line === undefined ? Infinity : Number(line.claimable_at))
  )

const isOneOf = (sql: SqlClient, keys: ReadonlyArray<Key>): Fragment =>
  keys.length === 0
    ? sql.literal("1 = 0")
    : sql`(transaction_id, scope) IN (VALUES ${sql.csv(
        keys.map(({ scope, transaction_id }) => sql`(${transaction_id}, ${scope})`)
      )})`

const finite = (time: number): number | undefined => (Number.isFinite(time) ? time : undefined)
