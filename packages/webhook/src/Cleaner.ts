/**
 * Deletes the bodies of old callbacks, and the sealed texts of old requests.
 *
 * **Details**
 *
 * At its start and then once a day, the cleaner deletes every body that is older than `Retention`, in
 * batches of at most 100. A batch that fails is repeated after 5 minutes. Bodies and texts of requests, and the bodies of each
 * shard, do not wait for each other. All else in the row stays: the evidence, the last read, the told status, the counts. So a
 * replay after a year still counts as a repeat. A dead letter keeps its bodies. Of a request that was settled for so long
 * the sealed answer is deleted, and the sealed body if there is one. Its digest and its outcome stay.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Archivist from "./Archivist.ts"
import { Ledger } from "./Ledger.ts"
import { RequestStore } from "./RequestStore.ts"

/**
 * Reference to the time that bodies and sealed answers are kept: 30 days by default.
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
/** The time after a batch that failed. */
const retryInterval = Duration.minutes(5)
/** The pause between two batches, so that callbacks can be stored meanwhile. */
const pause = Duration.millis(20)

/**
 * Layer that deletes old bodies, and archives finished transactions (`Archivist`), until its scope ends. If there is a
 * `RequestStore`, its old texts are deleted, too.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, never, Ledger> = Layer.suspend(() =>
  Layer.merge(layerBodies, Archivist.layer)
)

const layerBodies: Layer.Layer<never, never, Ledger> = Layer.effectDiscard(
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const retention = Duration.toMillis(yield* Retention)
    const requests = yield* Effect.serviceOption(RequestStore)
    const deleteAll = (deleteBatch: Ledger["Service"]["deleteBodies"], failure: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        deleteBatch({ before: now - retention, limit: batchSize })
      ).pipe(
        Effect.tap((count) => Effect.sleep(count > 0 ? pause : 0)),
        Effect.repeat({ while: (count) => count > 0 }),
        Effect.as(interval),
        Effect.catchCause((cause) => Effect.as(Effect.logWarning(failure, cause), retryInterval)),
        Effect.flatMap(Effect.sleep),
        Effect.forever,
        Effect.forkScoped
      )
    for (const shard of ledger.shards ?? [ledger]) {
      yield* deleteAll(shard.deleteBodies, "Old bodies could not be deleted")
    }
    if (Option.isSome(requests)) {
      yield* deleteAll(requests.value.deleteTexts, "Old texts of requests could not be deleted")
    }
  })
)
