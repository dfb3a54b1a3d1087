/**
 * Virtual time under a `TestClock`.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export const sleepUntil = (at: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.sleep(Duration.millis(Math.max(0, at - now)))
  )

export const noteWakes = (clock: Clock.Clock) => {
  const wakes: Array<number> = []
  const add = (at: number) => {
    const place = wakes.findLastIndex((other) => other >= at) + 1
    if (Number.isFinite(at) && wakes[place - 1] !== at) wakes.splice(place, 0, at)
  }
  const noted: Clock.Clock = {
    ...clock,
    sleep: (duration) =>
      Effect.suspend(() => {
        add(Math.ceil(clock.currentTimeMillisUnsafe() + Duration.toMillis(duration)))
        return clock.sleep(duration)
      })
  }
  return {
    clock: noted,
    /** Returns the earliest wake-up after `now`, perhaps of an interrupted fiber. */
    next: (now: number): number | undefined => {
      while ((wakes.at(-1) ?? Infinity) <= now) wakes.pop()
      return wakes.at(-1)
    }
  }
}
