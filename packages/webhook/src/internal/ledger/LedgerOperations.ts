/**
 * The ledger over the engine: each operation runs the rule of a row on documents.
 *
 * Every operation fails with `StoreUnavailable` after three seconds.
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
  /** Returns the time of the ledger, or of the shard of a key, in milliseconds since the epoch. */
  readonly time: (clock: Clock.Clock, key?: TransactionKey) => number
  /** Completes when this process has made a row due or released one since the last call. */
  readonly awaitWork: Effect.Effect<void>
  readonly pollInterval: Duration.Duration
  readonly shards?: ReadonlyArray<Operations>
}

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
    time: Engines.timeOf(engines),
    awaitWork: Engines.awaitWork(engines, "transactions"),
    pollInterval: Engines.pollInterval(engines)
  }
}
