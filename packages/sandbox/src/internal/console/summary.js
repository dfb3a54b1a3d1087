/**
 * A summary of a transaction and its callbacks, in a sentence or two.
 */
import { count, duration, moment } from "@pawl/receiver/page/format.js"
/** @import { Delivery } from "@pawl/testkit/Courier" */
/** @import { Facts } from "../pages/Console.ts" */
/** @import { Transaction } from "@pawl/testkit/Gateway" */

/**
 * The callbacks of one status. `due` is the time of the next attempt, in milliseconds since the epoch.
 *
 * @typedef {{
 *   readonly status: string
 *   readonly attempts: number
 *   readonly delivered: number
 *   readonly state: "none" | "delivered" | "waiting" | "dropped" | "refused"
 *   readonly answer: Delivery["answer"] | undefined
 *   readonly due: number | undefined
 * }} CallbackState
 */

/**
 * Tells whether a callback is delivered.
 *
 * @param {Delivery["answer"]} answer
 */
export const isGood = (answer) => typeof answer === "number" && answer >= 200 && answer < 300

/**
 * Tells whether the response was an error; 0 is a connection that was reset.
 *
 * @param {number} status
 */
export const isBad = (status) => status === 0 || status >= 400

/**
 * Returns the state of the callbacks of a status; forged callbacks do not count.
 *
 * @param {string} status
 * @param {ReadonlyArray<Delivery>} deliveries of the transaction
 * @param {Facts["retryGaps"]} gaps
 * @returns {CallbackState}
 */
export const callbackState = (status, deliveries, gaps) => {
  const attempts = deliveries.filter((delivery) => delivery.status === status && !delivery.forged)
  // A callback that was resent by hand has no retries, and is always attempt 1.
  const last = attempts.toSorted((a, b) => b.attempt - a.attempt)[0]
  const delivered = attempts.filter(({ answer }) => isGood(answer)).length
  const result = {
    status,
    attempts: attempts.length,
    delivered,
    answer: last?.answer,
    due: undefined
  }
  if (last === undefined) return { ...result, state: "none" }
  if (delivered > 0) return { ...result, state: "delivered" }
  if (last.answer === "refused") return { ...result, state: "refused" }
  const gap = gaps[last.attempt - 1]
  return gap === undefined
    ? { ...result, state: "dropped" }
    : { ...result, state: "waiting", due: new Date(last.at).getTime() + gap }
}

/**
 * Tells whether a callback of a transaction is not delivered.
 *
 * @param {ReadonlyArray<CallbackState>} callbacks
 */
export const isUndelivered = (callbacks) =>
  callbacks.some(({ state }) => state === "waiting" || state === "dropped" || state === "refused")

/**
 * @param {Transaction} transaction
 * @param {boolean} isFinal
 */
export const describeOutcome = ({ createdTime, declineCode, history, isOver, status }, isFinal) => {
  const at = history.at(-1)?.at ?? createdTime
  const span = new Date(at).getTime() - new Date(createdTime).getTime()
  const after = span === 0 ? "at once" : `${duration(span)} after it was created`
  if (status === "FAILED") {
    return `Declined ${after}${declineCode === undefined ? "" : `, with code ${declineCode}`}.`
  }
  if (isFinal) return `${endings.get(status) ?? status} ${after}.`
  if (status === "CUSTOMER_VERIFICATION") return "It waits for the customer: a challenge is open."
  return isOver
    ? `It stays in ${status}: its scenario has ended.`
    : `It is in progress, now in ${status}.`
}

const endings = new Map([
  ["SUCCEED", "Succeeded"],
  ["CANCELLED", "Cancelled"],
  ["REFUNDED", "Refunded"],
  ["CHARGEBACK", "Charged back"]
])

/**
 * Describes the callbacks of a transaction, and the undelivered ones first.
 *
 * @param {Transaction} transaction
 * @param {ReadonlyArray<CallbackState>} callbacks one for each status it had
 * @param {number} now
 */
export const describeCallbacks = ({ callbackUrl }, callbacks, now) => {
  if (callbackUrl === undefined) return "It has no callbackUrl, so no callback is sent."
  const undelivered = callbacks.filter((callback) => isUndelivered([callback]))
  if (undelivered.length > 0) {
    const alike = Map.groupBy(undelivered, ({ answer, state }) => `${state} ${answer}`)
    return Array.from(alike.values(), (some) => complaint(some, callbacks.length, now)).join(" ")
  }
  const silent = callbacks.filter(({ state }) => state === "none")
  if (silent.length === callbacks.length) return "No callback was sent."
  if (silent.length > 0)
    return `No callback of ${silent.map(({ status }) => status).join(", ")} yet.`
  return callbacks.length === 1
    ? "Its callback was delivered."
    : `All ${callbacks.length} callbacks were delivered.`
}

/**
 * @param {ReadonlyArray<CallbackState>} alike
 * @param {number} of
 * @param {number} now
 */
const complaint = (alike, of, now) => {
  const { answer, state, status, attempts } = alike[0] ?? { status: "", state: "none", attempts: 0 }
  const isOne = alike.length === 1
  const who = isOne ? `The callback of ${status}` : `${alike.length} of ${of} callbacks`
  const problem = `${who} ${describeResult(answer, isOne ? "was" : "were")}`
  if (state === "refused") return `${problem}: the sandbox does not post there.`
  if (state === "dropped") {
    const given = isOne ? `was dropped after ${count(attempts, "attempt")}` : "were dropped"
    return `${problem} and ${given}.`
  }
  const due = Math.min(...alike.map(({ due = Infinity }) => due))
  return `${problem}; the next attempt is due at ${moment(due, now)}.`
}

/**
 * @param {Delivery["answer"] | undefined} answer
 * @param {"was" | "were"} [verb]
 */
export const describeResult = (answer, verb = "was") =>
  typeof answer === "number"
    ? `${verb} answered ${answer}`
    : answer === "timeout"
      ? `${verb} not answered in time`
      : answer === "refused"
        ? `${verb} not posted`
        : "did not reach the receiver"
