/**
 * Deletes the bodies of old callbacks, the sealed texts of old requests, and, if a setting says so,
 * old transactions.
 *
 * The cleaner runs at its start and then daily, in batches of at most 100. A failed batch is
 * retried after 5 minutes; if the store refuses it, an alarm states the cause.
 *
 * - Bodies older than `Retention`, except those of dead letters. The row stays.
 * - The sealed answer and body of a request that was settled for so long. Its digest and outcome stay.
 * - With `KeptMonths`, transactions without a new status for so long, except the open, leased and
 *   parked ones. Their requests stay.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Journal } from "../../Journal.ts"
import { Ledger } from "../../Ledger.ts"
import * as Fault from "../sql/Fault.ts"
import { RequestStore } from "../ledger/RequestStore.ts"

/** Reference to the time that bodies and sealed answers are kept: 30 days by default. */
export const Retention: Context.Reference<Duration.Duration> = Context.Reference(
  "@pawl/webhook/internal/work/Cleaner/Retention",
  { defaultValue: () => Duration.days(30) }
)

/**
 * Reference to the months, of 31 days, that a transaction is kept after its last new status.
 * Undefined, the default, keeps all for ever.
 *
 * **Gotchas**
 *
 * A callback of a deleted transaction counts as that of a new one: it is confirmed by the service,
 * and the handler is called again. A chargeback may come 180 days after the payment, so keep at least
 * 7 months.
 */
export const KeptMonths: Context.Reference<number | undefined> = Context.Reference(
  "@pawl/webhook/internal/work/Cleaner/KeptMonths",
  { defaultValue: (): number | undefined => undefined }
)

export const notDeleted = "old texts cannot be deleted"

const batchSize = 100
const interval = Duration.days(1)
const retryInterval = Duration.minutes(5)
const pause = Duration.millis(20)
const daysOfMonth = 31

export const layer: Layer.Layer<never, never, Ledger> = Layer.effectDiscard(
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const retention = yield* Retention
    const months = yield* KeptMonths
    const requests = yield* Effect.serviceOption(RequestStore)
    const journal = yield* Effect.serviceOption(Journal)

    /** Raises an alarm, but none for an unavailable store, which has alarms of its own. */
    const alarm = (error: unknown) => {
      const fault = Fault.of(error)
      return Option.isSome(journal) && Fault.isLasting(fault)
        ? journal.value.raiseAlarm(`${notDeleted}: ${fault.cause}`)
        : Effect.void
    }

    const deleteAll = (
      age: Duration.Duration,
      deleteBatch: Ledger["Service"]["deleteOld"],
      failure: string
    ) =>
      Effect.flatMap(Clock.Clock, (clock) =>
        deleteBatch({
          before: ledger.time(clock) - Duration.toMillis(age),
          limit: batchSize
        })
      ).pipe(
        Effect.tap((count) => Effect.sleep(count > 0 ? pause : 0)),
        Effect.repeat({ while: (count) => count > 0 }),
        Effect.as(interval),
        Effect.tapError(alarm),
        Effect.catchCause((cause) => Effect.as(Effect.logWarning(failure, cause), retryInterval)),
        Effect.flatMap(Effect.sleep),
        Effect.forever,
        Effect.forkScoped
      )

    for (const shard of ledger.shards ?? [ledger]) {
      yield* deleteAll(retention, shard.deleteBodies, "Old bodies could not be deleted")
      if (months === undefined) continue
      const age = Duration.days(daysOfMonth * months)
      yield* deleteAll(age, shard.deleteOld, "Old transactions could not be deleted")
    }
    if (Option.isSome(requests)) {
      const { deleteTexts } = requests.value
      yield* deleteAll(retention, deleteTexts, "Old texts of requests could not be deleted")
    }
  })
)
