/**
 * Texts of a request whose format the specification names. A response may have any text in their place.
 */
import * as Schema from "effect/Schema"
import * as Grammar from "../Grammar.ts"

const isDay = Schema.makeFilter(
  (text: string) => Grammar.isOnCalendar(text) || "Expected a day of the calendar"
)

/** Schema for a country, if present (`spec.md`, "Billing details variants"). */
export const country = Schema.optionalKey(
  Schema.String.check(
    Schema.isPattern(Grammar.country, {
      message: 'Expected two capital letters of ISO 3166-1 alpha-2, such as "LV"'
    })
  )
)

/** Schema for a date without a time, if present (`spec.md`, "Billing details variants"). */
export const date = Schema.optionalKey(
  Schema.String.check(
    Schema.isPattern(Grammar.date, {
      message: 'Expected a date as YYYY-MM-DD, such as "1985-10-26"'
    }),
    isDay
  )
)

/** Schema for a date with a time or without, if present (`spec.md`, "Order"). */
export const dateOrTime = Schema.optionalKey(
  Schema.String.check(
    Schema.isPattern(Grammar.dateOrTime, {
      message: 'Expected an ISO 8601 date, such as "2026-11-20" or "2026-11-20T09:30:00Z"'
    }),
    isDay
  )
)
