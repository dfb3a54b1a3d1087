import { StoreUnavailable } from "@pawl/core/CallbackError"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect } from "@effect/vitest"
import { dependencies } from "./doors.ts"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"
import * as Activity from "../src/internal/journal/Activity.ts"
import { differs } from "../src/internal/work/ClockWatch.ts"
import * as Condition from "../src/internal/work/Condition.ts"
import * as Journal from "../src/Journal.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import * as Receiver from "../src/Receiver.ts"

const hour = 3_600_000

const start = Effect.gen(function* () {
  const journal = Context.get(yield* Layer.build(Journal.layer), Journal.Journal)
  const ledger = Context.get(yield* Layer.build(layerMemory), Ledger)
  const latest = Activity.observe(journal)
  let isDown = false
  const checkWritable = Effect.suspend(() =>
    isDown ? Effect.fail(new StoreUnavailable({})) : ledger.checkWritable
  )
  const { read } = yield* Condition.make({
    ledger: { ...ledger, checkWritable },
    latest,
    worker: undefined
  })
  const setDown = (down: boolean) => void (isDown = down)
  const fail = (transaction: string, isOfStore = false, at = 0) =>
    journal.note("notStored", at, { transaction, isOfStore, cause: "the cause" })
  const store = Effect.map(read, ({ ready, store }) => [ready, store])
  return { journal, fail, read, setDown, store }
})

describe("the store of a receiver", () => {
  const writable = [true, "writable"]
  const notWritable = [false, "not writable"]

  test("is writable after callbacks of one transaction failed, and not after those of two", function* () {
    const { fail, store } = yield* start
    for (let count = 0; count < 100; count++) fail("card/1")
    expect(yield* store).toEqual(writable)
    fail("card/2")
    expect(yield* store).toEqual(notWritable)
  })

  test("is not writable after one callback failed because the disk is full", function* () {
    const { fail, store } = yield* start
    fail("card/1", true)
    expect(yield* store).toEqual(notWritable)
  })

  test("is writable again after a callback was stored", function* () {
    const { fail, journal, store } = yield* start
    for (const secret of ["acceptedCurrent", "acceptedPrevious"] as const) {
      fail("card/1", true)
      expect(yield* store).toEqual(notWritable)
      journal.note(secret, 1)
      fail("card/2")
      expect(yield* store).toEqual(writable)
    }
  })

  test("is tried again 30 seconds after the last callback that failed", function* () {
    const { fail, store } = yield* start
    fail("card/1", true, 0)
    yield* TestClock.adjust("30 seconds")
    expect(yield* store).toEqual(notWritable)
    yield* TestClock.adjust("1 millis")
    expect(yield* store).toEqual(writable)
  })

  test("C17 is checked once in a second, though a clock was set back", function* () {
    const { fail, setDown, store } = yield* start
    yield* TestClock.setTime(2 * hour)
    setDown(true)
    expect(yield* store).toEqual(notWritable)
    setDown(false)
    expect(yield* store).toEqual(notWritable)
    yield* TestClock.setTime(0)
    yield* TestClock.adjust("1 second")
    expect(yield* store).toEqual(writable)
    fail("card/1", true, hour)
    expect(yield* store).toEqual(writable)
  })
})

test("the credentials are those of the last answer, although the clock was set back", function* () {
  const { journal, read } = yield* start
  const credentials = Effect.map(read, (condition) => condition.credentials)
  expect(yield* credentials).toBe("unknown")
  journal.note("denied", hour)
  expect(yield* credentials).toBe("refused")
  yield* journal.record({ method: "card", transactionId: "1" }, { _tag: "Read", result: "PENDING" })
  expect(yield* credentials).toBe("accepted")
})

test("the clock is right from 11 minutes after the last alarm that it differs", function* () {
  const { journal, read } = yield* start
  const clock = Effect.map(read, (condition) => condition.clock)
  expect(yield* clock).toBe("right")
  yield* journal.raiseAlarm(differs)
  yield* TestClock.adjust("11 minutes")
  expect(yield* clock).toBe("differs")
  yield* TestClock.adjust("1 millis")
  expect(yield* clock).toBe("right")
})

test("the clock differs while that of the database is an hour away", function* () {
  yield* TestClock.setTime(24 * hour)
  for (const ahead of [-hour, hour]) {
    const ledger = Context.get(yield* Layer.build(Layer.fresh(layerMemory)), Ledger)
    const time = (clock: Clock.Clock) => clock.currentTimeMillisUnsafe() + ahead
    const { read } = yield* receiverOver({ ...ledger, time, pollInterval: Duration.minutes(1) })
    yield* World.settled
    expect(yield* read).toMatchObject({ clock: "differs" })
    yield* TestClock.adjust("1 hour")
    expect(yield* read).toMatchObject({ clock: "differs" })
  }
})

const receiverOver = Effect.fnUntraced(function* (ledger: Ledger["Service"]) {
  const claim = () => Effect.succeed({ rows: [], dueAt: undefined })
  const built = yield* Layer.build(
    Layer.provide(Receiver.layer(), [dependencies, Layer.succeed(Ledger, { ...ledger, claim })])
  )
  const latest = Activity.observe(Context.get(built, Journal.Journal))
  return yield* Condition.make({ ledger, latest, worker: undefined })
})
