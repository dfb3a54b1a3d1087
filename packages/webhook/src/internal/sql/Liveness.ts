/**
 * Outages in SQL: when a worker was last alive, and planned reads that are brought forward after a longer outage.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { latestAt, type PlannedKey, type PlannedPage } from "../../RowPages.ts"
import * as Lanes from "./Lanes.ts"
import type { BigInteger, Key } from "./RowCodec.ts"

/** Returns the time at which a worker was last alive; undefined if there is none. */
export const lastAliveAt = (sql: SqlClient): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(
    sql<{ readonly alive_at: BigInteger }>`SELECT alive_at FROM pawl_liveness WHERE id = 1`,
    ([line]) => line && Number(line.alive_at)
  )

/** Stores the time at which a worker is alive. */
export const noteAlive = (sql: SqlClient, at: number): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`INSERT INTO pawl_liveness (id, alive_at) VALUES (1, ${at})
    ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at`)

/** Writes a line of its own. Its value changes with each write, because SQLite leaves out a write that changes nothing. */
export const checkWritable = (sql: SqlClient): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`INSERT INTO pawl_liveness (id, alive_at) VALUES (2, 1)
    ON CONFLICT (id) DO UPDATE SET alive_at = pawl_liveness.alive_at + 1`)

interface Planned extends Key {
  readonly claimable_at: BigInteger
}

/**
 * Brings a page of planned reads forward. Translates `RowPages.bringForward`. A row that changes between the two
 * statements is left as it is: it is leased, or due at once.
 */
export const bringForward = Effect.fnUntraced(function* (
  sql: SqlClient,
  page: PlannedPage
): Effect.fn.Return<PlannedKey | undefined, SqlError> {
  const { after, lane, limit, readSince } = page
  const isInLane = sql.literal(`lane = ${Lanes.numberOf(lane)}`)
  // Every database compares ids in the order of their characters.
  const id = sql.literal(
    sql.onDialectOrElse({
      pg: () => `transaction_id COLLATE "C", scope COLLATE "C"`,
      orElse: () => "transaction_id, scope"
    })
  )
  const lines = yield* sql<Planned>`SELECT transaction_id, scope, claimable_at
    FROM pawl_transactions
    WHERE ${isInLane} AND lease_until IS NULL AND claimable_at >= ${after.dueAt}
      AND (asked_at IS NULL OR asked_at < ${readSince})
      AND (claimable_at, ${id}) > (${after.dueAt}, ${after.transactionId}, ${after.scope})
    ORDER BY claimable_at, ${id} LIMIT ${limit}`
  const moved = lines.flatMap(({ claimable_at, scope, transaction_id }, position) => {
    const at = latestAt(page, position)
    return at < Number(claimable_at)
      ? [sql`(${transaction_id}, ${scope}, CAST(${at} AS BIGINT))`]
      : []
  })
  if (moved.length > 0) {
    yield* sql`WITH moved (transaction_id, scope, next_at) AS (VALUES ${sql.csv(moved)})
      UPDATE pawl_transactions AS stored SET due_at = moved.next_at, poll_at = moved.next_at
      FROM moved
      WHERE stored.transaction_id = moved.transaction_id AND stored.scope = moved.scope
        AND ${isInLane} AND lease_until IS NULL AND due_at > moved.next_at`
  }
  const last = lines.length < limit ? undefined : lines.at(-1)
  return (
    last && {
      dueAt: Number(last.claimable_at),
      transactionId: last.transaction_id,
      scope: last.scope
    }
  )
})
