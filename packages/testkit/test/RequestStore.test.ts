/** `RequestStore.long.test.ts` has PostgreSQL and the planted bugs. */
import { layerMemory as ledgers } from "@pawl/webhook/Ledger"
import { layerMemory } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Layer from "effect/Layer"
import { describe } from "vitest"
import { requests, sqlite } from "./support/storeLaws.ts"

describe("the laws of a request store hold", () => {
  requests.hold("in memory", () => Layer.provideMerge(layerMemory, Layer.fresh(ledgers)), 100)
  const store = sqlite()
  requests.hold("in SQLite", () => store, 6)
})
