import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { assert, describe, it } from "vitest"
import * as VirtualClock from "../src/VirtualClock.ts"
import { live } from "@pawl/test-support/Tests"
import { aheadOf } from "@pawl/test-support/World"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { authenticate, payment, Receiver, send, testGateway } from "@pawl/test-support/TestGateway"

const test = live.with(() => VirtualClock.layer())

const minutes = (many: number) => Duration.minutes(many)

const advance = (duration: Duration.Duration) =>
  VirtualClock.VirtualClock.use((clock) => clock.advance(duration))

const after = (duration: Duration.Input, list: Array<string>, name: string) =>
  Effect.andThen(
    Effect.sleep(duration),
    Effect.sync(() => list.push(name))
  )

const fork = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forkChild(effect, { startImmediately: true })

test("sleepers wake in the order of their times, each exactly at its time", function* () {
  const start = yield* Clock.currentTimeMillis
  const realStart = Date.now()
  const woken: Array<readonly [string, number]> = []
  const sleep = (name: string, many: number) =>
    Effect.andThen(
      Effect.sleep(minutes(many)),
      Effect.map(Clock.currentTimeMillis, (now) => woken.push([name, now - start]))
    )
  yield* fork(Effect.andThen(sleep("a", 30), sleep("a", 1)))
  yield* fork(Effect.andThen(sleep("b", 10), Effect.andThen(sleep("b", 10), sleep("b", 10.5))))
  yield* fork(sleep("c", 30))
  yield* fork(sleep("never", 63))
  yield* advance(minutes(62))
  assert.deepStrictEqual(
    woken.map(([name]) => name),
    ["b", "b", "a", "c", "b", "a"]
  )
  const due = [10, 20, 30, 30, 30.5, 31].map((many) => many * 60_000)
  // The wall clock may have advanced between the starts of the sleepers.
  const slack = Date.now() - realStart + 1
  for (const [at, [, time]] of woken.entries()) assert.closeTo(time, due[at] ?? 0, slack)
})

test("a sleeper may be due at a part of a millisecond, and then reads the monotonic clock", function* () {
  const read = Effect.flatMap(Clock.Clock, (clock) => clock.monotonicTimeNanos)
  const before = yield* read
  const sleeper = yield* fork(Effect.andThen(Effect.sleep(1000.25), read))
  yield* advance(minutes(1))
  // The clock beneath counts milliseconds and nanoseconds apart.
  assert.isAtLeast(Number((yield* Fiber.join(sleeper)) - before), 998e6)
})

test("an advance waits for effects in outside, and includes the sleeps they start", function* () {
  const { outside } = yield* VirtualClock.VirtualClock
  const done: Array<string> = []
  yield* fork(
    Effect.gen(function* () {
      yield* Effect.sleep(minutes(1))
      yield* outside(Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50))))
      done.push("posted")
      yield* Effect.sleep(minutes(1))
      done.push("again")
    })
  )
  yield* fork(after("61 seconds", done, "other"))
  yield* advance(minutes(3))
  assert.deepStrictEqual(done, ["posted", "other", "again"])
})

test("a chain of forks and yields ends before the next sleeper wakes", function* () {
  const done: Array<string> = []
  const deep = (left: number): Effect.Effect<void> =>
    left === 0
      ? Effect.sync(() => done.push("deep"))
      : Effect.flatMap(Effect.forkChild(Effect.andThen(Effect.yieldNow, deep(left - 1))), (fiber) =>
          Effect.asVoid(Fiber.join(fiber))
        )
  yield* fork(Effect.andThen(Effect.sleep("1 second"), deep(50)))
  yield* fork(after("2 seconds", done, "next"))
  yield* advance(minutes(1))
  assert.deepStrictEqual(done, ["deep", "next"])
})

test("a sleeper wakes by itself at its time; an interrupted one never wakes", function* () {
  const woken: Array<string> = []
  const gone = yield* fork(after("5 millis", woken, "gone"))
  yield* Fiber.interrupt(gone)
  yield* fork(after("10 millis", woken, "early"))
  yield* Effect.sleep("20 millis")
  assert.deepStrictEqual(woken, ["early"])
})

test("an interrupted advance leaves the clock at the time it reached", function* () {
  const { outside } = yield* VirtualClock.VirtualClock
  const start = yield* Clock.currentTimeMillis
  const reached = yield* Latch.make()
  yield* fork(
    Effect.andThen(Effect.sleep(minutes(5)), outside(Effect.andThen(reached.open, Effect.never)))
  )
  const given = yield* fork(advance(minutes(10)))
  yield* reached.await
  yield* Fiber.interrupt(given)
  const passed = (yield* Clock.currentTimeMillis) - start
  assert.isAtLeast(passed, 300_000)
  assert.isBelow(passed, 600_000)
})

