/**
 * Lanes in SQL: the column `lane` has the position of the lane in `Lane.lanes`.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type Lane, lanes } from "../../Lane.ts"

/** Returns the number of a lane in its column. */
export const numberOf = (lane: Lane): number => lanes.indexOf(lane)

/**
 * Assigns the columns that make a row due at a time in a lane. If the row is due already, the earlier time and the more
 * urgent lane count. `stored` names the row where its columns need a name.
 */
export const dueIn = (
  sql: SqlClient,
  at: Fragment,
  lane: Lane,
  stored: "" | "stored." = ""
): Fragment => {
  const [dueAt, laneNumber] = [sql.literal(`${stored}due_at`), sql.literal(`${stored}lane`)]
  const number = sql.literal(String(numberOf(lane)))
  return sql`lane = CASE WHEN ${dueAt} IS NULL OR ${laneNumber} > ${number} THEN ${number} ELSE ${laneNumber} END,
    due_at = CASE WHEN ${dueAt} < ${at} THEN ${dueAt} ELSE ${at} END`
}
