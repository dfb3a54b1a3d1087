import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storeDownWith } from "../../src/rel/storeDown.ts"
import { shortRun } from "./support.ts"

it.live("answers 200 only with a row, and recovers (R04, R05, R06, S2)", () =>
  Effect.gen(function* () {
    // `rel store-down` checks the 5 seconds; a busy machine delays every response here.
    const limits = { response: 25_000, recovery: 60_000 }
    const { figures, misses } = yield* storeDownWith({
      ...shortRun(16, "sqlite", "postgres"),
      ...limits
    })
    expect(misses).toEqual([])
    expect(figures["full.answered503"]).toBeGreaterThan(0)
    expect(figures["locked.answered503"]).toBe(16)
  })
)
