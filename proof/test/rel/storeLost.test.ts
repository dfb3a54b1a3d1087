import { expect } from "vitest"
import { storeLost } from "../../src/rel/storeLost.ts"
import { busyLimits, holds, shortRun } from "./support.ts"

holds(
  "answers 200 only with a row that stays (R29, R30)",
  storeLost.make({ ...shortRun(16, "sqlite", "postgres"), ...busyLimits, hasFailOver: false }),
  (figures) => expect(figures["replaced.answered503"]).toBe(32)
)
