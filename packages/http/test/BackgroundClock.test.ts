/**
 * Timers in the background: how long they last, and that they keep no process alive.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as BackgroundClock from "../src/internal/token/BackgroundClock.ts"

const day = 86_400_000

describe("a sleep in the background", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  // The longest timer of a runtime has 2^31 - 1 ms, which is 24.9 days.
  it.each([2, day, 2 ** 31 - 1, 2 ** 31, 60 * day])(
    "of %d ms ends then, and not before",
    async (millis) => {
      const fiber = Effect.runFork(BackgroundClock.provide(Effect.sleep(millis)))
      await vi.advanceTimersByTimeAsync(millis - 1)
      expect(fiber.pollUnsafe()).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)
      expect(await Effect.runPromise(Fiber.join(fiber))).toBeUndefined()
    }
  )

  it("leaves no timer when it is interrupted", async () => {
    const fiber = Effect.runFork(BackgroundClock.provide(Effect.sleep(day)))
    expect(vi.getTimerCount()).toBe(1)
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe("a timer in the background", () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it("does not keep the process alive", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout")
    const fiber = Effect.runFork(BackgroundClock.provide(Effect.sleep(day)))
    expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false])
    await Effect.runPromise(Fiber.interrupt(fiber))
  })

  it.each([1, null, {}])("may be %j, as in a browser", async (timer) => {
    const started = vi.spyOn(globalThis, "setTimeout").mockImplementation((run) => {
      queueMicrotask(run)
      return timer as never
    })
    await Effect.runPromise(BackgroundClock.provide(Effect.sleep(day)))
    expect(started.mock.calls.length).toBeGreaterThan(0)
  })
})

it("the times of the background are those of the program", async () => {
  const times = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    return [
      clock.currentTimeMillisUnsafe() - (yield* Clock.currentTimeMillis),
      Number(clock.currentTimeNanosUnsafe() - (yield* clock.currentTimeNanos)) / 1e6,
      Number(clock.monotonicTimeNanosUnsafe() - (yield* Clock.monotonicTimeNanos)) / 1e6
    ]
  })
  const differences = await Effect.runPromise(BackgroundClock.provide(times))
  for (const difference of differences) expect(Math.abs(difference)).toBeLessThan(60_000)
  expect(differences.length).toBe(3)
})

it("a virtual clock stays as it is", () =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    expect(yield* BackgroundClock.provide(Clock.Clock)).toBe(clock)
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
