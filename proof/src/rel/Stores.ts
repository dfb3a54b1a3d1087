/**
 * Stores for one run, deleted at its end: a SQLite file, or a database in PostgreSQL.
 */
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { StoreName } from "./Run.ts"

/** The PostgreSQL server of the runs. */
export const server = { host: "127.0.0.1", port: 5432, username: "postgres" }

/** Tells whether PostgreSQL accepts connections. */
export const isPostgresRunning = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(server.port, server.host)
    socket.on("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.on("error", () => resolve(false))
  })

/** A store; `url` names it on the command line of a receiver. */
export type Store =
  | { readonly _tag: "memory"; readonly url: string }
  | { readonly _tag: "sqlite"; readonly url: string; readonly filename: string }
  | { readonly _tag: "postgres"; readonly url: string; readonly database: string }

/** A store in a file or a database. */
export type SqlStore = Exclude<Store, { readonly _tag: "memory" }>

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pawl-rel-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Layer that connects to a store, apart from the connections of a receiver. */
export const layerClient = (store: SqlStore) =>
  store._tag === "sqlite"
    ? NodeSqlite.layer(store)
    : NodePostgres.layer({ ...server, database: store.database, maxConnections: 1 })

/** Runs a statement on a store. */
export const execute = (store: SqlStore, text: string) =>
  Effect.provide(
    Effect.flatMap(SqlClient, (sql) => sql.unsafe(text).unprepared),
    layerClient(store)
  )

const administration: Store & { readonly _tag: "postgres" } = {
  _tag: "postgres",
  url: "",
  database: "postgres"
}

const database = Effect.acquireRelease(
  Effect.suspend(() => {
    const name = `pawl_rel_${process.pid}_${randomBytes(4).toString("hex")}`
    return Effect.as(execute(administration, `CREATE DATABASE ${name}`), name)
  }),
  (name) => Effect.orDie(execute(administration, `DROP DATABASE ${name} WITH (FORCE)`))
)

/** Returns the URL of a database, on the server's own port or on the port of a proxy. */
export const urlOf = (database: string, port: number = server.port): string =>
  `postgres://${server.username}@${server.host}:${port}/${database}`

const sqlite = Effect.map(directory, (path) => {
  const filename = join(path, "ledger.db")
  return { _tag: "sqlite" as const, url: `sqlite:${filename}`, filename }
})

const postgres = Effect.map(database, (database) => ({
  _tag: "postgres" as const,
  url: urlOf(database),
  database
}))

const memory: Store = { _tag: "memory", url: "memory" }

/** Makes a store. */
export const make = (name: StoreName) =>
  name === "memory" ? Effect.succeed(memory) : makeSql(name)

/** Makes a store that outlives its processes. */
export const makeSql = (name: Exclude<StoreName, "memory">) =>
  name === "sqlite" ? sqlite : postgres
