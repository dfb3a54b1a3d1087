/**
 * Stores of a run's own, gone when it ends: a SQLite file, or a database in PostgreSQL.
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

/** Whether PostgreSQL answers. */
export const isPostgresThere = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(server.port, server.host)
    socket.on("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.on("error", () => resolve(false))
  })

/** A place, and how it is named to a receiver; `port` stands for the server's where a proxy is between. */
export type Place =
  | { readonly _tag: "memory"; readonly store: string }
  | { readonly _tag: "sqlite"; readonly store: string; readonly filename: string }
  | { readonly _tag: "postgres"; readonly store: string; readonly database: string }

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pawl-rel-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A connection to a place that is not the receiver's. */
export const client = (place: Exclude<Place, { readonly _tag: "memory" }>) =>
  place._tag === "sqlite"
    ? NodeSqlite.layer(place)
    : NodePostgres.layer({ ...server, database: place.database, maxConnections: 1 })

/** Runs a statement in a place. */
export const statement = (place: Exclude<Place, { readonly _tag: "memory" }>, text: string) =>
  Effect.provide(
    Effect.flatMap(SqlClient, (sql) => sql.unsafe(text).unprepared),
    client(place)
  )

const administration: Place & { readonly _tag: "postgres" } = {
  _tag: "postgres",
  store: "",
  database: "postgres"
}

const database = Effect.acquireRelease(
  Effect.suspend(() => {
    const name = `pawl_rel_${process.pid}_${randomBytes(4).toString("hex")}`
    return Effect.as(statement(administration, `CREATE DATABASE ${name}`), name)
  }),
  (name) => Effect.orDie(statement(administration, `DROP DATABASE ${name} WITH (FORCE)`))
)

/** How a receiver is told of a database, over the server's own port or another. */
export const storeOf = (database: string, port: number = server.port): string =>
  `postgres://${server.username}@${server.host}:${port}/${database}`

const sqlite = Effect.map(directory, (path) => {
  const filename = join(path, "ledger.db")
  return { _tag: "sqlite" as const, store: `sqlite:${filename}`, filename }
})

const postgres = Effect.map(database, (database) => ({
  _tag: "postgres" as const,
  store: storeOf(database),
  database
}))

const memory: Place = { _tag: "memory", store: "memory" }

/** A place of that name. */
export const make = (name: StoreName) =>
  name === "memory" ? Effect.succeed(memory) : makeSql(name)

/** A place that outlives its processes. */
export const makeSql = (name: Exclude<StoreName, "memory">) =>
  name === "sqlite" ? sqlite : postgres
