import { expect } from "vitest"
import { slow } from "../../src/rel/slow.ts"
import { holds, shortRun } from "./support.ts"

holds(
  "unrelated transactions are told while reads hang (R34)",
  slow.make({ ...shortRun(100, "sqlite"), parts: ["polls", "claims"], isTimed: false }),
  (figures) => expect(figures["sqlite.claims.hangingReads"]).toBe(24)
)
