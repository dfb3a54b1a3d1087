/**
 * Where a ledger is kept in these tests, and how it is opened, in this process or another.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { Ledger } from "../src/Ledger.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import * as NodePostgres from "../src/NodePostgres.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"

/** Where a ledger is kept, in words that reach another process. */
export type Place =
  | { readonly _tag: "sqlite"; readonly filename: string }
  | { readonly _tag: "postgres"; readonly database: string }

export const server = { host: "127.0.0.1", port: 5432, username: "postgres" }

/** Opens a place; the pool of a test is small, so that many tests fit on one server. */
export const client = (place: Place, options?: Partial<Parameters<typeof NodePostgres.layer>[0]>) =>
  place._tag === "sqlite"
    ? NodeSqlite.layer(place)
    : NodePostgres.layer({ ...server, database: place.database, maxConnections: 4, ...options })

/** The ledger of a place, and its client beside it. */
export const ledgerOf = (...place: Parameters<typeof client>) =>
  Layer.provideMerge(LedgerSql.layer, client(...place))

/** Empties a ledger's tables. */
export const empty = Effect.flatMap(SqlClient, (sql) =>
  Effect.forEach(
    ["pawl_transactions", "pawl_callbacks", "pawl_quarantine"],
    (table) => sql`DELETE FROM ${sql(table)}`,
    { discard: true }
  )
)

/** The ledger of a place, emptied each time it is built. */
export const emptied = (place: Place) =>
  Layer.effect(Ledger, Effect.andThen(empty, Ledger)).pipe(Layer.provideMerge(ledgerOf(place)))
