import { expect } from "vitest"
import { stop } from "../../src/rel/stop.ts"
import { holds, shortRun } from "./support.ts"

holds("R47: two stops reset none of twelve senders", stop.make(shortRun(2, "sqlite")), (figures) =>
  expect(figures["sqlite.answered200"]).toBeGreaterThan(24)
)
