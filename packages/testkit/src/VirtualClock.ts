/**
 * A clock that follows the wall clock, and can be advanced.
 *
 * **Details**
 *
 * Its time is that of the clock beneath plus the advances. A sleeper wakes when its time has come,
 * also without an advance. An `advance` wakes the sleepers in order. Each sees the clock at exactly
 * its time, and the next wakes only when all work of the previous one is done, including its HTTP
 * requests. The layer's scheduler knows when no task is left to run.
 *
 * **Example** (A minute without waiting)
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
 * `advance` does not wait for real I/O, such as a socket, unless it runs in `outside`.
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
 * Service that advances the clock.
 *
 * @category services
 * @since 0.1.0
 */
export class VirtualClock extends Context.Service<
  VirtualClock,
  {
    /** Returns when all work that fell due is done. Advances run one after the other. */
    readonly advance: (duration: Duration.Duration) => Effect.Effect<void>
    /** The time by which the clock is ahead of the one beneath. */
    readonly advanced: Effect.Effect<Duration.Duration>
    /** Runs an effect in real time on the clock beneath, and makes `advance` wait for it. */
    readonly outside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** The clock beneath. */
    readonly beneath: Clock.Clock
  }
>()("@pawl/testkit/VirtualClock") {}

/**
 * The settings of a clock.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** How far ahead the clock starts. */
  readonly advanced?: Duration.Duration | undefined
  /** Function that is called after each step of an advance. */
  readonly stepped?: ((advanced: Duration.Duration) => void) | undefined
}

/**
 * Layer that replaces the clock with one that can be advanced.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<VirtualClock> =>
  Layer.effectContext(make(options))

const make = Effect.fnUntraced(function* ({ advanced = Duration.zero, stepped }: Options) {
  const beneath = yield* Clock.Clock
  const { isIdle, scheduler } = countingScheduler(yield* Scheduler.Scheduler)
  const mutex = yield* Semaphore.make(1)
  const rearm = yield* Latch.make()
  const sleepers: Array<Sleeper> = []
  let ahead = Duration.toMillis(advanced)
  /** The time at which the clock stands still during an advance. */
  let frozenAt: number | undefined
  let outsideCount = 0

  const nowUnsafe = () => frozenAt ?? beneath.currentTimeMillisUnsafe() + ahead
  // A sleeper may be due at a part of a millisecond.
  const aheadNanos = () =>
    BigInt(Math.floor(nowUnsafe() - beneath.currentTimeMillisUnsafe())) * 1_000_000n

  const sleep = (duration: Duration.Duration) =>
    Effect.suspend(() => {
      const sleeper = { due: nowUnsafe() + Duration.toMillis(duration), latch: Latch.makeUnsafe() }
      sleepers.splice(insertionIndex(sleepers, sleeper.due), 0, sleeper)
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

  const wakeDue = Effect.gen(function* () {
    rearm.closeUnsafe()
    const [next] = sleepers
    if (next === undefined) return yield* rearm.await
    const left = Duration.millis(Math.max(0, next.due - nowUnsafe()))
    // The time may have been slept although the wall clock was set back.
    const slept = yield* Effect.raceFirst(
      Effect.as(Effect.sleep(left), next.due),
      Effect.as(rearm.await, 0)
    )
    yield* mutex.withPermit(Effect.sync(() => wakeUntil(Math.max(slept, nowUnsafe()))))
  })

  const settle = Effect.gen(function* () {
    for (let quiet = 0; quiet < 2; quiet++) {
      yield* outsideCount > 0 ? Effect.sleep("1 millis") : Effect.yieldNow
      if (outsideCount > 0 || !isIdle()) quiet = -1
    }
  })

  const advance = Effect.fnUntraced(
    function* (duration: Duration.Duration) {
      yield* settle
      const start = nowUnsafe()
      const end = start + Duration.toMillis(duration)
      for (let due = start; due <= end; due = sleepers[0]?.due ?? Infinity) {
        frozenAt = Math.max(start, due)
        stepped?.(Duration.millis(ahead + frozenAt - start))
        wakeUntil(frozenAt)
        yield* settle
      }
      // The advance took real time as well.
      ahead += end - start
      frozenAt = undefined
      stepped?.(Duration.millis(ahead))
    },
    Effect.onInterrupt(() =>
      Effect.sync(() => {
        // The sleepers that woke have seen this time.
        if (frozenAt !== undefined) ahead = frozenAt - beneath.currentTimeMillisUnsafe()
        frozenAt = undefined
      })
    ),
    mutex.withPermit,
    // The next sleeper is due sooner.
    Effect.ensuring(rearm.open),
    // Its own sleeps use the clock beneath, so it does not wait for itself.
    Effect.provideService(Clock.Clock, beneath)
  )

  yield* Effect.forkScoped(
    Effect.forever(wakeDue).pipe(Effect.provideService(Clock.Clock, beneath))
  )

  return Context.make(VirtualClock, {
    advance,
    advanced: Effect.sync(() => Duration.millis(ahead)),
    beneath,
    outside: (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => outsideCount++),
        () => Effect.provideService(effect, Clock.Clock, beneath),
        () => Effect.sync(() => outsideCount--)
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

/** Equal times keep their order. */
const insertionIndex = (sleepers: ReadonlyArray<Sleeper>, due: number): number => {
  let low = 0
  let high = sleepers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sleepers[middle]?.due ?? 0) <= due) low = middle + 1
    else high = middle
  }
  return low
}

const countingScheduler = (parent: Scheduler.Scheduler) => {
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
