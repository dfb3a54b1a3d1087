/**
 * The backlog in SQL. Each count is read from a partial index.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Backlog } from "../../Ledger.ts"
import { lanes } from "../../Lane.ts"
import * as Lanes from "./Lanes.ts"
import type { BigInteger } from "./RowCodec.ts"

interface Counts {
  readonly due: BigInteger
  readonly oldest: BigInteger | null
  readonly dead_letters: BigInteger
}

/** Counts the rows that may be claimed, and the dead letters. Translates `StoredRow.claimable`. */
export const count = (sql: SqlClient, at: number) =>
  Effect.map(
    sql<Counts>`SELECT
      (SELECT count(*) FROM pawl_transactions WHERE ${isDue(sql, at)}) AS due,
      (SELECT min(claimable_at) FROM pawl_transactions WHERE ${isDue(sql, at)}) AS oldest,
      (SELECT count(*) FROM pawl_transactions WHERE dead_letter_at IS NOT NULL) AS dead_letters`,
    ([line]): Backlog => ({
      due: Number(line?.due ?? 0),
      oldestDueAt: line?.oldest === null || line === undefined ? undefined : Number(line.oldest),
      deadLetters: Number(line?.dead_letters ?? 0)
    })
  )

/** Names the lanes, because they come first in the index. */
const isDue = (sql: SqlClient, at: number) =>
  sql`lane IN (${sql.literal(lanes.map(Lanes.numberOf).join(", "))}) AND claimable_at <= ${at}`
