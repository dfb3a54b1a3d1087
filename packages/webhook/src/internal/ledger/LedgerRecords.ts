/**
 * The ledger over the engine: each operation runs the rule of a row on documents.
 */
import type { Operations } from "./LedgerOperations.ts"
import * as Engines from "../records/Engines.ts"
import * as Accepting from "./Accepting.ts"
import * as Keeping from "./Keeping.ts"
import * as Reading from "./Reading.ts"
import * as Settings from "./Settings.ts"
import * as Working from "./Working.ts"

/** Makes a ledger. One of several engines has a ledger for each of them, whose work is its own. */
export const make = (engines: Engines.Engines): Operations => {
  const reading = Reading.make(engines)
  return {
    ...Accepting.make(engines),
    ...reading,
    ...Working.make(engines, reading.deadLetters),
    ...Keeping.make(engines),
    ...Settings.make(engines),
    ...(engines.own.length > 1 && {
      shards: engines.own.map((records) => make({ ...engines, own: [records] }))
    }),
    ...(Engines.hasTime(engines) && { time: Engines.timeOf(engines) }),
    awaitWork: Engines.awaitWork(engines, "transactions"),
    pollInterval: Engines.pollInterval(engines)
  }
}
