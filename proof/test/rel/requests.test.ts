import { expect } from "vitest"
import { create } from "../../src/rel/create.ts"
import { owner } from "../../src/rel/owner.ts"
import { holds, shortRun } from "./support.ts"

const options = shortRun(16, "sqlite", "postgres")

holds(
  "makes every create of eight kinds once and tells every outcome over 16 crashes and rotations, on each store (Q01, Q02, Q06)",
  create.make({ ...options, leases: false }),
  (figures) => {
    for (const store of options.stores) {
      expect(figures[`${store}.rows`]).toBeGreaterThan(8)
      expect(figures[`${store}.endedAtMark`]).toBeGreaterThan(0)
      expect(figures[`${store}.repeated`]).toBeGreaterThan(0)
    }
  }
)

holds(
  "sends nothing from a store of another merchant, nor from a row that was changed (Q09, Q10)",
  owner.make(shortRun(5, "sqlite", "postgres")),
  (figures) => expect(figures).toMatchObject({ "sqlite.refused": 2, "sqlite.parked": 3 })
)
