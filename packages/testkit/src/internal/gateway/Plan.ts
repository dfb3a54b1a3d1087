/**
 * The charge dates of a subscription plan.
 *
 * A plan is charged at its `startDate` and every `interval` units of its frequency after it, until
 * its `endDate` inclusive; CUSTOM counts days. Months are calendar months in UTC, clamped: a plan
 * from the 31st is charged on the last day of a shorter month.
 *
 * A date is ISO 8601. Without an offset it is UTC; an `endDate` without a time is that whole day.
 */
import { frequency } from "@pawl/core/internal/Formats"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Behaviour, defaults } from "../Behaviour.ts"

const PlanDate = Schema.String.check(
  Schema.makeFilter(
    (text) => Option.isSome(read(text)) || 'Expected an ISO 8601 date, such as "2026-11-20"'
  )
)
const interval = Schema.Int.check(Schema.isGreaterThan(0))

/** Schema for the fields of a plan that set its charge dates; stricter than the contract. */
export const PlanSchedule = Schema.Struct({
  frequency,
  interval,
  startDate: PlanDate,
  endDate: Schema.optionalKey(PlanDate)
}).check(
  Schema.makeFilter((plan) =>
    last(plan) < first(plan)
      ? { path: ["endDate"], issue: "Expected a date not before the startDate" }
      : undefined
  )
)

export type PlanSchedule = typeof PlanSchedule.Type

export const PlanScheduleUpdate = Schema.Struct({
  frequency: Schema.optionalKey(frequency),
  interval: Schema.optionalKey(interval),
  startDate: Schema.optionalKey(PlanDate),
  endDate: Schema.optionalKey(PlanDate)
})

export const nextCharge = (
  plan: PlanSchedule,
  after: number,
  { customDays, interval }: Pick<Behaviour, "customDays" | "interval"> = defaults
): number | undefined => {
  const units = interval === "units" ? plan.interval : 1
  const days = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, CUSTOM: customDays }
  const start = DateTime.makeUnsafe(first(plan))
  const due = (n: number) => {
    const count = n * units
    return DateTime.toEpochMillis(
      DateTime.add(
        start,
        plan.frequency === "MONTHLY" ? { months: count } : { days: count * days[plan.frequency] }
      )
    )
  }
  // No month is longer than 31 days.
  const passed = (after - first(plan)) / (units * days[plan.frequency] * day)
  let n = Math.max(0, Math.floor(passed))
  while (due(n) <= after) n++
  return due(n) <= last(plan) ? due(n) : undefined
}

const day = 86_400_000

const first = ({ startDate }: PlanSchedule): number => toMillis(startDate)

const last = ({ endDate }: PlanSchedule): number =>
  endDate === undefined
    ? Number.POSITIVE_INFINITY
    : toMillis(endDate) + (endDate.includes("T") ? 0 : day - 1)

const toMillis = (text: string): number => DateTime.toEpochMillis(Option.getOrThrow(read(text)))

/** Refuses dates such as February 30. */
const read = (text: string): Option.Option<DateTime.Utc> => {
  const [date = ""] = text.split("T")
  return pattern.test(text) &&
    Option.exists(DateTime.make(date), (day) => DateTime.formatIsoDate(day) === date)
    ? DateTime.make(text)
    : Option.none()
}

const pattern =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$/u
