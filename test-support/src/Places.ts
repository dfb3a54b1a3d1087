import { server } from "./Postgres.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"

/** The place of a store, which another process gets as JSON. */
export type Place =
  | { readonly _tag: "sqlite"; readonly filename: string }
  | { readonly _tag: "postgres"; readonly database: string }

/** Opens a store with a small pool, so that many tests fit on one server. */
export const client = (place: Place, options?: Partial<Parameters<typeof NodePostgres.layer>[0]>) =>
  place._tag === "sqlite"
    ? NodeSqlite.layer(place)
    : NodePostgres.layer({ ...server, database: place.database, maxConnections: 4, ...options })

export const ledgerOf = (...place: Parameters<typeof client>) =>
  Layer.provideMerge(LedgerSql.layer, client(...place))

export const empty = Effect.flatMap(SqlClient, (sql) =>
  Effect.forEach(
    [
      "pawl_transactions",
      "pawl_transactions_texts",
      "pawl_requests",
      "pawl_quarantine",
      "pawl_quarantine_texts",
      "pawl_settings"
    ],
    (table) => sql`DELETE FROM ${sql(table)}`,
    { discard: true }
  )
)

export const services = Effect.all({
  ledger: Ledger,
  sql: SqlClient,
  at: Clock.currentTimeMillis
})

/** Opens an emptied place as two processes do. */
export const opened = Effect.fnUntraced(function* (place: Place) {
  const build = Layer.build(Layer.fresh(ledgerOf(place)))
  const [one, two] = yield* Effect.all([build, build])
  const sql = Context.get(one, SqlClient)
  yield* Effect.provideService(empty, SqlClient, sql)
  return { sql, one, two }
})

/** Makes the layer of a ledger that is emptied each time it is built. */
export const emptied = (place: Place) =>
  Layer.effect(Ledger, Effect.andThen(empty, Ledger)).pipe(Layer.provideMerge(ledgerOf(place)))
