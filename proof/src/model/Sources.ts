/**
 * The sources of the code's traces.
 */
import * as Ledger from "@pawl/webhook/Ledger"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import type * as Effect from "effect/Effect"
import { bugs as simulatedBugs } from "../simulation/Bugs.ts"
import { codeBugs } from "./CodeBugs.ts"
import * as Killed from "./Killed.ts"
import * as PostgresStore from "./PostgresStore.ts"
import * as Recording from "./Recording.ts"
import * as Simulated from "./Simulated.ts"
import type { Recorded } from "./Traces.ts"

/** A source of traces; `share` is its share of a run. */
export interface Source {
  readonly share: number
  readonly record: (
    seed: number,
    count: number,
    bug?: string
  ) => Effect.Effect<ReadonlyArray<Recorded>, unknown>
  readonly bugs: ReadonlyArray<string>
}

const recordedAtOnce = 50

const pipeline =
  (makeStore: Recording.MakeStore): Source["record"] =>
  (seed, count, bug = "") =>
    Recording.record(seed, Math.min(recordedAtOnce, count), codeBugs[bug], makeStore)

const few = [
  "a claim is told without confirmation",
  "the handler's effects and the told mark commit apart",
  "the receiver answers 200 before it stores"
]

/** The sources by name. */
export const sources = {
  memory: {
    share: 1,
    record: pipeline(Recording.inProcess(Ledger.layerMemory)),
    bugs: Object.keys(codeBugs)
  },
  sqlite: {
    share: 0.2,
    record: pipeline(Recording.inProcess(NodeSqlite.layerLedger({ filename: ":memory:" }))),
    bugs: few
  },
  postgres: {
    share: 0.06,
    record: pipeline(PostgresStore.make),
    bugs: few
  },
  simulation: {
    share: 0.3,
    record: (seed, count, bug = "") =>
      Simulated.record(seed, Simulated.sizeOf(count), simulatedBugs[bug]),
    bugs: [
      "a claim is told without confirmation",
      "the receiver answers 200 before it stores",
      "no reads follow a terminal status"
    ]
  },
  killed: {
    share: 0.1,
    record: (seed, count, bug) => Killed.record(seed, Killed.killsOf(count), bug),
    bugs: [
      "a claim is told without confirmation",
      "the handler's effects and the told mark commit apart",
      "the checksum is not checked",
      "the lease of a dead process never ends"
    ]
  }
} as const satisfies Record<string, Source>
