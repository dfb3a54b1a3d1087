/**
 * Short runs, as the tests have them.
 */
import type { StoreName, Wanted } from "../../src/rel/Run.ts"
import { inject } from "vitest"
import { isPostgresThere } from "../../src/rel/Places.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly seed: number
  }
}

/** The seed of this run of the tests: another every time, and printed. */
export const fresh = inject("seed")

const isThere = await isPostgresThere()
if (!isThere) console.warn("PostgreSQL does not answer: no run is made on it")

/** The stores there are. */
export const stores = (...wanted: ReadonlyArray<StoreName>): ReadonlyArray<StoreName> =>
  wanted.filter((store) => isThere || store !== "postgres")

/** A short run, with the same chance every time. */
export const short = (count: number, ...wanted: ReadonlyArray<StoreName>): Wanted => ({
  seed: 7,
  count,
  stores: stores(...wanted),
  say: () => {}
})
