/**
 * Registering in SQL: finds the row of an operation, then writes it in one upsert.
 */
import * as Evidence from "@pawl/core/Evidence"
import { methodOf } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { orderedOf, type Registration } from "../../Row.ts"
import { find } from "../../StoredRow.ts"
import * as Lanes from "./Lanes.ts"
import * as Lookup from "./Lookup.ts"

/**
 * Makes the function that registers an operation. On SQLite it is one transaction. On PostgreSQL it is
 * two separate statements, as in `Accept`.
 */
export const make = (
  sql: SqlClient
): ((registration: Registration, at: number) => Effect.Effect<void, SqlError>) => {
  const register = Effect.fnUntraced(function* (registration: Registration, at: number) {
    const { kind, transactionId } = registration
    const method = methodOf(kind)
    const rows = yield* Lookup.rowsOf(sql, [{ method, transaction_id: transactionId }])
    const candidates = rows.filter((row) => row.method === method)
    const row = find(candidates, (candidate) => candidate.kind, kind, "registration")
    yield* upsert(registration, row?.scope ?? kind, at)
  })

  /** Translates `RowRule.register`. */
  const upsert = (
    { kind, status, transactionId, ...order }: Registration,
    scope: string,
    at: number
  ) => {
    const ordered = orderedOf(order)
    return sql`INSERT INTO pawl_transactions AS stored ${sql.insert({
      transaction_id: transactionId,
      scope,
      method: methodOf(kind),
      kind,
      ordered: ordered === undefined ? null : JSON.stringify(ordered),
      registered: 1,
      evidence: status === undefined ? Evidence.none : Evidence.confirmed(status),
      retry_at: at,
      created_at: at,
      new_status_at: at,
      due_at: at,
      lane: Lanes.numberOf("tell")
    })} ON CONFLICT (transaction_id, scope) DO UPDATE SET
      kind = excluded.kind,
      registered = 1,
      ordered = COALESCE(excluded.ordered, stored.ordered),
      evidence = stored.evidence | excluded.evidence,
      ${Lanes.dueIn(sql, sql.literal("excluded.due_at"), "tell", "stored.")}`
  }

  return sql.onDialectOrElse({
    pg: () => register,
    orElse: () => (registration: Registration, at: number) =>
      sql.withTransaction(register(registration, at))
  })
}
