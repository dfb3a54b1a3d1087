/**
 * Virtual time: waiting for an instant, and letting time pass under a `TestClock`.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

/** Lets every fiber run until it sleeps; the test clock itself waits only for the fibers that it woke. */
export const settle: Effect.Effect<void> = Effect.replicateEffect(Effect.yieldNow, 50, {
  discard: true
})

/** Moves the test clock forward, and returns when every fiber sleeps again. */
export const pass = (duration: Duration.Input): Effect.Effect<void> =>
  settle.pipe(Effect.andThen(TestClock.adjust(duration)), Effect.andThen(settle))

/** Sleeps until an instant in milliseconds since the epoch; returns at once when it has passed. */
export const sleepUntil = (at: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.sleep(Duration.millis(Math.max(0, at - now)))
  )
