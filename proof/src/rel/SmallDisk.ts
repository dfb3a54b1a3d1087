/** A small file system for a SQLite file or a tablespace, which a run fills and empties. */
import * as Postgres from "@pawl/test-support/Postgres"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { appendFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Stores from "./Stores.ts"

const size = "24m"
const owner = "postgres"

/** Mounts a file system; returns undefined without the right to. */
const mounted = Effect.flatMap(Stores.folder, (path) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const options = ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]
      const { status } = spawnSync("mount", options, { stdio: "ignore" })
      return status === 0 ? path : undefined
    }),
    (mount) =>
      Effect.sync(() => {
        if (mount !== undefined) execFileSync("umount", ["--lazy", mount])
      })
  )
)

/** Moves a database into its own tablespace; no receiver may run then. */
const tablespace = ({ database }: Stores.StoreOf<"postgres">, path: string) => {
  const name = `${database}_disk`
  const execute = (...statements: ReadonlyArray<string>) =>
    Effect.forEach(statements, (statement) => Postgres.execute("postgres", statement))
  return Effect.acquireRelease(
    Effect.andThen(
      Effect.sync(() => {
        execFileSync("chown", [owner, path])
      }),
      execute(
        `CREATE TABLESPACE ${name} LOCATION '${path}'`,
        `ALTER DATABASE ${database} SET TABLESPACE ${name}`
      )
    ),
    () => execute(`ALTER DATABASE ${database} SET TABLESPACE pg_default`, `DROP TABLESPACE ${name}`)
  )
}

export const make = Effect.fnUntraced(function* (store: Stores.SqlStore) {
  const path = yield* mounted
  if (path === undefined) return undefined
  if (store._tag === "postgres") yield* tablespace(store, path)
  const filler = join(path, "filler")
  return {
    url: store._tag === "postgres" ? store.url : `sqlite:${join(path, "ledger.db")}`,
    fill: () => {
      for (let length = 64 * 1024; length >= 1; length /= 2) {
        try {
          for (;;) appendFileSync(filler, Buffer.alloc(length))
        } catch {
          // Smaller blocks may still fit.
        }
      }
    },
    free: () => rmSync(filler)
  }
})
