/**
 * A PostgreSQL database for one test file, dropped at its end.
 */
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { afterAll, beforeAll, describe } from "vitest"

const server = { host: "127.0.0.1", port: 5432, username: "postgres" }

const answers = new Promise<boolean>((resolve) => {
  const socket = connect(server.port, server.host)
  socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
  socket.once("connect", () => socket.destroy())
})

/** Describes tests with a database of their own; without a server they are skipped with a message. */
export const onPostgres = async (
  body: (place: Parameters<typeof NodePostgres.layer>[0]) => void
): Promise<void> => {
  const isThere = await answers
  if (!isThere) {
    console.warn(
      `PostgreSQL does not answer on ${server.host}:${server.port}: its tests are skipped`
    )
  }
  const database = `pawl_${process.pid}_${randomBytes(6).toString("hex")}`
  const administer = (statement: string) =>
    Effect.runPromise(
      Effect.provide(
        Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement).unprepared),
        NodePostgres.layer({ ...server, database: "postgres", maxConnections: 1 })
      )
    )
  describe.runIf(isThere)("in PostgreSQL", () => {
    beforeAll(() => administer(`CREATE DATABASE ${database}`))
    afterAll(() => administer(`DROP DATABASE ${database} WITH (FORCE)`))
    body({ ...server, database, maxConnections: 4 })
  })
}
