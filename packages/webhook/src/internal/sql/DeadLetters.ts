/**
 * Dead letters in SQL.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Key, Row } from "../../Row.ts"
import * as SqlClaim from "./Claim.ts"
import { type Columns, rowOf } from "./RowCodec.ts"

/** Lists what is parked, oldest first. */
export const list = Effect.fnUntraced(function* (
  sql: SqlClient
): Effect.fn.Return<ReadonlyArray<Row>, SqlError> {
  const lines = yield* sql<Columns>`SELECT * FROM pawl_transactions
        WHERE parked_at IS NOT NULL ORDER BY parked_at`
  const newest = yield* SqlClaim.newestOfAll(sql, lines)
  return lines.map((line) => rowOf(line, newest(line)))
})

/** Takes rows from among the dead letters; false when a key names none of them. */
export const redrive = (
  sql: SqlClient,
  { method, scope, transactionId }: Key,
  at: number
): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`UPDATE pawl_transactions SET
            parked_reason = NULL, parked_at = NULL, parked_to = NULL,
            cleared = CASE parked_reason WHEN 'amount-mismatch' THEN 1 ELSE cleared END,
            failing_since = NULL, tell_at = ${at},
            poll_at = CASE parked_reason WHEN 'unknown-transaction' THEN ${at} ELSE poll_at END,
            due_at = CASE WHEN due_at < ${at} THEN due_at ELSE ${at} END
          WHERE transaction_id = ${transactionId} AND method = ${method}
            ${scope === undefined ? sql.literal("") : sql`AND scope = ${scope}`}
            AND parked_at IS NOT NULL
          RETURNING method`,
    ({ length }) => length > 0
  )
