import { expect } from "vitest"
import { deploy } from "../../src/rel/deploy.ts"
import { holds, shortRun } from "./support.ts"

holds(
  "no call begins during another one over 2 restarts with slow calls (R25)",
  deploy.make({ ...shortRun(2, "sqlite"), slow: 1500, tooSlow: 1500 }),
  (figures) => {
    expect(figures["sqlite.answered200"]).toBeGreaterThan(100)
    expect(figures["sqlite.repeated"]).toBe(0)
  }
)
