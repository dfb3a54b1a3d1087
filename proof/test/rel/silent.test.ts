import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { silentWith } from "../../src/rel/silent.ts"
import { shortRun, stores } from "./support.ts"

it.live("a receiver says that its store refuses marks or new rows, ends soon, and recovers", () =>
  Effect.gen(function* () {
    // `rel silent` has tighter limits and all causes; other work on a busy machine delays
    // everything here.
    const limits = { notice: 180_000, stop: 20_000, recovery: 180_000 }
    const options = shortRun(10, "sqlite", "postgres")
    const { figures, misses } = yield* silentWith({ ...options, ...limits }, ["mark", "insert"])
    expect(misses).toEqual([])
    for (const store of stores("sqlite", "postgres")) {
      expect(figures[`${store}.mark.accepted`]).toBeGreaterThan(20)
      expect(figures[`${store}.insert.accepted`]).toBe(10)
    }
  })
)
