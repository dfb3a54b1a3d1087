/**
 * A clock that goes with the wall clock, and can be advanced.
 *
 * **Details**
 *
 * Its time is that of the clock beneath it plus what it was advanced by, so whoever sleeps on it wakes by
 * itself when the time has come. An `advance` goes from one sleeper to the next in the order of their
 * times: each finds the clock at its very instant, and the next is not woken before everything that came
 * of it has been done, whatever it posted and had answered included.
 *
 * That is known from the scheduler, which this layer provides beside the clock: nothing is left to run,
 * and nothing that goes on outside (`outside`) is left to wait for.
 *
 * **Example** (A minute in no time)
 *
 * ```ts
 * import * as VirtualClock from "@pawl/testkit/VirtualClock"
 * import * as Duration from "effect/Duration"
 * import * as Effect from "effect/Effect"
 * import * as Fiber from "effect/Fiber"
 *
 * const program = Effect.gen(function* () {
 *   const clock = yield* VirtualClock.VirtualClock
 *   const sleeper = yield* Effect.forkChild(Effect.sleep("1 minute"), { startImmediately: true })
 *   yield* clock.advance(Duration.minutes(1))
 *   yield* Fiber.join(sleeper)
 * }).pipe(Effect.provide(VirtualClock.layer()))
 * ```
 *
 * **Gotchas**
 *
 * A sleeper that waits for something else than time, a socket of its own for instance, is not waited
 * for unless it does so within `outside`.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Semaphore from "effect/Semaphore"

/**
 * Service that moves the clock.
 *
 * **Details**
 *
 * - `advance` returns when everything that fell due has been done; two of them go one after the other.
 * - `advanced` is how far the clock is ahead of the one beneath it.
 * - `outside` runs what takes its time in the real world, on the clock beneath, and has `advance` wait
 *   for it.
 * - `beneath` is the clock beneath.
 *
 * @category services
 * @since 0.1.0
 */
export class VirtualClock extends Context.Service<
  VirtualClock,
  {
    readonly advance: (duration: Duration.Duration) => Effect.Effect<void>
    readonly advanced: Effect.Effect<Duration.Duration>
    readonly outside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly beneath: Clock.Clock
  }
>()("@pawl/testkit/VirtualClock") {}

