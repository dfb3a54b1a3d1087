import { forAll } from "@pawl/test-support/Properties"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, it, describe } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import { nextCharge, PlanSchedule } from "../src/internal/gateway/Plan.ts"
import { authenticate, Receiver, run, send } from "@pawl/test-support/TestGateway"
import { ask, body, card } from "@pawl/test-support/Creates"
import { repeats } from "@pawl/test-support/Repeats"
import * as Schema from "effect/Schema"

const path = "/payments/card/recurring"
const day = 86_400_000
const year = 365 * day

const start = fc
  .date({ min: new Date("2026-01-01"), max: new Date("2029-12-31"), noInvalidDate: true })
  .map((date) => date.getTime())

const frequency = fc.constantFrom("DAILY", "WEEKLY", "MONTHLY", "CUSTOM" as const)

const datesOf = (start: number, plan: PlanSchedule): ReadonlyArray<number> => {
  const dates = [start]
  for (let date = start; date <= start + year; dates.push(date)) {
    date = nextCharge(plan, date) ?? Infinity
  }
  return dates
}

const subscribe = Effect.fnUntraced(function* (schedule: object, over: object = {}) {
  const tokenize = { requestId: "t", mid: "m-1", card }
  const { cardToken } = yield* ask("POST", "/payments/card/tokenize", tokenize)
  const plan = { amount: "1.50", currency: "EUR", ...schedule }
  const given = { cardToken: String(cardToken), paymentId: 0 }
  yield* ask("POST", path, body(path, given, { plan, ...over }))
})

it("over a year every date of the plan, and no other, is charged once, to the millisecond", () =>
  forAll(
    [
      fc.record({ start, frequency, interval: fc.integer({ min: 1, max: 45 }) }),
      fc.boolean(),
      fc.array(fc.nat(60 * day), { maxLength: 6 })
    ],
    { numRuns: repeats(60) },
    ({ frequency, interval, start }, skipFirstCharge, steps) =>
      run(function* () {
        yield* TestClock.setTime(start)
        const startDate = new Date(start).toISOString()
        yield* subscribe({ frequency, interval, startDate }, { skipFirstCharge })
        let passed = 0
        for (const step of steps) {
          const now = Math.min(step, year - passed)
          passed += now
          yield* TestClock.adjust(Duration.millis(now))
        }
        yield* TestClock.adjust(Duration.millis(year - passed))

        const plan = { frequency, interval, startDate } as const
        const [first = 0, ...later] = datesOf(start, plan)
        const next = later.pop()
        const expected = skipFirstCharge ? later : [first, ...later]
        const charges = (yield* (yield* Gateway.Gateway).transactions).filter(
          ({ subscriptionId }) => subscriptionId === "100001"
        )
        assert.deepStrictEqual(
          charges.map(({ createdTime }) => Date.parse(createdTime)),
          expected
        )
        const subscription = yield* ask("GET", `${path}/100001`)
        assert.include(subscription, {
          status: skipFirstCharge && expected.length === 0 ? "TRIALING" : "ACTIVE",
          failureCount: 0,
          createdAt: new Date(start).toISOString(),
          lastChargeDate: charges.at(-1)?.createdTime ?? null,
          nextChargeDate: new Date(next ?? 0).toISOString()
        })

        yield* TestClock.adjust("1 second")
        const { received } = yield* Receiver
        const told = new Set(received.map(({ body }) => body["transactionId"]))
        assert.strictEqual(told.size, expected.length)
        assert.lengthOf(received, expected.length * 4)
      })
  ))

const update = fc.oneof(
  fc.record({ status: fc.constantFrom("PENDING", "TRIALING", "ACTIVE", "PAUSED") }),
  fc.record({ plan: fc.record({ interval: fc.integer({ min: 1, max: 9 }) }) }),
  fc.record({ plan: fc.record({ amount: fc.constantFrom("1", "2") }) })
)

const chargedDays = Effect.gen(function* () {
  const charges = yield* (yield* Gateway.Gateway).transactions
  return charges.map(({ createdTime }) => Date.parse(createdTime) / day)
})

it("with any changes, no charge is made in PAUSED or PENDING, and none twice a day", () =>
  forAll(
    [fc.array(fc.tuple(fc.nat(20), update), { maxLength: 12 }), fc.boolean()],
    { numRuns: repeats(60) },
    (steps, isDeleted) =>
      run(function* () {
        yield* subscribe({ frequency: "DAILY", interval: 1, startDate: "1970-01-01" })
        let status = "ACTIVE"
        let interval = 1
        let now = 0
        const expected = [0]
        const pass = Effect.fnUntraced(function* (days: number) {
          for (let passed = 0; passed < days; passed++) {
            now++
            const isDue = now % interval === 0
            if (isDue && (status === "ACTIVE" || status === "TRIALING")) {
              expected.push(now)
              status = "ACTIVE"
            }
          }
          yield* TestClock.adjust(Duration.days(days))
        })
        for (const [days, update] of steps) {
          yield* pass(days)
          const token = yield* authenticate
          const { json } = yield* send("PUT", `${path}/100001`, { token, body: update })
          if ("status" in update) status = update.status
          else if ("interval" in update.plan) interval = update.plan.interval
          const due = new Date((Math.trunc(now / interval) + 1) * interval * day).toISOString()
          assert.include(json, { status, nextChargeDate: status === "PAUSED" ? null : due })
        }
        yield* pass(20)
        if (isDeleted) {
          const token = yield* authenticate
          yield* send("DELETE", `${path}/100001`, { token })
          yield* TestClock.adjust("20 days")
        }
        assert.deepStrictEqual(yield* chargedDays, expected)
      })
  ))

