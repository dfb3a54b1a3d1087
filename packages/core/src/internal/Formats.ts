/** Texts of a request whose format the specification names. A response may have any text. */
import * as Schema from "effect/Schema"
import * as Grammar from "./Grammar.ts"

/** Schema for a country, if present (`spec.md`, "Billing details variants"). */
export const country = Schema.optionalKey(
  Schema.String.check(
    Schema.isPattern(Grammar.country, { message: 'Expected a country, such as "LV"' })
  )
)

/** Schema for the frequency of a plan (`spec.md`, "Subscription plan"). */
export const frequency = Schema.Literals(["DAILY", "WEEKLY", "MONTHLY", "CUSTOM"])

const day = (pattern: RegExp, message: string) =>
  Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(pattern, { message }).abort(),
      Schema.makeFilter((text) => Grammar.isOnCalendar(text) || message)
    )
  )

export const date = day(Grammar.date, "Expected a date, YYYY-MM-DD")

export const dateOrTime = day(Grammar.dateOrTime, "Expected a date, ISO 8601")
