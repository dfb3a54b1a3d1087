import { expect } from "vitest"
import { owner } from "../../src/rel/owner.ts"
import { holds, shortRun } from "./support.ts"

holds(
  "sends nothing from a store of another merchant, nor from a row that was changed",
  owner.make(shortRun(5, "sqlite", "postgres")),
  (figures) => expect(figures).toMatchObject({ "sqlite.refused": 2, "sqlite.parked": 3 })
)
