/**
 * The place of a database among the shards of a ledger, so that no receiver looks for a row in the wrong one.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Place } from "../../Ledger.ts"

/** The count while rows are moved. No ledger has it, so none starts. */
const moving = 0

/** Keeps the place of a database that has none and no rows, and tells whether the database has it. */
export const take = Effect.fnUntraced(function* (
  sql: SqlClient,
  { count, position }: Place
): Effect.fn.Return<boolean, SqlError> {
  const [line] = yield* sql<Place>`SELECT position, count FROM pawl_shard`
  if (line !== undefined) return line.position === position && line.count === count
  if (count === 1) return true
  const rows = yield* sql`SELECT 1 FROM pawl_transactions
    UNION ALL SELECT 1 FROM pawl_requests LIMIT 1`
  if (rows.length > 0) return false
  yield* sql`INSERT INTO pawl_shard (position, count) SELECT ${position}, ${count}
    WHERE NOT EXISTS (SELECT 1 FROM pawl_shard)`
  return true
})

/** Sets the place of a database. */
export const set = (sql: SqlClient, { count, position }: Place): Effect.Effect<void, SqlError> =>
  sql.withTransaction(
    Effect.asVoid(
      Effect.andThen(
        sql`DELETE FROM pawl_shard`,
        sql`INSERT INTO pawl_shard (position, count) VALUES (${position}, ${count})`
      )
    )
  )

/** Notes that the rows of a database are moved. */
export const setMoving = (sql: SqlClient, position: number): Effect.Effect<void, SqlError> =>
  set(sql, { position, count: moving })
