import { forAll } from "@pawl/test-support/Properties"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { PlanSchedule, nextCharge } from "../src/internal/gateway/Plan.ts"

const day = 86_400_000

const frequency = fc.constantFrom("DAILY", "WEEKLY", "MONTHLY", "CUSTOM")
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
