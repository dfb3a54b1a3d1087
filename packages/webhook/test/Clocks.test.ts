import { forAll, optional } from "@pawl/test-support/Properties"
import * as Evidence from "@pawl/core/Evidence"
import * as Profile from "@pawl/core/Profile"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as LedgerClock from "../src/internal/ledger/LedgerClock.ts"
import * as NextWork from "../src/internal/work/NextWork.ts"
import * as Journal from "../src/Journal.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import * as ClockWatch from "../src/internal/work/ClockWatch.ts"
import { defaults } from "../src/internal/rule/WorkLimits.ts"
import * as Reconciler from "../src/internal/work/Reconciler.ts"
import * as RowRule from "../src/internal/rule/RowRule.ts"
import { blank, type Row } from "../src/internal/rule/Row.ts"
import { live, test } from "@pawl/test-support/Tests"
import { ledgerOf } from "@pawl/test-support/Places"
import { onPostgres } from "@pawl/test-support/Stores"
import * as World from "@pawl/test-support/World"

const { aheadOf, day, hour, minute, second } = World
const { pollIntervals } = Effect.runSync(Profile.Profile)
const rules: Reconciler.Rules = { policy: "final", pollIntervals }

const wasSet = "a clock jumped by more than 5 seconds"

describe("the correction of a row's times", () => {
  const now = 1000 * day
  const time = optional(
    fc.oneof(
      fc.integer({ min: now - 200 * day, max: now + 200 * day }),
      fc.integer({ min: now - 2 * second, max: now + 20 * second })
    )
  )
  const times = fc.record({
    askedAt: time,
    unconfirmedAt: time,
    failingSince: time,
    pollAt: time,
    newStatusAt: time.map((at) => at ?? now),
    retryAt: time.map((at) => at ?? now),
    attempt: fc.nat(12)
  })
  const start: Row = {
    ...blank("card-payment", "1", now),
    evidence: 0,
    callbacks: 1,
    pendingStatus: "PENDING"
  }

  it("leaves no work that waits longer than the longest wait", () =>
    forAll([times], (fields) => {
      const row: Row = { ...start, ...fields }
      const next: Row = { ...row, ...NextWork.correction(row, rules, now) }
      const longest = now + Reconciler.maxGap(rules) + 6 * second
      expect(Reconciler.readAt(next, rules) ?? 0).toBeLessThanOrEqual(longest)
      expect(next.retryAt).toBeLessThanOrEqual(
        now + NextWork.plannedWait(defaults.retrySchedule, 12) + 5 * second
      )
      for (const at of [next.askedAt, next.failingSince, next.newStatusAt]) {
        expect(at ?? 0).toBeLessThanOrEqual(now + 5 * second)
      }
      expect(next.unconfirmedAt ?? 0).toBeLessThanOrEqual(now + 20 * second)
      if (next.pollAt !== row.pollAt) expect(next.pollAt).toBeGreaterThanOrEqual(now)
      const { lease, retrySchedule } = defaults
      const wait = row.attempt === 0 ? 0 : NextWork.plannedWait(retrySchedule, row.attempt)
      // The call before may still run.
      if (next.retryAt !== row.retryAt) expect(next.retryAt).toBe(now + Math.max(wait, lease))
      expect(NextWork.correction(next, rules, now)).toBeUndefined()
    }))

  it("leaves a row whose times are possible", () =>
    forAll([times], (fields) => {
      const past = (at: number | undefined) => at && Math.min(at, now)
      const wait =
        fields.attempt === 0 ? 0 : NextWork.plannedWait(defaults.retrySchedule, fields.attempt)
      const row: Row = {
        ...start,
        attempt: fields.attempt,
        askedAt: past(fields.askedAt),
        failingSince: past(fields.failingSince),
        newStatusAt: Math.min(fields.newStatusAt, now),
        unconfirmedAt: fields.unconfirmedAt && Math.min(fields.unconfirmedAt, now + 15 * second),
        retryAt: Math.min(fields.retryAt, now + wait),
        pollAt: fields.pollAt && Math.min(fields.pollAt, now + Reconciler.maxGap(rules))
      }
      const isOver = row.newStatusAt < now - Reconciler.maxPollingTime
      fc.pre(!isOver || (Reconciler.pollAt(row, rules) ?? now) >= now - Reconciler.maxGap(rules))
      expect(NextWork.correction(row, rules, now)).toBeUndefined()
    }))
})

it("R27: a row that was stored with a clock more than 194 days behind is read for 180 days after the clock was set", () => {
  const behind = fc.integer({ min: 195, max: 20_000 }).map((days) => days * day)
  const statuses = fc.constantFrom("NEW", "PENDING", "SUCCEED", "REFUNDED")
  return forAll([behind, statuses, fc.boolean()], (behind, status, isRead) => {
    const now = 21_000 * day
    const at = now - behind
    const answered = { _tag: "Answered", kind: "card-payment", status } as const
    const read = (row: Row, askedAt: number): Row =>
      RowRule.changed(row, Reconciler.afterRead(row, { ...answered, askedAt }, rules, askedAt))
    const stored: Row = { ...blank("card-payment", "1", at), evidence: Evidence.confirmed("NEW") }
    let row = isRead ? read(stored, at + 5 * minute) : stored
    let last = now
    for (let next: number | undefined = now; next !== undefined;) {
      last = Math.max(next, last)
      row = read({ ...row, ...NextWork.correction(row, rules, last) }, last)
      next = Reconciler.readAt(row, rules)
    }
    expect(last).toBeGreaterThan(now + 165 * day)
    expect(last).toBeLessThan(now + 181 * day)
  })
})

