import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { killWith } from "../../src/rel/kill.ts"
import { shortRun } from "./support.ts"

it.live("loses nothing and tells everything in order over 3 crashes (R01, S1, S4, S5, S6)", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* killWith({ ...shortRun(3, "sqlite"), leases: false })
    expect(misses).toEqual([])
    // The seed kills the second receiver early; the others answer 38 and 172 callbacks before they are killed.
    expect(figures["sqlite.killedEarly"]).toBe(1)
    expect(figures["sqlite.answered200"]).toBeGreaterThanOrEqual(38 + 172)
    expect(figures["sqlite.handlerCalls"]).toBeGreaterThan(20)
  })
)
