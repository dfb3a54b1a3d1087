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
import * as Requests from "./Requests.ts"
import * as RequestTraces from "./RequestTraces.ts"
import * as Simulated from "./Simulated.ts"
import type { Trace } from "./Traces.ts"

/**
 * A source of traces.
 *
 * - `share`: its share of a run.
 * - `missOf`: the reason why a trace is refused; without it `Protocol.missOf`.
 */
export interface Source {
  readonly share: number
  readonly record: (
    seed: number,
    count: number,
    bug?: string
  ) => Effect.Effect<ReadonlyArray<Trace>, unknown>
  readonly bugs: ReadonlyArray<string>
  readonly missOf?: (trace: Trace) => string | undefined
}

const unconfirmed = "a claim is told without confirmation"
const apart = "the handler's effects and the told mark commit apart"
const tooEarly = "the receiver answers 200 before it stores"

const pipeline =
  (makeStore: Recording.MakeStore): Source["record"] =>
  (seed, count, bug = "") =>
    Recording.record(seed, Math.min(50, count), codeBugs[bug], makeStore)

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
    bugs: [unconfirmed, apart, tooEarly]
  },
  postgres: {
    share: 0.06,
    record: pipeline(PostgresStore.make),
    bugs: [unconfirmed, apart, tooEarly]
  },
  simulation: {
    share: 0.3,
    record: (seed, count, bug = "") => Simulated.record(seed, count, simulatedBugs[bug]),
    bugs: [unconfirmed, tooEarly, "no reads follow a terminal status"]
  },
  killed: {
    share: 0.1,
    record: Killed.record,
    bugs: [
      unconfirmed,
      apart,
      "the checksum is not checked",
      "the lease of a dead process never ends"
    ]
  },
  requests: {
    share: 1,
    record: (seed, _, bug = "") => RequestTraces.recordTraces(seed, 40, RequestTraces.bugs[bug]),
    bugs: Object.keys(RequestTraces.bugs),
    missOf: ({ events }) => Requests.missOf(events)
  }
} satisfies Record<string, Source>
