/**
 * A clock for work in the background: its timers do not keep a process alive.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** A longer timer ends at once. */
const maxTimer = 2 ** 31 - 1

const sleepMillis = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const rest = millis > maxTimer ? sleepMillis(millis - maxTimer) : Effect.void
    // @effect-diagnostics-next-line globalTimersInEffect:off
    const timer: unknown = setTimeout(() => resume(rest), Math.min(millis, maxTimer))
    // Browsers and Workers have no process to keep alive, and numbers for timers.
    if (typeof timer === "object" && timer !== null && "unref" in timer) {
      ;(timer as { readonly unref: () => void }).unref()
    }
    return Effect.sync(() => clearTimeout(timer as number))
  })

/** Runs an effect with such timers. Under any other clock than the default, such as a virtual one, it changes nothing. */
export const provide = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) =>
    clock === Context.get(Context.empty(), Clock.Clock)
      ? Effect.provideService(effect, Clock.Clock, {
          currentTimeMillis: clock.currentTimeMillis,
          currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
          currentTimeNanos: clock.currentTimeNanos,
          currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
          monotonicTimeNanos: clock.monotonicTimeNanos,
          monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
          sleep: (duration) => sleepMillis(Math.max(0, Duration.toMillis(duration)))
        })
      : effect
  )
