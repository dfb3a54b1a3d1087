/**
 * The sources of the code's traces.
 */
import * as Effect from "effect/Effect"
import * as Stores from "../rel/Stores.ts"
import * as VirtualDatabase from "../rel/VirtualDatabase.ts"
import { bugs } from "../simulation/Bugs.ts"
import * as PlanGenerator from "../simulation/PlanGenerator.ts"
import type { MakeStore } from "../simulation/CrashableStore.ts"
import type { Plan } from "../simulation/Plan.ts"
import * as Killed from "./Killed.ts"
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
const unchecked = "the checksum is not checked"
const endless = "the lease of a dead process never ends"
const unwatched = "no reads follow a terminal status"

const simulated =
  (plan: (seed: number, count: number) => Plan, store?: MakeStore): Source["record"] =>
  (seed, count, bug = "") =>
    Simulated.record(plan(seed, count), { ...(store && { store }), bug: bugs[bug] ?? {} })

const days = (seed: number, count: number): Plan =>
  PlanGenerator.draw(seed, {
    days: Math.min(5, Math.max(2, Math.ceil(count / 6))),
    operationsPerDay: 4,
    faults: 8,
    forgeries: 1
  })

const hour = (seed: number, count: number): Plan =>
  PlanGenerator.drawHour(seed, Math.min(20, count))

const database = (name: "sqlite" | "postgres"): MakeStore =>
  Effect.orDie(Effect.flatMap(Stores.make(name), VirtualDatabase.make))

/** The sources by name. */
export const sources = {
  memory: {
    share: 1,
    record: simulated(hour),
    bugs: [
      unconfirmed,
      apart,
      tooEarly,
      unchecked,
      endless,
      unwatched,
      "a lease ends while its handler runs",
      "no transaction is polled",
      "the handler is called only twice",
      "a receiver that stops releases rows whose handler runs"
    ]
  },
  sqlite: {
    share: 0.2,
    record: simulated(hour, database("sqlite")),
    bugs: [unconfirmed, apart, tooEarly]
  },
  postgres: {
    share: 0.06,
    record: simulated(hour, database("postgres")),
    bugs: [unconfirmed, apart, tooEarly]
  },
  simulation: {
    share: 0.3,
    record: simulated(days),
    bugs: [unconfirmed, tooEarly, unwatched]
  },
  killed: {
    share: 0.1,
    record: Killed.record,
    bugs: [unconfirmed, apart, unchecked, endless]
  },
  requests: {
    share: 1,
    record: (seed, _, bug = "") => RequestTraces.recordTraces(seed, 40, RequestTraces.bugs[bug]),
    bugs: Object.keys(RequestTraces.bugs),
    missOf: ({ events }) => Requests.missOf(events)
  }
} satisfies Record<string, Source>
