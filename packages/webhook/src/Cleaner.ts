/**
 * Deletes the bodies of callbacks that nobody needs any more.
 *
 * **Details**
 *
 * When it starts and then once a day, a few at a time, it forgets every body that nothing was heard of
 * for as long as `Retention` says. What is known of a transaction (its evidence, the service's last
 * answer, what the handler was told, how often each status came) stays: a replay after a year is still a
 * repeat. A dead letter keeps its bodies for whoever looks at it.
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
 * Reference to how long bodies are kept: 30 days. Provide another `Duration` to change it.
 *
 * @category references
 * @since 0.1.0
 */
export const Retention: Context.Reference<Duration.Duration> = Context.Reference(
  "@pawl/webhook/Cleaner/Retention",
  { defaultValue: () => Duration.days(30) }
)

const limit = 100
const period = Duration.days(1)
/** Between two helpings, so that callbacks come through. */
const breath = Duration.millis(20)

/**
 * Layer that cleans up for as long as it lives.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, never, Ledger> = Layer.effectDiscard(
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const retention = Duration.toMillis(yield* Retention)
    const some = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      ledger.forget({ before: now - retention, limit })
    )
    const all = Effect.repeat(
      Effect.tap(some, (count) => Effect.sleep(count > 0 ? breath : 0)),
      {
        while: (count) => count > 0
      }
    )
    yield* all.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old callbacks could not be deleted", cause)),
      Effect.andThen(Effect.sleep(period)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
