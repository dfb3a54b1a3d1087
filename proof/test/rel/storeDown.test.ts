import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storeDown } from "../../src/rel/storeDown.ts"
import { short } from "./support.ts"

it.live("answers 200 to nothing that has no row, and heals (R04, R05, R06, S2)", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* storeDown.make(short(16, "sqlite", "postgres"))
    expect(misses).toEqual([])
    expect(figures["full.answered503"]).toBeGreaterThan(0)
    expect(figures["locked.answered503"]).toBe(16)
  })
)
