import * as Faults from "@pawl/testkit/Faults"
import { forgeries, handlerActions, processes, faultKinds } from "./Plan.ts"

const withPrefix = (prefix: string, names: Iterable<string>): ReadonlyArray<string> =>
  Array.from(new Set(names), (name) => `${prefix}${name}`)

export const marks: ReadonlyArray<string> = [
  ...withPrefix("crash: ", ["service", ...processes]),
  "restart",
  "a clock was wrong",
  ...withPrefix("exchange: ", [...Faults.kinds, "hang"]),
  ...withPrefix("callback: ", faultKinds.callback),
  ...withPrefix("store: ", faultKinds.store),
  ...withPrefix("forged: ", forgeries),
  ...withPrefix("answered ", ["200", "400", "401", "503"]),
  ...withPrefix("the handler ", handlerActions),
  ...withPrefix("a call ended ", ["Declined", "OutcomeUnknown", "Unauthorized", "Unreachable"]),
  "the same requestId returned the outcome",
  "a request was refused again and again",
  "an access token was renewed",
  ...withPrefix("moved to ", ["REFUNDED", "CHARGEBACK", "SUCCEED"]),
  "the service went back",
  "a conflict was told",
  ...withPrefix("found by a read: ", ["SUCCEED", "FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK"]),
  "followed by reads alone",
  "a dead letter was redriven",
  "an unreadable row was parked",
  "a line was logged"
]
