/**
 * Times of reports: ISO 8601 in UTC.
 */
import * as DateTime from "effect/DateTime"

/** Returns a time (ms since the epoch) as text. */
export const textOf = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

/** Returns a time as text; null if there is none. */
export const textOrNull = (at: number | undefined): string | null =>
  at === undefined ? null : textOf(at)
