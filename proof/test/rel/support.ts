import { isAvailable } from "@pawl/test-support/Postgres"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as vitest from "vitest"
import type { Report, RunOptions, StoreName } from "../../src/rel/Run.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly seed: number
    readonly freshSeed: number
  }
}

// Vitest maps every frame of the many errors of a simulation.
Error.stackTraceLimit = 1

/** The seed of every test run, and a new one, which is printed. */
export const seed = vitest.inject("seed")
export const freshSeed = vitest.inject("freshSeed")

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

/** Makes a test of a run without misses, whose figures `check` gets. */
export const holds = (
  name: string,
  run: Effect.Effect<Report, unknown, Scope.Scope>,
  check: (figures: Report["figures"]) => void
): void =>
  vitest.it(name, async () => {
    const { figures, misses } = await Effect.runPromise(Effect.scoped(run))
    vitest.expect(misses).toEqual([])
    check(figures)
  })

/** A store for a run whose processes take seconds to start. */
export const oneStore = stores("sqlite", "postgres").at(-1) ?? "sqlite"

/** The runs check 5 seconds; a busy machine delays every response of a test. */
export const busyLimits = { response: 25_000, recovery: 60_000 }
