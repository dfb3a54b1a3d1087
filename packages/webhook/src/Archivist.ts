/**
 * Archives finished transactions, and drops old months of the archive.
 *
 * **Details**
 *
 * At its start and then every hour, the archivist looks at all rows of the ledger's tables, in pages of 200, and moves the finished
 * ones to the archive (`Archive`). Then it drops the months of the archive that are older than the setting, if there is one.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LedgerClock from "./internal/LedgerClock.ts"
import { Ledger } from "./Ledger.ts"
import type { RowKey } from "./RowPages.ts"

/**
 * The settings of the archive.
 *
 * - `after`: how long nothing new must have happened to a transaction before it is archived; infinite if none is.
 * - `months`: the number of whole months that are kept behind the present one; undefined if all are.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  readonly after: Duration.Duration
  readonly months: number | undefined
}

/**
 * Reference to the settings of the archive: transactions are archived after 7 days, and kept for ever by default.
 *
 * @category references
 * @since 0.1.0
 */
export const Settings: Context.Reference<Settings> = Context.Reference(
  "@pawl/webhook/Archivist/Settings",
  { defaultValue: (): Settings => ({ after: Duration.days(7), months: undefined }) }
)

const batchSize = 200
const interval = Duration.hours(1)
/** The pause between two batches, so that callbacks can be stored meanwhile. */
const pause = Duration.millis(20)
/** A row on which work is due earlier stays. It is longer than the gaps between the reads of an open transaction. */
const quietTime = Duration.toMillis(Duration.days(2))

/**
 * Layer that archives until its scope ends.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, never, Ledger> = Layer.effectDiscard(
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const { after, months } = yield* Settings

    const archive = Effect.fnUntraced(function* (shard: Ledger["Service"]) {
      const now = LedgerClock.timeOf(shard, yield* Clock.Clock)
      const page = {
        before: now - Duration.toMillis(after),
        dueAfter: now + quietTime,
        limit: batchSize
      }
      let last: RowKey | undefined
      do {
        last = (yield* shard.archive.move({ ...page, after: last })).last
        if (last !== undefined) yield* Effect.sleep(pause)
      } while (last !== undefined)
      if (months === undefined) return
      while ((yield* shard.archive.drop({ at: now, months, limit: batchSize })) > 0) {
        yield* Effect.sleep(pause)
      }
    })

    const archiveAll = Effect.forEach(
      ledger.shards ?? [ledger],
      (shard) =>
        Effect.catchCause(archive(shard), (cause) =>
          Effect.logWarning("Transactions could not be archived", cause)
        ),
      { discard: true }
    )
    if (!Duration.isFinite(after)) return
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(archiveAll, Effect.sleep(interval))))
  })
)
