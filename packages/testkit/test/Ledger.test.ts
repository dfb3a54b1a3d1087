/** `Ledger.long.test.ts` has the other stores and the planted bugs. */
import { layerMemory } from "@pawl/webhook/Ledger"
import type { Change } from "@pawl/webhook/internal/rule/Row"
import { describe, it } from "vitest"
import type { Step } from "../src/internal/laws/ledger/Steps.ts"
import * as Laws from "../src/Laws.ts"
import { ledgerHistories as histories } from "../src/Laws/Store.ts"
import { repeats } from "@pawl/test-support/Repeats"
import { hold, sqlite } from "./support/ledgerLaws.ts"

describe("the laws of a ledger hold", () => {
  hold("in memory", () => layerMemory, repeats(60, 2))
  const ledger = sqlite()
  hold("in SQLite's memory", () => ledger, repeats(22, 2))
})

const year = 31_536_000_000

const accept = (after: number, kind: "card" | "refund", status: "PENDING" | "SUCCEED"): Step => ({
  _tag: "accept",
  after,
  id: "1",
  kind,
  status,
  requestId: "r1",
  unsigned: { metadata: { n: "1" } }
})

const write = (which: number, change: Change = {}): Step => ({
  _tag: "write",
  after: 0,
  which,
  change,
  found: 2,
  isStale: false
})

/** Counterexample: seed 1776338555 of the histories of PostgreSQL. */
const refusedRegistration: ReadonlyArray<Step> = [
  { _tag: "register", after: 0, id: "1", kind: "refund", status: undefined, amount: undefined },
  {
    _tag: "accept",
    after: 0,
    id: "1",
    kind: "refund",
    status: "PENDING",
    requestId: "r1",
    unsigned: {}
  },
  { _tag: "register", after: 0, id: "1", kind: "refund", status: undefined, amount: "25.00" }
]

it("R44: a registration with another amount than a token's is not refused (seed 1776338555)", async () => {
  for (const law of histories) {
    await Laws.run(law, () => layerMemory, { examples: [refusedRegistration], numRuns: 1 })
  }
})

/**
 * Counterexample: seed 540106357. A row took over the bodies of another kind, which opened a row
 * again.
 */
const reopenedKind: ReadonlyArray<Step> = [
  accept(0, "card", "SUCCEED"),
  accept(0, "refund", "PENDING"),
  { _tag: "claim", after: 0, limit: 3, hold: 0, lane: undefined },
  write(0, { release: { dueAt: undefined, lane: undefined } }),
  write(0),
  write(1),
  accept(year, "card", "SUCCEED"),
  accept(10, "card", "PENDING"),
  { _tag: "deleteBodies", after: 0, age: 0 }
]

it("bodies that a row took over outlive those of a later row (seed 540106357)", async () => {
  for (const law of histories) {
    await Laws.run(law, () => layerMemory, { examples: [reopenedKind], numRuns: 1 })
  }
})
