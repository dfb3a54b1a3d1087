/**
 * The text forms of times, durations and amounts.
 */

const clock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit"
})

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" })

/**
 * Writes the time of day in the browser's time zone.
 *
 * @param {string | number} at ISO 8601, or milliseconds
 */
export const time = (at) => clock.format(new Date(at))

/**
 * @param {string | number} at
 */
export const dateTime = (at) => `${day.format(new Date(at))}, ${time(at)}`

/**
 * Writes a time of day, with its date unless that is the date of `now`.
 *
 * @param {string | number} at
 * @param {number} now
 */
export const moment = (at, now) =>
  day.format(new Date(at)) === day.format(now) ? time(at) : dateTime(at)

/**
 * Writes a duration in milliseconds: `200 ms`, `1.2 s`, `2 min 4 s`, `1 h 2 min`, `31 d 2 h`.
 *
 * @param {number} span
 */
export const duration = (span) => {
  if (span < 1000) return `${Math.round(span)} ms`
  if (span < 59_950) return `${(span / 1000).toFixed(1).replace(/\.0$/, "")} s`
  const seconds = Math.round(span / 1000)
  if (seconds < 3600) return pair(seconds, 60, "min", "s")
  if (seconds < 86_400) return pair(Math.round(seconds / 60), 60, "h", "min")
  return pair(Math.round(seconds / 3600), 24, "d", "h")
}

/**
 * @param {number} of
 * @param {number} size
 * @param {string} great
 * @param {string} small
 */
const pair = (of, size, great, small) => {
  const rest = of % size
  return `${Math.floor(of / size)} ${great}${rest === 0 ? "" : ` ${rest} ${small}`}`
}

/**
 * Writes an amount with its currency, and with at least the decimals of the currency.
 *
 * @param {{ readonly amount: string, readonly currency: string }} money
 */
export const money = ({ amount, currency }) => {
  const { maximumFractionDigits: most = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency
  }).resolvedOptions()
  const [whole = "", fraction = ""] = amount.split(".")
  const digits = fraction.replace(/0+$/, "").padEnd(most, "0")
  return `${whole}${digits === "" ? "" : `.${digits}`} ${currency}`
}

/**
 * Indents a JSON text. A text whose digits would change stays as it is.
 *
 * @param {string} text
 */
export const pretty = (text) => {
  const bare = (/** @type {string} */ json) => json.replace(/\s/g, "")
  try {
    const indented = JSON.stringify(JSON.parse(text), null, 2)
    return bare(indented) === bare(text) ? indented : text
  } catch {
    return text
  }
}

/**
 * Writes the kind of a transaction.
 *
 * @param {string} kind
 */
export const kind = (kind) => kinds.get(kind) ?? kind

const kinds = new Map([
  ["apm", "APM"],
  ["card", "Card"],
  ["apm-payment", "APM payment"],
  ["apm-payout", "APM payout"],
  ["card-payment", "Card payment"],
  ["card-payout", "Card payout"],
  ["refund", "Refund"]
])

/**
 * Writes a number with its noun: `1 attempt`, `4 attempts`.
 *
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`
