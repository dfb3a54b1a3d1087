import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createWith } from "../../src/rel/create.ts"
import { shortRun } from "./support.ts"

it.live(
  "makes every create of eight kinds once and tells every outcome over 16 crashes and rotations, on each store (Q01, Q02, Q06)",
  () =>
    Effect.gen(function* () {
      const options = shortRun(16, "sqlite", "postgres")
      const { figures, misses } = yield* createWith({ ...options, leases: false })
      expect(misses).toEqual([])
      for (const store of options.stores) {
        expect(figures[`${store}.rows`]).toBeGreaterThan(8)
        expect(figures[`${store}.endedAtMark`]).toBeGreaterThan(0)
        expect(figures[`${store}.repeated`]).toBeGreaterThan(0)
      }
    })
)
