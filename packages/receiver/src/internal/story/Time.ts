/**
 * Times of reports: ISO 8601 in UTC.
 */
import * as DateTime from "effect/DateTime"

/** Writes a time in milliseconds since the epoch as ISO 8601. */
export const textOf = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

export const textOrNull = (at: number | undefined): string | null =>
  at === undefined ? null : textOf(at)