const steps: Array<number> = []
const stepped = (advanced: Duration.Duration) => steps.push(Duration.toMillis(advanced))

live.with(() => VirtualClock.layer({ advanced: minutes(1), stepped }))(
  "the clock is ahead by the sum of its advances, starts at a given advance, and reports each step",
  function* () {
    const { advance, advanced, beneath } = yield* VirtualClock.VirtualClock
    /** Reads both clocks within one millisecond. */
    const ahead: Effect.Effect<number> = Effect.suspend(() => {
      const real = beneath.currentTimeMillisUnsafe()
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        beneath.currentTimeMillisUnsafe() === real ? Effect.succeed(now - real) : ahead
      )
    })
    assert.strictEqual(yield* ahead, 60_000)
    yield* fork(Effect.sleep(minutes(2)))
    yield* Effect.all([advance(minutes(5)), advance(minutes(5))], { concurrency: 2 })
    assert.strictEqual(yield* ahead, 660_000)
    assert.strictEqual(Duration.toMillis(yield* advanced), 660_000)
    assert.strictEqual(steps.at(-1), 660_000)
    assert.deepStrictEqual(
      steps,
      steps.toSorted((one, two) => one - two)
    )
  }
)

describe("the wall clock", () => {
  const onWallClock = <A, E>(
    test: (wall: {
      readonly setBack: (by: number) => void
      readonly pass: TestClock.TestClock["adjust"]
    }) => Effect.Effect<A, E, Scope.Scope>
  ): Promise<A> =>
    Effect.gen(function* () {
      const clock = yield* TestClock.make()
      let behind = 0
      return yield* Effect.provideService(
        test({ setBack: (by) => void (behind = by), pass: clock.adjust }),
        Clock.Clock,
        aheadOf(clock, () => -behind)
      )
    }).pipe(Effect.scoped, Effect.runPromise)

  const wokenAfter = (
    meanwhile: (
      setBack: (by: number) => void
    ) => Effect.Effect<void, never, VirtualClock.VirtualClock>
  ) =>
    onWallClock(({ pass, setBack }) =>
      Effect.gen(function* () {
        const sleeper = yield* Effect.forkChild(Effect.sleep("10 minutes"), {
          startImmediately: true
        })
        yield* Effect.yieldNow
        yield* meanwhile(setBack)
        let minute = 0
        for (; sleeper.pollUnsafe() === undefined && minute < 20; minute++) {
          yield* pass("1 minute")
        }
        return minute
      }).pipe(Effect.provide(VirtualClock.layer()))
    )

  it("lets a sleeper wake earlier by an advance that did not reach it", async () => {
    assert.strictEqual(
      await wokenAfter(() =>
        VirtualClock.VirtualClock.use(({ advance }) => advance(Duration.minutes(7)))
      ),
      3
    )
  })

  it("holds up no sleeper when it is set back", async () => {
    assert.strictEqual(await wokenAfter((setBack) => Effect.sync(() => setBack(3_600_000))), 10)
  })

  it("holds up no transaction when it is set back, and no callback that is sent while others are posted", () =>
    onWallClock(({ pass, setBack }) =>
      Effect.gen(function* () {
        const scenario =
          "steps:NEW,PENDING,PENDING,PENDING,PENDING,PENDING,PROCESSING,SUCCEED+shuffle"
        const token = yield* authenticate
        yield* send("POST", "/payments/apm", { token, body: payment({ scenario }) })
        yield* pass("1100 millis")
        setBack(3_600_000)
        yield* pass("1 minute")
        const { received } = yield* Receiver
        assert.sameMembers(
          received.map(({ body }) => body["transactionStatus"]),
          ["NEW", "PENDING", "PROCESSING", "SUCCEED"]
        )
      }).pipe(Effect.provide(testGateway({}, (n) => (n === 0 ? "never" : 200), Layer.empty)))
    ))
})

it("identifiers are whole numbers on a clock that is ahead by a part of a millisecond", () =>
  Effect.gen(function* () {
    const token = yield* authenticate
    const { body } = yield* send("POST", "/payments/apm", { token, body: payment() })
    assert.match(body, /"transactionId":"[0-9]+"/u)
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        testGateway({}, undefined, Layer.empty),
        VirtualClock.layer({ advanced: Duration.millis(0.333) })
      )
    ),
    Effect.runPromise
  ))