it.each([
  [{ plan: { amount: "2" } }, [0, 1, 2]],
  [{ status: "ACTIVE" }, [0, 1, 2]],
  [{ status: "PAUSED" }, [0]]
])("a change %o in the moment of a charge neither skips nor repeats a charge", (body, expected) =>
  run(function* () {
    const token = yield* authenticate
    // This fiber wakes before the timer of the subscription, which sleeps later.
    const change = yield* send("PUT", `${path}/100001`, { token, body }).pipe(
      Effect.delay("1 day"),
      Effect.forkChild
    )
    yield* Effect.yieldNow
    yield* subscribe({ frequency: "DAILY", interval: 1, startDate: "1970-01-01" })
    yield* TestClock.adjust("60 hours")
    assert.strictEqual((yield* Fiber.join(change)).status, 200)
    assert.deepStrictEqual(yield* chargedDays, expected)
  })
)

const instant = fc.date({
  min: new Date("1950-01-01"),
  max: new Date("2090-01-01"),
  noInvalidDate: true
})
const plan = fc.record(
  {
    frequency,
    interval: fc.integer({ min: 1, max: 40 }),
    startDate: instant.map((date) => date.toISOString()),
    endDate: instant.map((date) => date.toISOString())
  },
  { requiredKeys: ["frequency", "interval", "startDate"] }
)

/** Uses JavaScript's `Date`. */
const nth = ({ frequency, interval, startDate }: PlanSchedule, n: number): number => {
  const start = new Date(startDate)
  if (frequency !== "MONTHLY") {
    return start.getTime() + n * interval * (frequency === "WEEKLY" ? 7 : 1) * day
  }
  const month = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + n * interval, 1))
  const length = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate()
  month.setUTCDate(Math.min(start.getUTCDate(), length))
  return month.getTime() + (((start.getTime() % day) + day) % day)
}

it("the next charge is the first later date of the plan, unless the plan has ended by then", () =>
  forAll([plan, instant], { numRuns: 300 }, (input, after) => {
    fc.pre(Schema.is(PlanSchedule)(input))
    const calendar = input as PlanSchedule
    let n = 0
    while (nth(calendar, n) <= after.getTime()) n++
    const due = nth(calendar, n)
    const end = calendar.endDate === undefined ? Infinity : Date.parse(calendar.endDate)
    assert.strictEqual(nextCharge(calendar, after.getTime()), due <= end ? due : undefined)
  }))

describe("a plan", () => {
  const monthly = { frequency: "MONTHLY", interval: 1, startDate: "2027-01-31" } as const

  it("is charged on its end date, which is a whole day without a time", () => {
    const after = Date.parse("2027-02-01")
    const due = Date.parse("2027-02-28T10:30:00Z")
    const startDate = "2027-01-31T10:30"
    for (const [endDate, expected] of [
      ["2027-02-28", due],
      ["2027-02-28T10:30:00Z", due],
      ["2027-02-28T12:30:00+02:00", due],
      ["2027-02-28T10:29:59Z", undefined],
      ["2027-02-27", undefined]
    ] as const) {
      assert.strictEqual(nextCharge({ ...monthly, startDate, endDate }, after), expected, endDate)
    }
  })

  it("after the last representable date has no next charge", () => {
    for (const frequency of ["MONTHLY", "CUSTOM"] as const) {
      const plan = { ...monthly, frequency, interval: 2 ** 53 - 1 }
      assert.isUndefined(nextCharge(plan, Date.parse("2027-01-31")))
    }
  })

  it("takes only calendar dates in ISO 8601", () => {
    const accepts = (startDate: string) => Schema.is(PlanSchedule)({ ...monthly, startDate })
    for (const date of [
      "2027-01-31",
      "2028-02-29",
      "2027-01-31T10:30",
      "2027-01-31T10:30:15",
      "2027-01-31T10:30:15.123456Z",
      "2027-01-31T10:30:15-05:00"
    ]) {
      assert.isTrue(accepts(date), date)
    }
    for (const date of [
      "",
      "1",
      "tomorrow",
      "2027-02-29",
      "2027-02-30T10:00:00Z",
      "2027-13-01",
      "2027-1-1",
      "31.01.2027",
      "2027-01-31T25:00",
      "2027-01-31 10:30",
      "2027-01-31T10:30Z and more"
    ]) {
      assert.isFalse(accepts(date), date)
    }
  })
})
