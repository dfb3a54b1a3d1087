/**
 * Cleaning up in SQL: bodies go, what was counted stays.
 *
 * **Details**
 *
 * A line of `pawl_callbacks` loses its bodies and keeps its count, by which a replay after any time is
 * still a repeat. Every statement takes a few lines, so that nobody waits for the next.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

interface Options {
  readonly before: number
  readonly limit: number
}

/** Deletes up to `limit` bodies of each table that nothing was heard of since. */
export const forget = Effect.fnUntraced(function* (
  sql: SqlClient,
  { before, limit }: Options
): Effect.fn.Return<number, SqlError> {
  const callbacks = yield* sql`UPDATE pawl_callbacks
    SET first_body = NULL, newest_body = NULL, newest_at = NULL
    WHERE (transaction_id, scope, status) IN (
      SELECT transaction_id, scope, status FROM pawl_callbacks AS held
      WHERE newest_at < ${before} AND NOT EXISTS (
        SELECT 1 FROM pawl_transactions AS parked
        WHERE parked.transaction_id = held.transaction_id AND parked.scope = held.scope
          AND parked.dead_letter_at IS NOT NULL
      )
      ORDER BY newest_at LIMIT ${limit}
    )
    RETURNING status`
  const quarantined = yield* sql`DELETE FROM pawl_quarantine
    WHERE (owner, digest) IN (
      SELECT owner, digest FROM pawl_quarantine
      WHERE newest_at < ${before} ORDER BY newest_at LIMIT ${limit}
    )
    RETURNING owner`
  return callbacks.length + quarantined.length
})
