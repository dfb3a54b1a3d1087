/**
 * The ledger over the engine: each operation runs the rule of a row on documents.
 *
 * Every operation that takes a time takes it in milliseconds since the epoch. It fails with `StoreUnavailable` if the store does
 * not do it within three seconds.
 */
import type * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { TransactionKey } from "../documents/Fields.ts"
import * as Engines from "../records/Engines.ts"
import * as Accepting from "./Accepting.ts"
import * as Keeping from "./Keeping.ts"
import * as Reading from "./Reading.ts"
import * as Settings from "./Settings.ts"
import * as Working from "./Working.ts"

export type { Accepted } from "./Quarantine.ts"

export interface Operations
  extends
    ReturnType<typeof Accepting.make>,
    ReturnType<typeof Reading.make>,
    ReturnType<typeof Working.make>,
    ReturnType<typeof Keeping.make>,
    ReturnType<typeof Settings.make> {
  /**
   * Returns the time of the ledger, in milliseconds since the epoch, from the clock of the process; with a key that of the shard
   * of its transaction. Without it the clock of the process counts.
   */
  readonly time?: (clock: Clock.Clock, key?: TransactionKey) => number
  /** Completes when a row was made due or released in this process since it last completed. */
  readonly awaitWork: Effect.Effect<void>
  /**
   * The longest wait before a worker looks for rows that other processes made due. It is infinite for a ledger that ends with
   * its process.
   */
  readonly pollInterval: Duration.Duration
  /** The ledgers of which this one is made, each with its own work (`LedgerSql.layerShards`). */
  readonly shards?: ReadonlyArray<Operations>
}

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
