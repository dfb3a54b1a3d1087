import { expect } from "vitest"
import { silent } from "../../src/rel/silent.ts"
import { holds, shortRun } from "./support.ts"

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
