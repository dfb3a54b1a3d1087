import { expect } from "vitest"
import { dup } from "../../src/rel/dup.ts"
import { holds, shortRun } from "./support.ts"

holds(
  "calls the handler once for a callback that comes 300 times (R13)",
  dup.make(shortRun(300, "sqlite")),
  (figures) => expect(figures["sqlite.handlerCalls"]).toBe(1)
)
