/**
 * Stores for one run, deleted at its end.
 */
import * as Leases from "@pawl/test-support/Leases"
import * as Postgres from "@pawl/test-support/Postgres"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { StoreName } from "./Run.ts"

export type Store =
  | { readonly _tag: "memory"; readonly url: string }
  | { readonly _tag: "sqlite"; readonly url: string; readonly filename: string }
  | { readonly _tag: "postgres"; readonly url: string; readonly database: string }

export type SqlStore = Exclude<Store, { readonly _tag: "memory" }>

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pawl-rel-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const layerClient = (store: SqlStore) =>
  store._tag === "sqlite"
    ? NodeSqlite.layer(store)
    : NodePostgres.layer({ ...Postgres.server, database: store.database, maxConnections: 1 })

export const execute = (store: SqlStore, text: string) =>
  Effect.provide(
    Effect.flatMap(SqlClient, (sql) => sql.unsafe(text).unprepared),
    layerClient(store)
  )

export const endLeases = (store: SqlStore) =>
  Effect.provide(Leases.end, Layer.provide(LedgerSql.layer, layerClient(store)), { local: true })

/** The statements run again when another process has locked the file. */
export const queryOf = (store: SqlStore) =>
  Effect.map(
    Layer.build(layerClient(store)),
    (client) =>
      <A extends object>(text: string): Promise<ReadonlyArray<A>> =>
        Effect.runPromise(
          Effect.flatMap(SqlClient, (sql) => sql.unsafe<A>(text).unprepared).pipe(
            Effect.retry({ times: 20 }),
            Effect.provideContext(client)
          )
        )
  )

export const sqlite = Effect.map(directory, (path) => {
  const filename = join(path, "ledger.db")
  return { _tag: "sqlite" as const, url: `sqlite:${filename}`, filename }
})

const postgres = Effect.map(Postgres.database, (database) => ({
  _tag: "postgres" as const,
  url: Postgres.urlOf(database),
  database
}))

const memory: Store = { _tag: "memory", url: "memory" }

export const make = (name: StoreName) =>
  name === "memory" ? Effect.succeed(memory) : makeSql(name)

export const makeSql = (name: Exclude<StoreName, "memory">) =>
  name === "sqlite" ? sqlite : postgres
