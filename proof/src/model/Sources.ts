import * as Effect from "effect/Effect"
import * as Stores from "../rel/Stores.ts"
import * as VirtualDatabase from "../rel/VirtualDatabase.ts"
import { bugs } from "../simulation/Bugs.ts"
import * as PlanGenerator from "../simulation/PlanGenerator.ts"
import type { MakeStore } from "../simulation/CrashableStore.ts"
import type { Plan } from "../simulation/Plan.ts"
import * as Killed from "./Killed.ts"
import * as Protocol from "./Protocol.ts"
import * as Requests from "./Requests.ts"
import * as RequestTraces from "./RequestTraces.ts"
import * as Simulated from "./Simulated.ts"
import type { Trace } from "./Traces.ts"

type Record = (
  seed: number,
  count: number,
  bug?: string
) => Effect.Effect<ReadonlyArray<Trace>, unknown>

const apart = "the handler's effects and the told mark commit apart"
const unchecked = "the checksum is not checked"
const endless = "the lease of a dead process never ends"
const unwatched = "no reads follow a terminal status"
const unconfirmed = "a claim is told without confirmation"
/** The bugs of every simulation. */
const usual = [unconfirmed, "the receiver answers 200 before it stores"]

/** A source of traces; `share` is that of a run, `missOf` the reason why events are refused. */
export type Source = ReturnType<typeof of>

const of = (
  share: number,
  record: Record,
  bugs: ReadonlyArray<string>,
  missOf = Protocol.missOf
) => ({ share, record, missOf, bugs })

const days = (seed: number, count: number): Plan => {
  const days = Math.min(5, Math.max(2, Math.ceil(count / 6)))
  return PlanGenerator.draw(seed, { days, operationsPerDay: 4, faults: 8, forgeries: 1 })
}

const hour = (seed: number, count: number): Plan =>
  PlanGenerator.drawHour(seed, Math.min(20, count))

const simulated =
  (draw: typeof hour, store?: MakeStore): Record =>
  (seed, count, bug = "") =>
    Simulated.record(draw(seed, count), { ...(store && { store }), bug: bugs[bug] ?? {} })

const database = (name: "sqlite" | "postgres") =>
  simulated(hour, Effect.orDie(Effect.flatMap(Stores.make(name), VirtualDatabase.make)))

export const sources = {
  memory: of(1, simulated(hour), [
    ...usual,
    apart,
    unchecked,
    endless,
    unwatched,
    "a lease ends while its handler runs",
    "no transaction is polled",
    "the handler is called only twice",
    "a receiver that stops releases rows whose handler runs"
  ]),
  sqlite: of(0.2, database("sqlite"), [...usual, apart]),
  postgres: of(0.06, database("postgres"), [...usual, apart]),
  simulation: of(0.3, simulated(days), [...usual, unwatched]),
  killed: of(0.1, Killed.record, [unconfirmed, apart, unchecked, endless]),
  requests: of(
    1,
    (seed, _, bug = "") => RequestTraces.recordTraces(seed, 40, RequestTraces.bugs[bug]),
    Object.keys(RequestTraces.bugs),
    Requests.missOf
  )
}
