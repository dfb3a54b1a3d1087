/**
 * Real stores for the ledger: temporary files, and a temporary database in PostgreSQL.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe } from "vitest"
import { client, type Place, server } from "./places.ts"

/** Makes a directory that is deleted after the tests of the file. */
const directory = (): string => {
  const path = mkdtempSync(join(tmpdir(), "pawl-ledger-"))
  afterAll(() => rmSync(path, { recursive: true }))
  return path
}

/** Makes the function that names a file which does not exist yet. */
export const files = (): (() => Place & { readonly _tag: "sqlite" }) => {
  const path = directory()
  return () => ({ _tag: "sqlite", filename: join(path, `${randomBytes(6).toString("hex")}.db`) })
}

const answers = new Promise<boolean>((resolve) => {
  const socket = connect(server.port, server.host)
  socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
  socket.once("connect", () => socket.destroy())
})

/** Describes tests on a temporary database. Without a server it warns and skips them. */
export const onPostgres = async (body: (place: Place & { readonly _tag: "postgres" }) => void) => {
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
        client({ _tag: "postgres", database: "postgres" })
      )
    )
  describe.runIf(isThere)("in PostgreSQL", () => {
    beforeAll(() => administer(`CREATE DATABASE ${database}`))
    afterAll(() => administer(`DROP DATABASE ${database} WITH (FORCE)`))
    body({ _tag: "postgres", database })
  })
}
