import { describeWithDatabase } from "./PostgresTests.ts"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { makeFolder } from "./Folder.ts"
import type { Place } from "./Places.ts"

/** Files in memory, where the system has them: a test of a ledger does not wait for a disk. */
const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

export const files = (): (() => Place & { readonly _tag: "sqlite" }) => {
  const path = makeFolder(root)
  return () => ({ _tag: "sqlite", filename: join(path, `${randomBytes(6).toString("hex")}.db`) })
}

/** Describes tests on a database of their own. Without a server they are reported as not run. */
export const onPostgres = (body: (place: Place & { readonly _tag: "postgres" }) => void) =>
  describeWithDatabase((database) => body({ _tag: "postgres", database }))

/** Describes tests of a store in a SQLite file, and in PostgreSQL. */
export const inEachStore = (body: (place: Place) => void) => {
  const file = files()
  describe("in a SQLite file", () => {
    body(file())
  })
  return onPostgres(body)
}
