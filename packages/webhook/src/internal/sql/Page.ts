/**
 * Pages of all rows in SQL.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { PageOptions, RowPage } from "../../RowPages.ts"
import { type Columns, type Key, rowOf } from "./RowCodec.ts"

/**
 * Returns a page of all rows. Translates `RowPages.page`. The index of the key finds it, and no index on the time is needed,
 * which would slow each accept down.
 */
export const page = Effect.fnUntraced(function* (
  sql: SqlClient,
  { after, before, from, limit }: PageOptions
): Effect.fn.Return<RowPage, SqlError> {
  const isBehind = sql`(transaction_id, scope) > (${after?.transactionId ?? ""}, ${after?.scope ?? ""})`
  const [end] = yield* sql<Key>`SELECT transaction_id, scope FROM pawl_transactions
    WHERE ${isBehind} ORDER BY transaction_id, scope LIMIT 1 OFFSET ${limit - 1}`
  const lines = yield* sql<Columns>`SELECT * FROM (
      SELECT * FROM pawl_transactions
      WHERE ${isBehind} ORDER BY transaction_id, scope LIMIT ${limit}
    ) AS page WHERE created_at >= ${from} AND created_at < ${before}`
  return {
    rows: lines.map((line) => rowOf(line, {})),
    last: end && { transactionId: end.transaction_id, scope: end.scope }
  }
})
