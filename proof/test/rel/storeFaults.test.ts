import { expect } from "vitest"
import { silent } from "../../src/rel/silent.ts"
import { storeDown } from "../../src/rel/storeDown.ts"
import { storeLost } from "../../src/rel/storeLost.ts"
import { busyLimits, holds, shortRun } from "./support.ts"

holds(
  "answers 200 only with a row, and recovers (R04, R05, R06, S2)",
  storeDown.make({ ...shortRun(16, "sqlite", "postgres"), ...busyLimits }),
  (figures) => {
    expect(figures["full.answered503"]).toBeGreaterThan(0)
    expect(figures["locked.answered503"]).toBe(16)
  }
)

holds(
  "answers 200 only with a row that stays (R29, R30)",
  storeLost.make({ ...shortRun(16, "sqlite", "postgres"), ...busyLimits, hasFailOver: false }),
  (figures) => expect(figures["replaced.answered503"]).toBe(32)
)

const options = shortRun(10, "sqlite", "postgres")
/** `rel silent` has tighter limits and all causes; other work on a busy machine delays everything here. */
const limits = { notice: 180_000, stop: 20_000, recovery: 180_000 }

holds(
  "a receiver says that its store refuses marks or new rows, ends soon, and recovers",
  silent.make({ ...options, ...limits }, ["mark", "insert"]),
  (figures) => {
    for (const store of options.stores) {
      expect(figures[`${store}.mark.accepted`]).toBeGreaterThan(20)
      expect(figures[`${store}.insert.accepted`]).toBe(10)
    }
  }
)
