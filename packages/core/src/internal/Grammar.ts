/** The formats of identifiers, amounts and dates. This module imports nothing. */

export const identifier = /^[^\p{Cc}\p{Cs}]{1,128}$/u

/** Up to 18 digits without a leading zero, and at most two decimals (`spec.md`, "Conventions"). */
export const amount = /^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,2})?$/u

/** An amount that the service signs: up to six zeros may follow its two decimals. */
export const signedAmount = /^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,2}0{0,6})?$/u

export const currency = /^[A-Z]{3}$/u

/**
 * The query parameters that the service adds to a callback URL, in the spellings that some parsers take
 * for them (`spec.md`, "Events").
 */
export const routing = /^(?:paymentmethod|apmtype)(?:\[|$)/iu

export const country = /^[A-Z]{2}$/u

/** `isOnCalendar` refuses February 30. */
export const date = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u

/** `isOnCalendar` refuses February 30 and 24:30. */
export const dateOrTime =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$/u

/** Tells whether a `date` or `dateOrTime` names a day of the calendar and a time of that day. */
export const isOnCalendar = (text: string): boolean => {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && !isLeap ? 28 : (daysInMonth[month - 1] ?? 0)
  // Some runtimes parse February 30 as March 2, others refuse it.
  return day <= days && Date.parse(text) < Infinity
}

const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
