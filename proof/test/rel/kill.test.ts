import { expect } from "vitest"
import { kill } from "../../src/rel/kill.ts"
import { holds, shortRun, stores } from "./support.ts"

for (const store of stores("sqlite", "postgres"))
  holds(
    `on ${store} nothing is lost and everything is told in order over 3 crashes (R01, R16, S1, S4, S5, S6)`,
    kill.make({ ...shortRun(3, store), leases: false }),
    (figures) => {
      // The seed kills the second receiver early; the others answer 38 and 172 callbacks before they are killed.
      expect(figures[`${store}.killedEarly`]).toBe(1)
      expect(figures[`${store}.answered200`]).toBeGreaterThanOrEqual(38 + 172)
      expect(figures[`${store}.handlerCalls`]).toBeGreaterThan(20)
    }
  )
