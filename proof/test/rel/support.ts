import { isAvailable } from "@pawl/test-support/Postgres"
import { inject } from "vitest"
import type { RunOptions, StoreName } from "../../src/rel/Run.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly seed: number
    readonly freshSeed: number
  }
}

/** The seed of every test run, and a new one, which is printed. */
export const seed = inject("seed")
export const freshSeed = inject("freshSeed")

/** Says of a test under the new seed how it is repeated. */
export const finding = `a finding, whatever the change: PAWL_SEED=${freshSeed} repeats it`

const hasPostgres = await isAvailable()
if (!hasPostgres) console.warn("PostgreSQL does not respond: no test uses it")

export const stores = (...names: ReadonlyArray<StoreName>): ReadonlyArray<StoreName> =>
  names.filter((name) => hasPostgres || name !== "postgres")

export const shortRun = (count: number, ...names: ReadonlyArray<StoreName>): RunOptions => ({
  seed: 7,
  count,
  stores: stores(...names),
  log: () => {},
  progress: () => {}
})
