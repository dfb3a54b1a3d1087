import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "@effect/vitest"
import fc from "fast-check"
import * as SharedTimeout from "../src/internal/records/SharedTimeout.ts"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

type Answer = (effect: Effect.Effect<string>) => void

const waiting = Effect.fnUntraced(function* (wait: SharedTimeout.AwaitResult<"late">) {
  let answer: Answer = () => {}
  const ended = { times: 0 }
  const fiber = yield* Effect.forkChild(
    Effect.exit(
      wait<string, never>((given) => {
        answer = given
        return () => ended.times++
      })
    ),
    { startImmediately: true }
  )
  return { fiber, answer: (text: string) => answer(Effect.succeed(text)), ended }
})

const seconds = (count: number) =>
  SharedTimeout.make(Duration.seconds(count), Effect.fail("late" as const))

test("returns a synchronous result", function* () {
  const wait = yield* seconds(3)
  const answered = wait<string, never>((answer) => {
    answer(Effect.succeed("at once"))
    return () => expect.unreachable("there is nothing to end")
  })
  expect(yield* answered).toBe("at once")
  yield* TestClock.adjust("1 minute")
  expect(yield* answered).toBe("at once")
})

test("times out on time when the clock is set back (C17)", function* () {
  let set = 0
  const settable = World.aheadOf(yield* Clock.Clock, () => set)
  const wait = yield* Effect.provideService(seconds(3), Clock.Clock, settable)
  const { fiber, ended } = yield* waiting(wait)
  set = -3_600_000
  yield* TestClock.adjust("3 seconds")
  expect(fiber.pollUnsafe()).toEqual(Exit.succeed(Exit.fail("late")))
  expect(ended.times).toBe(1)
})

test("times out at once at the end of its scope, and after it", function* () {
  const scope = yield* Scope.make()
  const wait = yield* Scope.provide(seconds(3), scope)
  const { ended, fiber } = yield* waiting(wait)
  yield* Scope.close(scope, Exit.void)
  const later = yield* waiting(wait)
  for (const each of [fiber, later.fiber]) {
    expect(yield* Fiber.join(each)).toEqual(Exit.fail("late"))
  }
  expect([ended.times, later.ended.times]).toEqual([1, 1])
})

const waits = fc.array(fc.record({ gap: fc.nat(4000), answeredAfter: fc.option(fc.nat(6000)) }), {
  maxLength: 12
})

it("each wait times out after exactly its own time, unless it was resolved before", () =>
  test.forAll([waits], { numRuns: 50 }, function* (waits) {
    const wait = yield* seconds(3)
    const ends: Array<string> = []
    let at = 0
    const expected = waits.map(({ answeredAfter, gap }, index) => {
      at += gap
      const isLate = answeredAfter === null || answeredAfter >= 3000
      return { index, start: at, end: at + (isLate ? 3000 : answeredAfter), isLate }
    })
    yield* Effect.forEach(
      expected,
      ({ end, index, isLate, start }) =>
        Effect.gen(function* () {
          yield* Effect.sleep(start)
          const { answer, fiber } = yield* waiting(wait)
          if (!isLate) {
            yield* Effect.sleep(end - start)
            answer("in time")
          }
          const exit = yield* Fiber.join(fiber)
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          ends.push(`${index} ${exit._tag} ${now}`)
        }),
      { concurrency: "unbounded", discard: true }
    ).pipe(Effect.forkScoped)
    yield* TestClock.adjust("2 minutes")
    expect(ends.toSorted()).toEqual(
      expected
        .map(({ end, index, isLate }) => `${index} ${isLate ? "Failure" : "Success"} ${end}`)
        .toSorted()
    )
  }))

test("a wait that times out or is interrupted ends once, and a later result is ignored", function* () {
  const wait = yield* seconds(3)
  const [late, gone, right] = [yield* waiting(wait), yield* waiting(wait), yield* waiting(wait)]
  yield* Fiber.interrupt(gone.fiber)
  right.answer("right")
  yield* TestClock.adjust("3 seconds")
  for (const each of [late, gone, right]) each.answer("too late")
  expect([late, gone, right].map(({ ended }) => ended.times)).toEqual([1, 1, 0])
  expect(yield* Fiber.join(late.fiber)).toMatchObject({ _tag: "Failure" })
  expect(yield* Fiber.join(right.fiber)).toMatchObject({ value: "right" })
})

test("an observer that throws does not end the timer, or the fiber that has the result", function* () {
  const { kept, lines } = World.keepLog("Error")
  const wait = yield* kept(seconds(3))
  const bug = new Error("a bug of an observer")
  const throwing = Effect.fnUntraced(function* () {
    const started = yield* waiting(wait)
    started.fiber.addObserver(() => {
      throw bug
    })
    return started
  })
  const [answered, late] = [yield* throwing(), yield* throwing()]
  const next = yield* waiting(wait)
  answered.answer("an answer")
  yield* TestClock.adjust("3 seconds")
  expect([answered, late, next].map(({ ended }) => ended.times)).toEqual([0, 1, 1])
  expect(yield* Fiber.join(next.fiber)).toEqual(Exit.fail("late"))
  const log = ["An observer of a fiber threw an error", bug]
  expect(lines).toEqual([log, log])
})

test("a result that comes during the interruption is too late", function* () {
  const wait = yield* seconds(3)
  const fiber = yield* Effect.forkChild(
    Effect.exit(wait<string, never>((answer) => () => answer(Effect.succeed("the end")))),
    { startImmediately: true }
  )
  yield* TestClock.adjust("3 seconds")
  expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "Failure" })
})
