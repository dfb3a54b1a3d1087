/**
 * Short runs for the tests.
 */
import { isAvailable } from "@pawl/test-support/Postgres"
import { inject } from "vitest"
import type { RunOptions, StoreName } from "../../src/rel/Run.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly seed: number
  }
}

/** The seed of this test run: a new one every time, which is printed. */
export const freshSeed = inject("seed")

const hasPostgres = await isAvailable()
if (!hasPostgres) console.warn("PostgreSQL does not respond: no test uses it")

/** Returns the stores that are available. */
export const stores = (...names: ReadonlyArray<StoreName>): ReadonlyArray<StoreName> =>
  names.filter((name) => hasPostgres || name !== "postgres")

/** Options of a short run with a fixed seed. */
export const shortRun = (count: number, ...names: ReadonlyArray<StoreName>): RunOptions => ({
  seed: 7,
  count,
  stores: stores(...names),
  log: () => {}
})
