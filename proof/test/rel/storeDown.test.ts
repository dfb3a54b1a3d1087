import { expect } from "vitest"
import { storeDown } from "../../src/rel/storeDown.ts"
import { busyLimits, holds, shortRun } from "./support.ts"

holds(
  "answers 200 only with a row, and recovers (R04, R05, R06, S2)",
  storeDown.make({ ...shortRun(16, "sqlite", "postgres"), ...busyLimits }),
  (figures) => {
    expect(figures["full.answered503"]).toBeGreaterThan(0)
    expect(figures["locked.answered503"]).toBe(16)
  }
)
