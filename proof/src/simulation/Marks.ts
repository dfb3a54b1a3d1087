/**
 * What a simulation is to have met: what it never met, it does not show.
 *
 * @since 0.1.0
 */
import * as Faults from "@pawl/testkit/Faults"
import { deeds, forgeries, processes, troubles } from "./Plan.ts"

const all = (what: string, names: Iterable<string>): ReadonlyArray<string> =>
  Array.from(new Set(names), (name) => `${what}${name}`)

/**
 * The marks of a simulation.
 *
 * @category constants
 * @since 0.1.0
 */
export const marks: ReadonlyArray<string> = [
  ...all("crash: ", ["service", ...processes]),
  "a clock was wrong",
  ...all("exchange: ", [...Faults.kinds, "hang"]),
  ...all("callback: ", troubles.callback),
  ...all("store: ", troubles.store),
  ...all("forged: ", forgeries),
  ...all("answered ", ["200", "400", "401", "503"]),
  ...all("the handler ", deeds),
  ...all("a call ended ", ["Declined", "OutcomeUnknown", "Unauthorized", "Unreachable"]),
  "known by the same requestId",
  "a token was renewed",
  ...all("moved to ", ["REFUNDED", "CHARGEBACK", "SUCCEED"]),
  "the service went back",
  "a conflict was told",
  ...all("found by a read: ", ["SUCCEED", "FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK"]),
  "followed by reads alone",
  "a dead letter was re-driven",
  "a line was logged"
]
