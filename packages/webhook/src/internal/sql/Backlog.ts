/**
 * How much there is to do, in SQL: each count is of one partial index.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Backlog } from "../../Ledger.ts"
import type { Big } from "./RowCodec.ts"

/** Counts what is due and what was given up. */
export const count = (sql: SqlClient, at: number) =>
  Effect.map(
    sql<{ readonly due: Big; readonly soonest: Big | null; readonly dead_letters: Big }>`SELECT
      (SELECT count(*) FROM pawl_transactions WHERE free_at <= ${at}) AS due,
      (SELECT min(free_at) FROM pawl_transactions WHERE free_at <= ${at}) AS soonest,
      (SELECT count(*) FROM pawl_transactions WHERE dead_letter_at IS NOT NULL) AS dead_letters`,
    ([line]): Backlog => ({
      due: Number(line?.due ?? 0),
      oldestDueAt: line?.soonest === null || line === undefined ? undefined : Number(line.soonest),
      deadLetters: Number(line?.dead_letters ?? 0)
    })
  )
