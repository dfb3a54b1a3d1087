/**
 * Row lookup in SQL: reads the rows among which `StoredRow.find` chooses.
 */
import { type Kind, kindsOf, type Method } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import type { Key } from "./RowCodec.ts"

/** A transaction id of a method. */
export interface MethodId {
  readonly method: Method
  readonly transaction_id: string
}

/** Returns a method and an id as one text. No method contains a slash. */
export const textOf = ({ method, transaction_id }: MethodId): string =>
  `${method}/${transaction_id}`

/** Reads the keys and kinds of the rows with the given ids, of both methods. */
export const rowsOf = (
  sql: SqlClient,
  ids: ReadonlyArray<MethodId>
): Statement<Key & MethodId & { readonly kind: Kind }> =>
  sql`SELECT transaction_id, scope, method, kind FROM pawl_transactions
    WHERE ${sql.in(
      "transaction_id",
      ids.map(({ transaction_id }) => transaction_id)
    )}${sql.literal(sql.onDialectOrElse(everyScope))}`

/** Tells whether an id is that of a registered refund. Translates `StoredRow.hasRegisteredRefund`. */
export const isRegisteredRefund = (
  sql: SqlClient,
  refundId: string
): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`SELECT kind FROM pawl_transactions
      WHERE transaction_id = ${refundId} AND kind = 'refund' AND registered = 1`,
    ({ length }) => length > 0
  )

/** Names every scope, so that PostgreSQL uses the index of the key even if it has no statistics. */
const everyScope = {
  pg: () =>
    ` AND scope IN (${Object.entries(kindsOf)
      .flatMap(([method, kinds]) => [...kinds, method])
      .map((scope) => `'${scope}'`)
      .join(", ")})`,
  orElse: () => ""
}