/**
 * What may be said about a clock: how far ahead it starts, and who is told of each step it is moved.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly advanced?: Duration.Duration | undefined
  readonly stepped?: ((advanced: Duration.Duration) => void) | undefined
}

/**
 * Layer that puts a clock which can be advanced in place of the one there is.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<VirtualClock> =>
  Layer.effectContext(make(options))

const make = Effect.fnUntraced(function* ({ advanced = Duration.zero, stepped }: Options) {
  const beneath = yield* Clock.Clock
  const { isIdle, scheduler } = counting(yield* Scheduler.Scheduler)
  const turns = yield* Semaphore.make(1)
  const rearm = yield* Latch.make()
  /** Those who sleep, the next to wake first: who comes mostly wakes last. */
  const sleepers: Array<Sleeper> = []
  let ahead = Duration.toMillis(advanced)
  /** While it is advanced the clock stands still at each sleeper's time. */
  let still: number | undefined
  let visits = 0

  const nowUnsafe = () => still ?? beneath.currentTimeMillisUnsafe() + ahead
  const aheadNanos = () => BigInt(nowUnsafe() - beneath.currentTimeMillisUnsafe()) * 1_000_000n

  const sleep = (duration: Duration.Duration) =>
    Effect.suspend(() => {
      const sleeper = { due: nowUnsafe() + Duration.toMillis(duration), latch: Latch.makeUnsafe() }
      sleepers.splice(placeOf(sleepers, sleeper.due), 0, sleeper)
      if (sleepers[0] === sleeper) rearm.openUnsafe()
      return Effect.onInterrupt(sleeper.latch.await, () =>
        Effect.sync(() => {
          const at = sleepers.indexOf(sleeper)
          if (at >= 0) sleepers.splice(at, 1)
        })
      )
    })

  const wakeUntil = (time: number) => {
    while ((sleepers[0]?.due ?? Infinity) <= time) sleepers.shift()?.latch.openUnsafe()
  }

  /** Wakes who is due by the clock beneath. */
  const tick = Effect.gen(function* () {
    rearm.closeUnsafe()
    const [next] = sleepers
    if (next === undefined) return yield* rearm.await
    const left = Duration.millis(Math.max(0, next.due - nowUnsafe()))
    yield* Effect.raceFirst(Effect.sleep(left), rearm.await)
    yield* turns.withPermit(Effect.sync(() => wakeUntil(nowUnsafe())))
  })

  const settle = Effect.gen(function* () {
    for (let quiet = 0; quiet < 2; quiet++) {
      yield* visits > 0 ? Effect.sleep("1 millis") : Effect.yieldNow
      if (visits > 0 || !isIdle()) quiet = -1
    }
  })

  const advance = Effect.fnUntraced(
    function* (duration: Duration.Duration) {
      yield* settle
      const start = nowUnsafe()
      const end = start + Duration.toMillis(duration)
      for (let due = start; due <= end; due = sleepers[0]?.due ?? Infinity) {
        still = Math.max(start, due)
        stepped?.(Duration.millis(ahead + still - start))
        wakeUntil(still)
        yield* settle
      }
      // The time that all of this took has passed as well.
      ahead += end - start
      still = undefined
      stepped?.(Duration.millis(ahead))
    },
    Effect.onInterrupt(() =>
      Effect.sync(() => {
        // Whoever was woken has seen how late it is.
        if (still !== undefined) ahead = still - beneath.currentTimeMillisUnsafe()
        still = undefined
      })
    ),
    turns.withPermit,
    // Its own waits are not those of a sleeper, and its own turns none of what it waits for.
    Effect.provideService(Clock.Clock, beneath)
  )

  yield* Effect.forkScoped(Effect.forever(tick).pipe(Effect.provideService(Clock.Clock, beneath)))

  return Context.make(VirtualClock, {
    advance,
    advanced: Effect.sync(() => Duration.millis(ahead)),
    beneath,
    outside: (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => visits++),
        () => Effect.provideService(effect, Clock.Clock, beneath),
        () => Effect.sync(() => visits--)
      )
  }).pipe(
    Context.add(Scheduler.Scheduler, scheduler),
    Context.add(Clock.Clock, {
      currentTimeMillisUnsafe: nowUnsafe,
      currentTimeMillis: Effect.sync(nowUnsafe),
      currentTimeNanosUnsafe: () => beneath.currentTimeNanosUnsafe() + aheadNanos(),
      currentTimeNanos: Effect.sync(() => beneath.currentTimeNanosUnsafe() + aheadNanos()),
      monotonicTimeNanosUnsafe: () => beneath.monotonicTimeNanosUnsafe() + aheadNanos(),
      monotonicTimeNanos: Effect.sync(() => beneath.monotonicTimeNanosUnsafe() + aheadNanos()),
      sleep
    })
  )
})

interface Sleeper {
  readonly due: number
  readonly latch: Latch.Latch
}

/** Where in the order a sleeper belongs: of two with one time, who came first wakes first. */
const placeOf = (sleepers: ReadonlyArray<Sleeper>, due: number): number => {
  let low = 0
  let high = sleepers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sleepers[middle]?.due ?? 0) <= due) low = middle + 1
    else high = middle
  }
  return low
}

/** A scheduler that knows whether anything is left to run on it. */
const counting = (parent: Scheduler.Scheduler) => {
  let left = 0
  const scheduler: Scheduler.Scheduler = {
    executionMode: parent.executionMode,
    shouldYield: (fiber) => parent.shouldYield(fiber),
    makeDispatcher: () => {
      const dispatcher = parent.makeDispatcher()
      return {
        scheduleTask: (task, priority) => {
          left++
          dispatcher.scheduleTask(() => {
            left--
            task()
          }, priority)
        },
        flush: () => dispatcher.flush()
      }
    }
  }
  return { scheduler, isIdle: () => left === 0 }
}
