/** Runs whose receivers end, are killed or stopped, or get the same callbacks at once. */
import { expect } from "vitest"
import { clock } from "../../src/rel/clock.ts"
import { deploy } from "../../src/rel/deploy.ts"
import { dup } from "../../src/rel/dup.ts"
import { kill } from "../../src/rel/kill.ts"
import { race } from "../../src/rel/race.ts"
import { stop } from "../../src/rel/stop.ts"
import { holds, oneStore, shortRun, stores } from "./support.ts"

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

holds(
  "clocks that are set and a receiver that is stopped mislead no consumer (R27, R28)",
  clock.make({ ...shortRun(4, oneStore), slow: 1500, wait: 500, pauseTime: 1000 }),
  (figures) => {
    expect(figures[`${oneStore}.answered200`]).toBeGreaterThan(200)
    expect(figures[`${oneStore}.pause`]).toBeGreaterThan(0)
    expect(figures[`${oneStore}.effects`]).toBeGreaterThan(50)
  }
)

holds(
  "no call begins during another one over 2 restarts with slow calls (R25)",
  deploy.make({ ...shortRun(2, "sqlite"), slow: 1500, tooSlow: 1500 }),
  (figures) => {
    expect(figures["sqlite.answered200"]).toBeGreaterThan(100)
    expect(figures["sqlite.repeated"]).toBe(0)
  }
)

holds("R47: two stops reset none of twelve senders", stop.make(shortRun(2, "sqlite")), (figures) =>
  expect(figures["sqlite.answered200"]).toBeGreaterThan(24)
)

holds(
  "calls the handler once for each key that 3 processes accept at once (R15, R24, R51)",
  race.make({ ...shortRun(25, oneStore), processes: 3 }),
  (figures) =>
    expect(figures).toMatchObject({ [`${oneStore}.processes`]: 3, [`${oneStore}.effects`]: 25 })
)

holds(
  "calls the handler once for a callback that comes 300 times (R13)",
  dup.make(shortRun(300, "sqlite")),
  (figures) => expect(figures["sqlite.handlerCalls"]).toBe(1)
)
