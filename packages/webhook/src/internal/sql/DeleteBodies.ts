/**
 * Deleting bodies in SQL. The counts stay.
 *
 * **Details**
 *
 * A line of `pawl_callbacks` loses its bodies and keeps its count, so that a repeat is still recognized as
 * one. Each statement changes at most `limit` lines, so that other statements do not wait long.
 *
 * The archive, the callbacks and the quarantine are steps of their own. If one of them fails, the others go on, so that a body is
 * never kept because another one cannot be deleted.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as ArchiveEdits from "./ArchiveEdits.ts"

interface Options {
  readonly before: number
  readonly limit: number
}

/**
 * Deletes bodies that came before a time: at most `limit` accepted ones, and `limit` quarantined ones. Translates
 * `RowRule.deleteBodies`. `run` runs each step. Fails if a step failed and no body was deleted.
 */
export const deleteBodies = Effect.fnUntraced(function* <E>(
  sql: SqlClient,
  { before, limit }: Options,
  run: (step: Effect.Effect<number, SqlError>) => Effect.Effect<number, E>
): Effect.fn.Return<number, E> {
  const archived = yield* Effect.result(run(ArchiveEdits.deleteBodies(sql, { before, limit })))
  const left = limit - Result.getOrElse(archived, () => 0)
  const callbacks = yield* Effect.result(run(ofCallbacks(sql, { before, limit: left })))
  const quarantined = yield* Effect.result(run(ofQuarantine(sql, { before, limit })))
  const steps = [archived, callbacks, quarantined]
  const count = steps.reduce((sum, step) => sum + Result.getOrElse(step, () => 0), 0)
  const failure = steps.find(Result.isFailure)
  return count === 0 && failure !== undefined ? yield* Effect.fail(failure.failure) : count
})

const ofCallbacks = (sql: SqlClient, { before, limit }: Options) =>
  Effect.map(
    sql`UPDATE pawl_callbacks
    SET first_body = NULL, newest_body = NULL, newest_at = NULL
    WHERE (transaction_id, scope, status) IN (
      SELECT transaction_id, scope, status FROM pawl_callbacks AS stored
      WHERE newest_at < ${before} AND NOT EXISTS (
        SELECT 1 FROM pawl_transactions AS dead_letter
        WHERE dead_letter.transaction_id = stored.transaction_id AND dead_letter.scope = stored.scope
          AND dead_letter.dead_letter_at IS NOT NULL
      )
      ORDER BY newest_at LIMIT ${limit}
    )
    RETURNING status`,
    ({ length }) => length
  )

const ofQuarantine = (sql: SqlClient, { before, limit }: Options) =>
  Effect.map(
    sql`DELETE FROM pawl_quarantine
    WHERE (owner, digest) IN (
      SELECT owner, digest FROM pawl_quarantine
      WHERE newest_at < ${before} ORDER BY newest_at LIMIT ${limit}
    )
    RETURNING owner`,
    ({ length }) => length
  )
