import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { killWith } from "../../src/rel/kill.ts"
import { shortRun, stores } from "./support.ts"

it.live.each(stores("sqlite", "postgres"))(
  "on %s nothing is lost and everything is told in order over 3 crashes (R01, R16, S1, S4, S5, S6)",
  (store) =>
    Effect.gen(function* () {
      const { figures, misses } = yield* killWith({ ...shortRun(3, store), leases: false })
      expect(misses).toEqual([])
      // The seed kills the second receiver early; the others answer 38 and 172 callbacks before they are killed.
      expect(figures[`${store}.killedEarly`]).toBe(1)
      expect(figures[`${store}.answered200`]).toBeGreaterThanOrEqual(38 + 172)
      expect(figures[`${store}.handlerCalls`]).toBeGreaterThan(20)
    })
)
