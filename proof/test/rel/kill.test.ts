import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { killing } from "../../src/rel/kill.ts"
import { short } from "./support.ts"

it.live("loses nothing and tells everything in order over 20 crashes (R01, S1, S4, S5, S6)", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* killing(short(20, "sqlite"), { leases: false })
    expect(misses).toEqual([])
    expect(figures["sqlite.answered200"]).toBeGreaterThan(100)
    expect(figures["sqlite.handlerCalls"]).toBeGreaterThan(20)
  })
)
