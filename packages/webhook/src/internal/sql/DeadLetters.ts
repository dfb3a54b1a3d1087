/**
 * Dead letters in SQL.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"
import type { Ledger } from "../../Ledger.ts"
import { type Event, type Note, redriven } from "../../Fact.ts"
import { isParked, type Key, type Parked } from "../../Row.ts"
import * as SqlFacts from "./Facts.ts"
import * as Lanes from "./Lanes.ts"
import * as RowCodec from "./RowCodec.ts"

type Page = Parameters<Ledger["Service"]["deadLetters"]>[0]
type RedriveAll = Parameters<Ledger["Service"]["redriveAll"]>[0]

/** Lists a page of the dead letters, oldest first. The index is on their time, so a page reads no other rows. */
export const list = (
  sql: SqlClient,
  { after, limit, reason }: Page
): Effect.Effect<ReadonlyArray<Parked>, SqlError> =>
  Effect.map(
    sql<RowCodec.Columns>`SELECT * FROM pawl_transactions
      WHERE dead_letter_at ${
        after === undefined
          ? sql.literal("IS NOT NULL")
          : sql`>= ${after.at} AND (dead_letter_at, transaction_id, scope)
              > (${after.at}, ${after.transactionId}, ${after.scope})`
      } ${reason === undefined ? sql.literal("") : sql`AND dead_letter_reason = ${reason}`}
      ORDER BY dead_letter_at, transaction_id, scope LIMIT ${limit}`,
    (lines) => lines.map((line) => RowCodec.rowOf(line, {})).filter(isParked)
  )

/** Redrives the dead letters that a key names; returns false when it names none. Translates `RowRule.redrive`. */
export const redrive = (
  sql: SqlClient,
  { method, scope, transactionId }: Key,
  at: number,
  note?: Note
): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    redriveWith(
      sql,
      sql`UPDATE pawl_transactions SET ${columnsAt(sql, sql`${at}`)}
          WHERE transaction_id = ${transactionId} AND method = ${method}
            ${scope === undefined ? sql.literal("") : sql`AND scope = ${scope}`}
            AND dead_letter_at IS NOT NULL
          RETURNING transaction_id, scope, facts`,
      redriven(at, note)
    ),
    ({ length }) => length > 0
  )

const redriveWith = (sql: SqlClient, update: Statement<RowCodec.Key>, event: Event) => {
  const redrive = SqlFacts.add(sql, update, event)
  return sql.onDialectOrElse({ pg: () => redrive, orElse: () => sql.withTransaction(redrive) })
}

/** Redrives the oldest dead letters of a reason, each due some time after the one before it. */
export const redriveAll = (
  sql: SqlClient,
  { before, dueAt, limit, note, rate, reason }: RedriveAll
): Effect.Effect<number, SqlError> =>
  Effect.map(
    redriveWith(
      sql,
      sql`WITH oldest AS MATERIALIZED (
          SELECT transaction_id, scope, dead_letter_at FROM pawl_transactions
          WHERE dead_letter_at <= ${before} AND dead_letter_reason = ${reason}
          ORDER BY dead_letter_at, transaction_id, scope LIMIT ${limit}
        ), named AS (
          SELECT transaction_id AS id, scope AS of_scope, CAST(${dueAt}
            + (row_number() OVER (ORDER BY dead_letter_at, transaction_id, scope) - 1) * 1000 / ${rate}
            AS BIGINT) AS next_at FROM oldest
        )
        UPDATE pawl_transactions AS parked SET ${columnsAt(sql, sql.literal("named.next_at"))}
        FROM named
        WHERE parked.transaction_id = named.id AND parked.scope = named.of_scope
          AND parked.dead_letter_at IS NOT NULL
        RETURNING transaction_id, scope, facts`,
      redriven(before, note)
    ),
    ({ length }) => length
  )

/** The columns of a row that is redriven at a time. */
const columnsAt = (sql: SqlClient, at: Fragment): Fragment => sql`
  dead_letter_reason = NULL, dead_letter_at = NULL, dead_letter_to = NULL,
  amount_cleared = CASE dead_letter_reason
    WHEN 'amount-mismatch' THEN 1 ELSE amount_cleared END,
  facts = facts + 1, failing_since = NULL, retry_at = ${at},
  poll_at = CASE dead_letter_reason WHEN 'unknown-transaction' THEN ${at} ELSE poll_at END,
  ${Lanes.dueIn(sql, at, "retry")}`
