/**
 * Deleting bodies in SQL. The counts stay.
 *
 * **Details**
 *
 * A line of `pawl_callbacks` loses its bodies and keeps its count, so that a repeat is still recognized as
 * one. Each statement changes at most `limit` lines, so that other statements do not wait long.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as ArchiveEdits from "./ArchiveEdits.ts"

interface Options {
  readonly before: number
  readonly limit: number
}

/** Deletes up to `limit` bodies of each table that came before a time. Translates `RowRule.deleteBodies`. */
export const deleteBodies = Effect.fnUntraced(function* (
  sql: SqlClient,
  { before, limit }: Options
): Effect.fn.Return<number, SqlError> {
  const archived = yield* ArchiveEdits.deleteBodies(sql, { before, limit })
  const callbacks = yield* sql`UPDATE pawl_callbacks
    SET first_body = NULL, newest_body = NULL, newest_at = NULL
    WHERE (transaction_id, scope, status) IN (
      SELECT transaction_id, scope, status FROM pawl_callbacks AS stored
      WHERE newest_at < ${before} AND NOT EXISTS (
        SELECT 1 FROM pawl_transactions AS dead_letter
        WHERE dead_letter.transaction_id = stored.transaction_id AND dead_letter.scope = stored.scope
          AND dead_letter.dead_letter_at IS NOT NULL
      )
      ORDER BY newest_at LIMIT ${limit - archived}
    )
    RETURNING status`
  const quarantined = yield* sql`DELETE FROM pawl_quarantine
    WHERE (owner, digest) IN (
      SELECT owner, digest FROM pawl_quarantine
      WHERE newest_at < ${before} ORDER BY newest_at LIMIT ${limit}
    )
    RETURNING owner`
  return archived + callbacks.length + quarantined.length
})
