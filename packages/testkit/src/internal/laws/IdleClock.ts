/**
 * A virtual clock that advances when all fibers wait.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface IdleClock {
  readonly clock: Clock.Clock
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The clock advances after some turns of the event loop without a new or finished sleep. */
export const make = (): IdleClock => {
  let now = start
  let sleepers: ReadonlyArray<{ readonly at: number; readonly wake: () => void }> = []
  let events = 0

  const sleep = (duration: Duration.Duration) =>
    Effect.callback<void>((resume) => {
      const sleeper = { at: now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
      sleepers = [...sleepers, sleeper].toSorted((one, two) => one.at - two.at)
      events++
      return Effect.sync(() => {
        sleepers = sleepers.filter((each) => each !== sleeper)
        events++
      })
    })

  const advance = Effect.gen(function* () {
    for (;;) {
      const before = events
      for (let turn = 0; turn < turns; turn++) yield* nextTurn
      const [next, ...others] = sleepers
      if (next === undefined || events !== before) continue
      now = Math.max(now, next.at)
      sleepers = others
      events++
      next.wake()
    }
  })

  return {
    clock: clockOf(() => now, sleep),
    during: (effect) => Effect.raceFirst(effect, advance)
  }
}

const start = Date.UTC(2026, 0, 1)

/** A program may await a few promises, of a turn each, in one step. */
const turns = 6

const nextTurn = Effect.callback<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** Makes a clock whose time is in milliseconds. */
export const clockOf = (now: () => number, sleep: Clock.Clock["sleep"]): Clock.Clock => {
  const nanos = () => BigInt(Math.floor(now() * 1e6))
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep
  }
}
