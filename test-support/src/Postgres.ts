/**
 * Databases on the PostgreSQL server of the tests, each created for one run. Programs may import
 * this module outside of Vitest.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { connect } from "node:net"

/** The server of the tests. It trusts local connections, and a busy machine takes seconds to open one. */
export const server = {
  host: "127.0.0.1",
  port: 5432,
  username: "postgres",
  connectTimeout: "30 seconds"
} as const

export const isAvailable = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(server.port, server.host)
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

export const execute = (database: string, statement: string) =>
  Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement).unprepared).pipe(
    Effect.provide(PgClient.layer({ ...server, database, maxConnections: 1 })),
    Effect.orDie
  )

export const newName = (): string => `pawl_${process.pid}_${randomBytes(6).toString("hex")}`

/** On the port of the server or of a proxy. */
export const urlOf = (database: string, port: number = server.port): string =>
  `postgres://${server.username}@${server.host}:${port}/${database}`

/** Creates a database and drops it when the scope ends. Returns its name. */
export const database: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.suspend(() => {
    const name = newName()
    return Effect.as(execute("postgres", `CREATE DATABASE ${name}`), name)
  }),
  (name) => execute("postgres", `DROP DATABASE ${name} WITH (FORCE)`)
)
