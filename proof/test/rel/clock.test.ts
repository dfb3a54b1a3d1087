import { expect } from "vitest"
import { clock } from "../../src/rel/clock.ts"
import { holds, oneStore, shortRun } from "./support.ts"

holds(
  "clocks that are set and a receiver that is stopped mislead no consumer (R27, R28)",
  clock.make({ ...shortRun(4, oneStore), slow: 1500, wait: 500, pauseTime: 1000 }),
  (figures) => {
    expect(figures[`${oneStore}.answered200`]).toBeGreaterThan(200)
    expect(figures[`${oneStore}.pause`]).toBeGreaterThan(0)
    expect(figures[`${oneStore}.effects`]).toBeGreaterThan(50)
  }
)
