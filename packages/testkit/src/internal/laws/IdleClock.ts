/**
 * A clock whose time passes when nobody has anything left to do but wait.
 *
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * A clock, and what has its time pass for as long as an effect takes.
 *
 * @category models
 * @since 0.1.0
 */
export interface IdleClock {
  readonly clock: Clock.Clock
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Makes a clock. When nothing was begun and nothing ended for some turns of the event loop, its time is that
 * of the next sleeper, who goes on.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): IdleClock => {
  let now = start
  let sleepers: ReadonlyArray<{ readonly at: number; readonly wake: () => void }> = []
  /** Grows with whatever happens, so that it is the same only while nothing does. */
  let happened = 0

  const sleep = (duration: Duration.Duration) =>
    Effect.callback<void>((resume) => {
      const sleeper = { at: now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
      sleepers = [...sleepers, sleeper].toSorted((one, two) => one.at - two.at)
      happened++
      return Effect.sync(() => {
        sleepers = sleepers.filter((each) => each !== sleeper)
        happened++
      })
    })

  const passing = Effect.gen(function* () {
    for (;;) {
      const before = happened
      for (let turn = 0; turn < turns; turn++) yield* nextTurn
      const [next, ...others] = sleepers
      if (next === undefined || happened !== before) continue
      now = Math.max(now, next.at)
      sleepers = others
      happened++
      next.wake()
    }
  })

  return {
    clock: {
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanosUnsafe: () => toNanos(now),
      currentTimeNanos: Effect.sync(() => toNanos(now)),
      monotonicTimeNanosUnsafe: () => toNanos(now),
      monotonicTimeNanos: Effect.sync(() => toNanos(now)),
      sleep
    },
    during: (effect) => Effect.raceFirst(effect, passing)
  }
}

const start = Date.UTC(2026, 0, 1)

/** A promise that is kept at once takes one turn; a few of them in a row are one step of a program. */
const turns = 6

const nextTurn = Effect.callback<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

const toNanos = (millis: number): bigint => BigInt(Math.floor(millis * 1e6))
