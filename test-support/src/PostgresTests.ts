import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe } from "vitest"
import { execute, isAvailable, newName, server } from "./Postgres.ts"

/**
 * Describes tests that share a database of their own. They are reported as not run without a
 * server.
 */
export const describeWithDatabase = async (body: (database: string) => void): Promise<void> => {
  const hasServer = await isAvailable()
  if (!hasServer) {
    console.warn(
      `PostgreSQL does not answer on ${server.host}:${server.port}: its tests do not run`
    )
  }
  const name = newName()
  describe.runIf(hasServer)("in PostgreSQL", () => {
    beforeAll(() => Effect.runPromise(execute("postgres", `CREATE DATABASE ${name}`)))
    afterAll(() => Effect.runPromise(execute("postgres", `DROP DATABASE ${name} WITH (FORCE)`)))
    body(name)
  })
}
