/**
 * The stores of these tests, and how this process or another one opens them.
 */
import { server } from "@pawl/test-support/Postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { Ledger } from "../src/Ledger.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import * as NodePostgres from "../src/NodePostgres.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"

/** The place of a store, which another process gets as JSON. */
export type Place =
  | { readonly _tag: "sqlite"; readonly filename: string }
  | { readonly _tag: "postgres"; readonly database: string }

/** Opens a store. The pool of a test is small, so that many tests fit on one server. */
export const client = (place: Place, options?: Partial<Parameters<typeof NodePostgres.layer>[0]>) =>
  place._tag === "sqlite"
    ? NodeSqlite.layer(place)
    : NodePostgres.layer({ ...server, database: place.database, maxConnections: 4, ...options })

/** Makes the layer of the ledger in a store, and of its client. */
export const ledgerOf = (...place: Parameters<typeof client>) =>
  Layer.provideMerge(LedgerSql.layer, client(...place))

/** Empties a ledger's tables. */
export const empty = Effect.flatMap(SqlClient, (sql) =>
  Effect.forEach(
    [
      "pawl_transactions",
      "pawl_facts",
      "pawl_callbacks",
      "pawl_quarantine",
      "pawl_liveness",
      "pawl_requests"
    ],
    (table) => sql`DELETE FROM ${sql(table)}`,
    { discard: true }
  )
)

/** Returns a query of the numbers from 1 to `count`, in the column `n`. */
export const numbersTo = (sql: SqlClient, count: number) =>
  sql.literal(
    sql.onDialectOrElse({
      pg: () => `SELECT n FROM generate_series(1, ${count}) AS n`,
      orElse: () =>
        `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s`
    })
  )

/** Runs the body of a test with an empty ledger in a store. */
export const within =
  (place: Place) =>
  <A>(body: Effect.Effect<A, unknown, Ledger | SqlClient>) =>
  () =>
    Effect.provide(body, emptied(place), { local: true })

/** Makes the layer of the ledger in a store. It is emptied each time it is built. */
export const emptied = (place: Place) =>
  Layer.effect(Ledger, Effect.andThen(empty, Ledger)).pipe(Layer.provideMerge(ledgerOf(place)))
