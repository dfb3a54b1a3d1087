import { forAll } from "@pawl/test-support/Properties"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import { nextCharge, type PlanSchedule } from "../src/internal/gateway/Plan.ts"
import { authenticate, Receiver, run, send } from "@pawl/test-support/TestGateway"
import { ask, body, card } from "@pawl/test-support/Creates"
import { repeats } from "@pawl/test-support/Repeats"

const path = "/payments/card/recurring"
const day = 86_400_000
const year = 365 * day

const start = fc
  .date({ min: new Date("2026-01-01"), max: new Date("2029-12-31"), noInvalidDate: true })
  .map((date) => date.getTime())

const frequency = fc.constantFrom("DAILY", "WEEKLY", "MONTHLY", "CUSTOM" as const)

/** The dates of a year and the first one after it. */
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
