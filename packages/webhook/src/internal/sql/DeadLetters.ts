/**
 * Dead letters in SQL.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Key, Row } from "../../Row.ts"
import * as SqlClaim from "./Claim.ts"
import { type Columns, rowOf } from "./RowCodec.ts"

/** Lists the dead letters, oldest first. */
export const list = Effect.fnUntraced(function* (
  sql: SqlClient
): Effect.fn.Return<ReadonlyArray<Row>, SqlError> {
  const lines = yield* sql<Columns>`SELECT * FROM pawl_transactions
        WHERE dead_letter_at IS NOT NULL ORDER BY dead_letter_at`
  const newest = yield* SqlClaim.newestOfAll(sql, lines)
  return lines.map((line) => rowOf(line, newest(line)))
})

/** Redrives the dead letters that a key names; returns false when it names none. Translates `RowRule.redrive`. */
export const redrive = (
  sql: SqlClient,
  { method, scope, transactionId }: Key,
  at: number
): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`UPDATE pawl_transactions SET
            dead_letter_reason = NULL, dead_letter_at = NULL, dead_letter_to = NULL,
            amount_cleared = CASE dead_letter_reason
              WHEN 'amount-mismatch' THEN 1 ELSE amount_cleared END,
            failing_since = NULL, retry_at = ${at},
            poll_at = CASE dead_letter_reason WHEN 'unknown-transaction' THEN ${at} ELSE poll_at END,
            due_at = CASE WHEN due_at < ${at} THEN due_at ELSE ${at} END
          WHERE transaction_id = ${transactionId} AND method = ${method}
            ${scope === undefined ? sql.literal("") : sql`AND scope = ${scope}`}
            AND dead_letter_at IS NOT NULL
          RETURNING method`,
    ({ length }) => length > 0
  )
