/**
 * Joining in SQL: two rows of one transaction become one.
 *
 * **Details**
 *
 * A transaction has two rows if a callback of a refund comes without its token. A write that sets the kind of the other
 * row joins its row to that row. The search for that row and the write are in one transaction.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as SqlFacts from "./Facts.ts"
import * as Lanes from "./Lanes.ts"
import type { Columns } from "./RowCodec.ts"
import * as SqlWrite from "./Write.ts"

/** Tells whether a write sets the kind of its row, and so may join it to another row. */
export const setsKind = ({ change, leased }: SqlWrite.Write): boolean =>
  change.kind !== undefined && change.kind !== leased.kind

/** Finds the row that a write joins its row to: another row of the id with the kind of the change. */
const findTarget = (
  sql: SqlClient,
  write: SqlWrite.Write
): Effect.Effect<Columns | undefined, SqlError> =>
  setsKind(write)
    ? Effect.map(
        sql<Columns>`SELECT * FROM pawl_transactions
          WHERE transaction_id = ${write.leased.transactionId} AND kind = ${write.change.kind}
            AND scope <> ${write.leased.scope}`,
        ([line]) => line
      )
    : Effect.undefined

/** Writes a change, or writes it and joins the row to another one. Returns no row if the lease was lost or after a join. */
export const write = (
  sql: SqlClient,
  write: SqlWrite.Write
): Effect.Effect<ReadonlyArray<Columns>, SqlError> =>
  Effect.flatMap(findTarget(sql, write), (target) =>
    target === undefined ? writeAlone(sql, write) : Effect.as(writeAndJoin(sql, write, target), [])
  )

/** Writes a change with its fact. */
const writeAlone = (sql: SqlClient, write: SqlWrite.Write) =>
  SqlFacts.add(sql, SqlWrite.statement(sql, write), write.change.fact)

/**
 * Writes a change, joins the row to the target and deletes it, if the lease still holds. Translates
 * `RowRule.join`.
 */
const writeAndJoin = Effect.fnUntraced(function* (
  sql: SqlClient,
  write: SqlWrite.Write,
  target: Columns
) {
  const [line] = yield* writeAlone(sql, write)
  if (line === undefined) return
  const isLine = sql`transaction_id = ${line.transaction_id} AND scope = ${line.scope}`
  const isTarget = sql`transaction_id = ${target.transaction_id} AND scope = ${target.scope}`
  const isOrderOfLine = target.ordered === null || line.order_registered > target.order_registered
  const order = isOrderOfLine ? line : target
  const joined = [
    sql`evidence = evidence | ${line.evidence}`,
    sql`callbacks = callbacks + ${line.callbacks}`,
    sql`ordered = ${order.ordered}`,
    sql`order_registered = ${order.order_registered}`,
    sql`registered = ${Math.max(line.registered, target.registered)}`,
    sql`names_refund = names_refund | ${line.names_refund}`,
    sql`told = COALESCE(told, ${line.told})`,
    SqlWrite.larger(sql, "sequence", line.sequence),
    Lanes.dueIn(sql, sql`${line.new_status_at}`, "tell")
  ]
  if (line.unconfirmed_at !== null) {
    const at = line.unconfirmed_at
    joined.push(
      sql`unconfirmed_at = CASE WHEN unconfirmed_at > ${at} THEN unconfirmed_at ELSE ${at} END`
    )
  }
  if (line.read_status !== null) {
    const read = { status: line.read_status, askedAt: Number(line.read_at) }
    joined.push(SqlWrite.laterRead(sql, read))
  }
  if (line.facts < 0)
    joined.push(
      sql.literal(`facts = CASE WHEN facts < 0 THEN facts ELSE facts - ${SqlFacts.older} END`)
    )
  yield* sql`UPDATE pawl_transactions SET ${sql.csv(joined)} WHERE ${isTarget}`
  yield* SqlFacts.join(sql, line, target)
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
