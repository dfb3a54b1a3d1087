/**
 * When a subscription is charged.
 *
 * **Details**
 *
 * A plan is charged at its `startDate` and every `interval` units of its frequency after it, up to and
 * including its `endDate`; CUSTOM counts days. Months are those of the calendar, in UTC: what starts on
 * the 31st is charged on the last day of a shorter month, and on the 31st again in the next.
 *
 * A date is ISO 8601, with a time or without. Without an offset it is UTC; an `endDate` without a time
 * is that whole day.
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const PlanDate = Schema.String.check(
  Schema.makeFilter(
    (text) => Option.isSome(read(text)) || 'Expected an ISO 8601 date, such as "2026-11-20"'
  )
)
const frequency = Schema.Literals(["DAILY", "WEEKLY", "MONTHLY", "CUSTOM"])
const interval = Schema.Int.check(Schema.isGreaterThan(0))

/** Schema for what of a plan says when it is charged; more is asked here than by the contract. */
export const Calendar = Schema.Struct({
  frequency,
  interval,
  startDate: PlanDate,
  endDate: Schema.optionalKey(PlanDate)
}).check(
  Schema.makeFilter((plan) =>
    last(plan) < first(plan)
      ? { path: ["endDate"], issue: "Expected no date before the startDate" }
      : undefined
  )
)

/** When a plan is charged. */
export type Calendar = typeof Calendar.Type

/** Schema for what of a change to a plan says when it is charged. */
export const CalendarUpdate = Schema.Struct({
  frequency: Schema.optionalKey(frequency),
  interval: Schema.optionalKey(interval),
  startDate: Schema.optionalKey(PlanDate),
  endDate: Schema.optionalKey(PlanDate)
})

/**
 * Returns when a plan is charged next after a time, in milliseconds since the epoch; undefined when it
 * is charged no more.
 */
export const nextCharge = (plan: Calendar, after: number): number | undefined => {
  const start = DateTime.makeUnsafe(first(plan))
  const due = (n: number) => {
    const count = n * plan.interval
    return DateTime.toEpochMillis(
      DateTime.add(
        start,
        plan.frequency === "MONTHLY" ? { months: count } : { days: count * days[plan.frequency] }
      )
    )
  }
  // Too few for months, of which none is longer, and never too many.
  const passed = (after - first(plan)) / (plan.interval * days[plan.frequency] * day)
  let n = Math.max(0, Math.floor(passed))
  while (due(n) <= after) n++
  return due(n) <= last(plan) ? due(n) : undefined
}

const day = 86_400_000
const days = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, CUSTOM: 1 }

const first = ({ startDate }: Calendar): number => toMillis(startDate)

const last = ({ endDate }: Calendar): number =>
  endDate === undefined
    ? Number.POSITIVE_INFINITY
    : toMillis(endDate) + (endDate.includes("T") ? 0 : day - 1)

const toMillis = (text: string): number => DateTime.toEpochMillis(Option.getOrThrow(read(text)))

/** Refuses what is not on the calendar, such as February 30. */
const read = (text: string): Option.Option<DateTime.Utc> => {
  const [date = ""] = text.split("T")
  return pattern.test(text) &&
    Option.exists(DateTime.make(date), (day) => DateTime.formatIsoDate(day) === date)
    ? DateTime.make(text)
    : Option.none()
}

const pattern =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$/u
