/** `RequestStore.long.test.ts` has PostgreSQL and the planted bugs. */
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import { describe } from "vitest"
import { hold, inMemory } from "./support/requestStoreLaws.ts"
import { emptied } from "./support/sqlStore.ts"

describe("the laws of a request store hold", () => {
  hold("in memory", inMemory, 100)
  const sqlite = emptied(NodeSqlite.layer({ filename: ":memory:" }))
  hold("in SQLite", () => sqlite, 6)
})
