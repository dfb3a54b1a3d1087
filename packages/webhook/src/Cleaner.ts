/**
 * Deletes the bodies of old callbacks.
 *
 * **Details**
 *
 * At its start and then once a day, the cleaner deletes every body that is older than `Retention`, in
 * batches of 100. All else in the row stays: the evidence, the last read, the told status, the counts. So a
 * replay after a year still counts as a repeat. A dead letter keeps its bodies.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ledger } from "./Ledger.ts"

/**
 * Reference to the time that bodies are kept: 30 days by default.
 *
 * @category references
 * @since 0.1.0
 */
export const Retention: Context.Reference<Duration.Duration> = Context.Reference(
  "@pawl/webhook/Cleaner/Retention",
  { defaultValue: () => Duration.days(30) }
)

const batchSize = 100
const interval = Duration.days(1)
/** The pause between two batches, so that callbacks can be stored meanwhile. */
const pause = Duration.millis(20)

/**
 * Layer that deletes old bodies until its scope ends.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, never, Ledger> = Layer.effectDiscard(
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const retention = Duration.toMillis(yield* Retention)
    const deleteBatch = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      ledger.deleteBodies({ before: now - retention, limit: batchSize })
    )
    const deleteAll = deleteBatch.pipe(
      Effect.tap((count) => Effect.sleep(count > 0 ? pause : 0)),
      Effect.repeat({ while: (count) => count > 0 })
    )
    yield* deleteAll.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old callbacks could not be deleted", cause)),
      Effect.andThen(Effect.sleep(interval)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
