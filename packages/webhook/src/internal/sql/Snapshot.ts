/**
 * Reading with several statements as the tables are at one moment.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** Runs reads in a transaction in which they see the tables of one moment. */
export const within = <A>(
  sql: SqlClient,
  reads: Effect.Effect<A, SqlError>
): Effect.Effect<A, SqlError> =>
  sql.withTransaction(
    Effect.andThen(
      sql.onDialectOrElse({
        pg: () => Effect.asVoid(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`),
        orElse: () => Effect.void
      }),
      reads
    )
  )