it("R27: the last read counts, even if the clock was set back before it", () => {
  const row: Row = {
    ...blank("card-payment", "1", day),
    read: { status: "SUCCEED", askedAt: day + hour }
  }
  const answer = { _tag: "Answered", kind: "card-payment", status: "CHARGEBACK" } as const
  const change = Reconciler.afterRead(row, { ...answer, askedAt: day }, rules, day)
  expect(change).toMatchObject({ askedAt: day, read: { askedAt: day + hour + 1 } })
  expect(Evidence.joinRead(row.read, change.read)?.status).toBe("CHARGEBACK")
})

test("R28: clocks that differ raise an alarm, and a clock that is set forward", function* () {
  const reasons: Array<string> = []
  const journal = Context.get(yield* Layer.build(Journal.layer), Journal.Journal)
  const ledger = Context.get(yield* Layer.build(layerMemory), Ledger)
  const process = yield* Clock.Clock
  let processAhead = 0
  let ledgerAhead = 0
  const check = ClockWatch.make({
    clock: { ...process, ...aheadOf(process, () => processAhead) },
    ledger: { ...ledger, time: () => process.currentTimeMillisUnsafe() + ledgerAhead },
    journal: {
      ...journal,
      raiseAlarm: (reason) => Effect.sync(() => void reasons.push(reason))
    }
  })
  const differs = "the clocks of this machine and of the database differ by more than 5 seconds"
  yield* check
  processAhead = 4 * second
  yield* check
  expect(reasons).toEqual([])
  ledgerAhead = -4 * second
  yield* check
  expect(reasons).toEqual([differs])
  ledgerAhead = 6 * second
  yield* check
  expect(reasons).toEqual([differs, wasSet])
})

test("R27: an alarm is raised again after the clock was set back", function* () {
  const { alarms, raiseAlarm } = Context.get(yield* Layer.build(Journal.layer), Journal.Journal)
  const raised = yield* Effect.forkChild(Stream.runCollect(Stream.take(alarms, 2)), {
    startImmediately: true
  })
  const process = yield* Clock.Clock
  for (const ahead of [hour, 0, 0]) {
    yield* Effect.provideService(
      raiseAlarm("refused"),
      Clock.Clock,
      aheadOf(process, () => ahead)
    )
  }
  yield* raiseAlarm("last")
  const reasons = (yield* Fiber.join(raised)).map((entry) => "reason" in entry && entry.reason)
  expect(reasons).toEqual(["refused", "refused"])
})

describe("the clock of a ledger", () => {
  /** Its functions work only as functions of their object. */
  class Manual implements Clock.Clock {
    #nanos = 0n
    currentTimeNanosUnsafe() {
      return this.#nanos
    }
    currentTimeMillisUnsafe() {
      return Number(this.#nanos / 1_000_000n)
    }
    monotonicTimeNanosUnsafe() {
      return this.#nanos
    }
    sleep(duration: Duration.Duration) {
      return Effect.sync(() => {
        this.#nanos += Duration.toNanosUnsafe(duration)
      })
    }
    get currentTimeMillis() {
      return Effect.succeed(Number(this.#nanos / 1_000_000n))
    }
    get currentTimeNanos() {
      return Effect.succeed(this.#nanos)
    }
    get monotonicTimeNanos() {
      return Effect.succeed(this.#nanos)
    }
  }

  test("has nanoseconds that never go back, though the milliseconds of the database begin at other times", function* () {
    const process = new Manual()
    const time = (clock: Clock.Clock) =>
      hour + Math.floor(Number(clock.monotonicTimeNanosUnsafe() + 600_000n) / 1e6)
    const clock = LedgerClock.make({ time }, process)
    let last = clock.currentTimeNanosUnsafe()
    for (let step = 0; step < 30; step++) {
      yield* clock.sleep(Duration.micros(100n))
      const now = clock.currentTimeNanosUnsafe()
      expect(now - last).toBe(100_000n)
      last = now
    }
    expect(Math.abs(Number(last) / 1e6 - clock.currentTimeMillisUnsafe())).toBeLessThan(1)
    expect(clock.monotonicTimeNanosUnsafe()).toBe(3_000_000n)
    expect(yield* clock.monotonicTimeNanos).toBe(3_000_000n)
  })
})

await onPostgres((place) => {
  live("R28: processes whose clocks differ by an hour have the time of the database", function* () {
    const process = yield* Clock.Clock
    for (const ahead of [-hour, hour]) {
      const clock = aheadOf(process, () => ahead)
      const time = yield* Effect.gen(function* () {
        const ledger = Context.get(yield* Layer.build(Layer.fresh(ledgerOf(place))), Ledger)
        yield* ledger.claim({ at: 0, until: 0, limit: 0 })
        return Number(LedgerClock.make(ledger, clock).currentTimeNanosUnsafe()) / 1e6
      }).pipe(Effect.provideService(Clock.Clock, clock), Effect.scoped)
      expect(Math.abs(time - process.currentTimeMillisUnsafe())).toBeLessThan(minute)
    }
  })
})
