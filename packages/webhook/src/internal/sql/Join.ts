/**
 * Joining in SQL: two rows of one transaction become one.
 *
 * **Details**
 *
 * A transaction has two rows if two processes make one at the same time, or if a callback comes without its token.
 * A write that sets the kind of the other row joins its row to that row.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Lanes from "./Lanes.ts"
import type { Columns, Key } from "./RowCodec.ts"
import * as SqlWrite from "./Write.ts"

/** Finds the row that a write joins its row to: another row of the id with the kind of the change. */
export const findTarget = (
  sql: SqlClient,
  { change, leased }: SqlWrite.Write
): Effect.Effect<Columns | undefined, SqlError> =>
  change.kind === undefined || change.kind === leased.kind
    ? Effect.undefined
    : Effect.map(
        sql<Columns>`SELECT * FROM pawl_transactions
          WHERE transaction_id = ${leased.transactionId} AND kind = ${change.kind}
            AND scope <> ${leased.scope}`,
        ([line]) => line
      )

/**
 * Writes a change, joins the row to the target and deletes it, if the lease still holds. Translates
 * `RowRule.join`.
 */
export const writeAndJoin = (
  sql: SqlClient,
  write: SqlWrite.Write,
  target: Key
): Effect.Effect<void, SqlError> =>
  sql.withTransaction(
    Effect.gen(function* () {
      const [line] = yield* SqlWrite.statement(sql, write)
      if (line === undefined) return
      const isLine = sql`transaction_id = ${line.transaction_id} AND scope = ${line.scope}`
      yield* sql`UPDATE pawl_transactions SET
          evidence = evidence | ${line.evidence},
          callbacks = callbacks + ${line.callbacks},
          ordered = COALESCE(ordered, ${line.ordered}),
          registered = CASE WHEN ${line.registered} = 1 THEN 1 ELSE registered END,
          told = COALESCE(told, ${line.told}),
          ${Lanes.dueIn(sql, sql`${line.new_status_at}`, "tell")}
        WHERE transaction_id = ${target.transaction_id} AND scope = ${target.scope}`
      yield* sql`INSERT INTO pawl_callbacks AS stored
          (transaction_id, scope, status, count, first_at, newest_at, account, amount, currency,
            first_body, newest_body)
        SELECT transaction_id, ${target.scope}, status, count, first_at, newest_at, account, amount,
          currency, first_body, newest_body
        FROM pawl_callbacks WHERE ${isLine}
        ON CONFLICT (transaction_id, scope, status) DO UPDATE SET
          count = stored.count + excluded.count`
      yield* sql`DELETE FROM pawl_callbacks WHERE ${isLine}`
      yield* sql`DELETE FROM pawl_transactions WHERE ${isLine}`
    })
  )
