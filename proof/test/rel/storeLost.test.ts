import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storeLostWith } from "../../src/rel/storeLost.ts"
import { shortRun } from "./support.ts"

it.live("answers 200 only with a row that stays (R29, R30)", () =>
  Effect.gen(function* () {
    // `rel stores` checks the 5 seconds; a busy machine delays every response here.
    const limits = { response: 25_000, recovery: 60_000 }
    const options = shortRun(16, "sqlite", "postgres")
    const { figures, misses } = yield* storeLostWith({
      ...options,
      ...limits,
      hasFailOver: false
    })
    expect(misses).toEqual([])
    expect(figures["replaced.answered503"]).toBe(32)
  })
)
