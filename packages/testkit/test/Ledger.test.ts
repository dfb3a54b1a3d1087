/** `Ledger.long.test.ts` has the other stores and the planted bugs. */
import { layerMemory } from "@pawl/webhook/Ledger"
import type { Change } from "@pawl/webhook/internal/rule/Row"
import { describe, it } from "vitest"
import type { Step } from "../src/internal/laws/ledger/Steps.ts"
import * as Laws from "../src/Laws.ts"
import { ledgerHistories as histories } from "../src/Laws/Store.ts"
import { repeats } from "@pawl/test-support/Repeats"
import { ledger, sqlite } from "./support/storeLaws.ts"

describe("the laws of a ledger hold", () => {
  ledger.hold("in memory", () => layerMemory, repeats(60, 2))
  const store = sqlite()
  ledger.hold("in SQLite's memory", () => store, repeats(22, 2))
})

const year = 31_536_000_000

const accept = (
  after: number,
  kind: "card" | "refund",
  status: "NEW" | "PENDING" | "SUCCEED",
  n = "1"
): Extract<Step, { _tag: "accept" }> => ({
  _tag: "accept",
  after,
  id: "1",
  kind,
  status,
  requestId: "r1",
  unsigned: { metadata: { n } }
})

const claim = (limit: number): Step => ({
  _tag: "claim",
  after: 0,
  limit,
  hold: 0,
  lane: undefined
})

/** A write of the row that was leased last, after a read that found the kind number `found`. */
const write = (found: number | undefined, change: Change = {}, after = 0, which = 0): Step => ({
  _tag: "write",
  after,
  which,
  change,
  found,
  isStale: false
})

/** Counterexamples of the histories. */
it.for<[name: string, steps: ReadonlyArray<Step>]>([
  [
    // In PostgreSQL.
    "R44: a registration with another amount than a token's is not refused (seed 1776338555)",
    [
      { _tag: "register", after: 0, id: "1", kind: "refund", status: undefined, amount: undefined },
      { ...accept(0, "refund", "PENDING"), unsigned: {} },
      { _tag: "register", after: 0, id: "1", kind: "refund", status: undefined, amount: "25.00" }
    ]
  ],
  [
    "bodies that a row took over outlive those of a later row (seed 540106357)",
    [
      accept(0, "card", "SUCCEED"),
      accept(0, "refund", "PENDING"),
      claim(3),
      write(2, { release: { dueAt: undefined, lane: undefined } }),
      write(2),
      write(2, {}, 0, 1),
      accept(year, "card", "SUCCEED"),
      accept(10, "card", "PENDING"),
      { _tag: "deleteBodies", after: 0, age: 0 }
    ]
  ],
  [
    // A row without its bodies took over another one.
    "a body that was deleted stays so when its row is joined (seed -766208576)",
    [
      accept(0, "card", "PENDING"),
      accept(0, "refund", "NEW"),
      claim(3),
      accept(0, "card", "PENDING", "2"),
      write(undefined, { told: "FAILED", until: 0 }),
      claim(1),
      write(undefined, {}, 10),
      { _tag: "deleteBodies", after: 0, age: 0 },
      write(2)
    ]
  ]
])("%s", async ([, steps]) => {
  for (const law of histories) {
    await Laws.run(law, () => layerMemory, { examples: [steps], numRuns: 1 })
  }
})
