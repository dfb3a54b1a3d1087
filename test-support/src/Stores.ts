import { describeWithDatabase } from "./PostgresTests.ts"
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe } from "vitest"
import type { Place } from "./Places.ts"

/** Files in memory, where the system has them: a test of a ledger does not wait for a disk. */
const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

/** Makes a directory that is deleted after the tests of the file. */
const directory = (): string => {
  const path = mkdtempSync(join(root, "pawl-ledger-"))
  afterAll(() => rmSync(path, { recursive: true }))
  return path
}

export const files = (): (() => Place & { readonly _tag: "sqlite" }) => {
  const path = directory()
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
