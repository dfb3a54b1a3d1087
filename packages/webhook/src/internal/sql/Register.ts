/**
 * Registering in SQL: finds the row of an operation, then writes it in one upsert.
 */
import * as Evidence from "@pawl/core/Evidence"
import { type Kind, methodOf } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Registration } from "../../Row.ts"
import { orderAfter, type OrderOfRow, type RegisteredDifferently } from "../../Order.ts"
import { find } from "../../StoredRow.ts"
import * as ArchiveReturn from "./ArchiveReturn.ts"
import * as SqlFacts from "./Facts.ts"
import * as Lanes from "./Lanes.ts"
import * as Lookup from "./Lookup.ts"
import { type Columns, type Key, orderedIn } from "./RowCodec.ts"

type Stored = Pick<
  Columns,
  "kind" | "method" | "order_registered" | "ordered" | "scope" | "transaction_id"
>
type Registered = Result.Result<unknown, RegisteredDifferently>

/**
 * Makes the function that registers an operation. The upsert changes the row only if its order is the one that was
 * read; else all is done again. On SQLite it must run in a transaction.
 */
export const make = (
  sql: SqlClient
): ((registration: Registration, at: number) => Effect.Effect<Registered, SqlError>) => {
  const register = Effect.fnUntraced(function* (
    registration: Registration,
    at: number
  ): Effect.fn.Return<Registered, SqlError> {
    const { kind, transactionId: transaction_id } = registration
    for (;;) {
      const lookup = sql<Stored | Lookup.ArchivedMark>`
        SELECT transaction_id, scope, method, kind, ordered, order_registered
        FROM pawl_transactions
        WHERE transaction_id = ${transaction_id}${Lookup.everyScope(sql)}
        UNION ALL SELECT transaction_id, NULL, method, NULL, NULL, NULL FROM pawl_archived
        WHERE transaction_id = ${transaction_id}`
      const rows = yield* ArchiveReturn.restored(sql, lookup)
      const candidates = rows.filter(({ method }) => method === methodOf(kind))
      const row = find(candidates, (candidate) => candidate.kind, kind, "registration")
      const order = orderAfter(
        {
          ordered: orderedIn(row?.ordered ?? null),
          isOrderRegistered: row?.order_registered === 1
        },
        registration
      )
      if (Result.isFailure(order)) return order
      const { length } = yield* upsert(registration, order.success, row, at)
      if (length > 0) return order
    }
  })

  /** Translates `RowRule.register`. Writes nothing if the row has another order than the one that was read. */
  const upsert = (
    { kind, status, transactionId }: Registration,
    { isOrderRegistered, ordered }: OrderOfRow,
    row: Stored | undefined,
    at: number
  ) => {
    const insert = (scope: Kind | Fragment) => sql<Key>`INSERT INTO pawl_transactions AS stored
      (transaction_id, scope, method, kind, ordered, order_registered, registered, evidence, retry_at,
        created_at, new_status_at, due_at, lane, facts)
      VALUES (${transactionId}, ${scope}, ${methodOf(kind)}, ${kind},
        ${ordered === undefined ? null : JSON.stringify(ordered)}, ${isOrderRegistered ? 1 : 0}, 1,
        ${status === undefined ? Evidence.none : Evidence.confirmed(status)}, ${at}, ${at}, ${at}, ${at},
        ${Lanes.numberOf("tell")}, 1)
      ON CONFLICT (transaction_id, scope) DO UPDATE SET
        kind = excluded.kind,
        registered = 1,
        ordered = excluded.ordered,
        order_registered = excluded.order_registered,
        evidence = stored.evidence | excluded.evidence,
        facts = stored.facts + 1,
        ${Lanes.dueIn(sql, sql.literal("excluded.due_at"), "tell", "stored.")}
      WHERE stored.order_registered = ${row?.order_registered ?? 0}
        AND stored.ordered IS NOT DISTINCT FROM ${row?.ordered ?? null}
      RETURNING transaction_id, scope, facts`
    const event = { fact: "registered", kind, status, at } as const
    return sql.onDialectOrElse({
      pg: () => {
        const found = Lookup.scopesOf(
          sql,
          [{ kind, transaction_id: transactionId }],
          "registration"
        )
        return SqlFacts.add(sql, insert(found.scopeAt(0)), event, found.query)
      },
      orElse: () => SqlFacts.add(sql, insert(row?.scope ?? kind), event)
    })
  }

  return register
}
