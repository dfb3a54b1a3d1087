/**
 * Accepting in SQL: two upserts and one commit for a group of callbacks.
 *
 * **Details**
 *
 * PostgreSQL refuses one key twice in a statement, so what a group brings is reduced first: all
 * callbacks of one row become one line with a count. They all claim the same status; callbacks of the
 * row that claim another are for the next group. So a group does exactly what its callbacks would have
 * done in turn. Its lines are sorted by key: two groups that share rows wait for each other, and never
 * in a circle.
 *
 * On PostgreSQL both upserts are one statement: one round trip, no process that stops between BEGIN and
 * COMMIT with rows locked, and nothing that cannot be given up when the server goes silent (the client
 * does not let go of a BEGIN).
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Accepted } from "../Ledger.ts"
import { type Big, type Key, keyOf, lone } from "./SqlRow.ts"

/** A callback that waits to be accepted. */
export interface Claim extends Key {
  readonly status: Status
  readonly at: number
  readonly body: Uint8Array
}

/** The callbacks of one row in one group, in the order they came in. */
type Lines = Arr.NonEmptyReadonlyArray<Arr.NonEmptyReadonlyArray<Claim>>

interface Counted extends Key {
  readonly count: Big
}

/** Makes the function that accepts a group. */
export const make = (
  sql: SqlClient
): ((
  claims: Arr.NonEmptyReadonlyArray<Claim>
) => Effect.Effect<ReadonlyArray<Accepted>, SqlError>) => {
  // The nine statuses take nine bits; what is confirmed lies above what is claimed.
  const isUnsure = sql.literal(`(held.evidence & (excluded.evidence << ${statuses.length})) = 0`)
  const isNew = sql.literal("(held.evidence & excluded.evidence) = 0")

  const upsertRows = (lines: Lines) =>
    sql`INSERT INTO pawl_transactions AS held ${sql.insert(
      Arr.map(lines, (line) => ({
        method: line[0].method,
        transaction_id: line[0].transaction_id,
        kind: line[0].method,
        evidence: Evidence.claimed(line[0].status),
        callbacks: line.length,
        tell_at: line[0].at,
        created_at: line[0].at,
        since: line[0].at,
        doubted_at: Arr.lastNonEmpty(line).at,
        due_at: line[0].at
      }))
    )} ON CONFLICT (method, transaction_id) DO UPDATE SET
      evidence = held.evidence | excluded.evidence,
      callbacks = held.callbacks + excluded.callbacks,
      doubted_at = CASE WHEN ${isUnsure} THEN excluded.doubted_at ELSE held.doubted_at END,
      since = CASE WHEN ${isNew} THEN excluded.since ELSE held.since END,
      polls = CASE WHEN ${isNew} THEN 0 ELSE held.polls END,
      poll_at = CASE WHEN ${isNew} THEN NULL ELSE held.poll_at END,
      due_at = CASE
        WHEN (${isNew} OR ${isUnsure}) AND (held.due_at IS NULL OR held.due_at > excluded.due_at)
        THEN excluded.due_at ELSE held.due_at END`

  const upsertCallbacks = (lines: Lines) =>
    sql<Counted>`INSERT INTO pawl_callbacks AS held ${sql.insert(
      Arr.map(lines, (line) => ({
        method: line[0].method,
        transaction_id: line[0].transaction_id,
        status: line[0].status,
        count: line.length,
        first_at: line[0].at,
        first_body: line[0].body,
        newest_at: Arr.lastNonEmpty(line).at,
        newest_body: line.length === 1 ? null : Arr.lastNonEmpty(line).body
      }))
    )} ON CONFLICT (method, transaction_id, status) DO UPDATE SET
      count = held.count + excluded.count,
      newest_at = excluded.newest_at,
      newest_body = COALESCE(excluded.newest_body, excluded.first_body)
      RETURNING method, transaction_id, count`

  const upsert = sql.onDialectOrElse({
    pg: () => (lines: Lines) =>
      lone(lines, sql<Counted>`WITH rows AS (${upsertRows(lines)}) ${upsertCallbacks(lines)}`),
    orElse: () => (lines: Lines) =>
      sql.withTransaction(
        Effect.andThen(lone(lines, upsertRows(lines)), lone(lines, upsertCallbacks(lines)))
      )
  })

  return (claims) => {
    const sorted = Arr.sortWith(claims, keyOf, Order.String)
    const lines = Arr.groupWith(sorted, (one, other) => keyOf(one) === keyOf(other))
    return Effect.map(upsert(lines), (kept) => {
      const counts = new Map(kept.map((line) => [keyOf(line), Number(line.count)]))
      // A line that counts no more than this group brought was not there before.
      const news = new Set(
        lines.flatMap((line) => (counts.get(keyOf(line[0])) === line.length ? [line[0]] : []))
      )
      return claims.map((claim) => ({ isNew: news.has(claim) }))
    })
  }
}

/** A group has callbacks of one status of each row. */
export const place = (claim: Claim) => ({ key: keyOf(claim), part: claim.status })
