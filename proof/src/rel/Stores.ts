/**
 * Stores for one run, deleted at its end.
 */
import * as Postgres from "@pawl/test-support/Postgres"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import { Records } from "@pawl/webhook/internal/records/Records"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export type Store =
  | { readonly _tag: "memory"; readonly url: string }
  | { readonly _tag: "sqlite"; readonly url: string; readonly filename: string }
  | { readonly _tag: "postgres"; readonly url: string; readonly database: string }

export type StoreOf<Name extends Store["_tag"]> = Extract<Store, { readonly _tag: Name }>

export type SqlStore = Exclude<Store, { readonly _tag: "memory" }>

export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pawl-rel-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const layerClient = ({ url }: Pick<Store, "url">, maxConnections = 1) =>
  url.startsWith("sqlite:")
    ? NodeSqlite.layer({ filename: url.slice("sqlite:".length) })
    : NodePostgres.layer({ url: Redacted.make(url), maxConnections })

export const execute = (store: Pick<Store, "url">, text: string) =>
  Effect.provide(
    Effect.flatMap(SqlClient, (sql) => sql.unsafe(text).unprepared),
    layerClient(store)
  )

export const layerLedger = (store: Store) =>
  NodeStore.layer(
    store._tag === "postgres" ? { _tag: "postgres", url: Redacted.make(store.url) } : store
  )

const ended = <A extends { readonly lease: { readonly until: number } | undefined }>(of: A): A =>
  of.lease === undefined ? of : { ...of, lease: { ...of.lease, until: 0 } }

/** Ends the leases of all rows and requests of a store, at most 100,000 of each. */
export const endLeases = (store: SqlStore) =>
  Effect.gen(function* () {
    const [records] = (yield* Records).own
    const all = { after: "", limit: 100_000 }
    const { found: transactions } = yield* records.page("transactions", all)
    for (const { key } of transactions)
      yield* records.change("transactions", key, (rows) => ({
        value: rows?.map(ended),
        result: undefined
      }))
    const { found: requests } = yield* records.page("requests", all)
    for (const { key } of requests)
      yield* records.change("requests", key, (row) => ({
        value: row && ended(row),
        result: undefined
      }))
  }).pipe(Effect.provide(layerLedger(store), { local: true }))

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

const makers: {
  readonly [Name in Store["_tag"]]: Effect.Effect<StoreOf<Name>, never, Scope.Scope>
} = {
  memory: Effect.succeed({ _tag: "memory", url: "memory" }),
  sqlite: Effect.map(folder, (path) => {
    const filename = join(path, "ledger.db")
    return { _tag: "sqlite", url: `sqlite:${filename}`, filename }
  }),
  postgres: Effect.map(Postgres.database, (database) => ({
    _tag: "postgres",
    url: Postgres.urlOf(database),
    database
  }))
}

export const make = <Name extends Store["_tag"]>(name: Name) => makers[name]
