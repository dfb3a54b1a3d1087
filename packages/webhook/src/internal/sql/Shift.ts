/**
 * Correcting due times and leases in SQL, after the clock was set back.
 */
import type { SqlClient } from "effect/sql/SqlClient"

interface Options {
  readonly at: number
  readonly by: number
  readonly until: number
}

/** Translates `StoredRow.shift`. */
export const shift = (sql: SqlClient, { at, by, until }: Options) =>
  sql`UPDATE pawl_transactions SET
      due_at = CASE WHEN due_at <= ${at} THEN due_at
        WHEN due_at - ${by} < ${at} THEN ${at} ELSE due_at - ${by} END,
      lease_until = CASE WHEN lease_until > ${until} THEN ${until} ELSE lease_until END
    WHERE claimable_at > ${at} AND claimable_at <= ${until + 2 * by}`
