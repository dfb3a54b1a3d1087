/**
 * What happened to a transaction, in a sentence or two.
 */
import { count, duration, moment } from "./format.js"
/** @import { Delivery } from "../../Courier.ts" */
/** @import { Facts } from "../../Console.ts" */
/** @import { Transaction } from "../../Gateway.ts" */

/**
 * How the callbacks of one status fare. `due` is when the next try is, in milliseconds.
 *
 * @typedef {{
 *   readonly status: string
 *   readonly tries: number
 *   readonly state: "none" | "delivered" | "waiting" | "dropped" | "refused"
 *   readonly answer: Delivery["answer"] | undefined
 *   readonly due: number | undefined
 * }} Fate
 */

/**
 * Tells whether an answer ends a callback's tries well.
 *
 * @param {Delivery["answer"]} answer
 */
export const isGood = (answer) => typeof answer === "number" && answer >= 200 && answer < 300

/**
 * Tells whether the merchant got an error; 0 is a connection that was broken off.
 *
 * @param {number} status
 */
export const isBad = (status) => status === 0 || status >= 400

/**
 * Returns how the callbacks of a status fare; forgeries are not the sandbox's own and do not count.
 *
 * @param {string} status
 * @param {ReadonlyArray<Delivery>} deliveries of the transaction
 * @param {Facts["retryGaps"]} gaps
 * @returns {Fate}
 */
export const fate = (status, deliveries, gaps) => {
  const tries = deliveries.filter((delivery) => delivery.status === status && !delivery.forged)
  // What is sent again by hand is on no ladder, and a first try each time.
  const last = tries.toSorted((a, b) => b.attempt - a.attempt)[0]
  const told = { status, tries: tries.length, answer: last?.answer, due: undefined }
  if (last === undefined) return { ...told, state: "none" }
  if (tries.some(({ answer }) => isGood(answer))) return { ...told, state: "delivered" }
  if (last.answer === "refused") return { ...told, state: "refused" }
  const gap = gaps[last.attempt - 1]
  return gap === undefined
    ? { ...told, state: "dropped" }
    : { ...told, state: "waiting", due: new Date(last.at).getTime() + gap }
}

/**
 * Tells whether something is wrong with the callbacks of a transaction.
 *
 * @param {ReadonlyArray<Fate>} fates
 */
export const isTroubled = (fates) =>
  fates.some(({ state }) => state === "waiting" || state === "dropped" || state === "refused")

/**
 * Writes what became of a transaction.
 *
 * @param {Transaction} transaction
 * @param {boolean} isFinal
 */
export const outcome = ({ createdTime, declineCode, history, isOver, status }, isFinal) => {
  const at = history.at(-1)?.at ?? createdTime
  const span = new Date(at).getTime() - new Date(createdTime).getTime()
  const after = span === 0 ? "at once" : `${duration(span)} after it was created`
  if (status === "FAILED") {
    return `Declined ${after}${declineCode === undefined ? "" : `, with code ${declineCode}`}.`
  }
  if (isFinal) return `${endings.get(status) ?? status} ${after}.`
  if (status === "CUSTOMER_VERIFICATION") return "Waits for the customer: a challenge is open."
  return isOver
    ? `Stays in ${status}: nothing more happens by itself.`
    : `On its way, in ${status} now.`
}

const endings = new Map([
  ["SUCCEED", "Succeeded"],
  ["CANCELLED", "Cancelled"],
  ["REFUNDED", "Refunded"],
  ["CHARGEBACK", "Charged back"]
])

/**
 * Writes what became of its callbacks: what is wrong first.
 *
 * @param {Transaction} transaction
 * @param {ReadonlyArray<Fate>} fates one for each status it had
 * @param {number} now
 */
export const told = ({ callbackUrl }, fates, now) => {
  if (callbackUrl === undefined) return "No callbackUrl was given, so nobody is told."
  const trouble = fates.filter((fate) => isTroubled([fate]))
  if (trouble.length > 0) {
    const alike = Map.groupBy(trouble, ({ answer, state }) => `${state} ${answer}`)
    return Array.from(alike.values(), (some) => complaint(some, fates.length, now)).join(" ")
  }
  const silent = fates.filter(({ state }) => state === "none")
  if (silent.length === fates.length) return "No callback has set out."
  if (silent.length > 0)
    return `No callback of ${silent.map(({ status }) => status).join(", ")} yet.`
  return fates.length === 1
    ? "Its callback was delivered."
    : `All ${fates.length} callbacks were delivered.`
}

/**
 * @param {ReadonlyArray<Fate>} alike
 * @param {number} of
 * @param {number} now
 */
const complaint = (alike, of, now) => {
  const { answer, state, status, tries } = alike[0] ?? { status: "", state: "none", tries: 0 }
  const isOne = alike.length === 1
  const who = isOne ? `The callback of ${status}` : `${alike.length} of ${of} callbacks`
  const met = `${who} ${answered(answer, isOne ? "was" : "were")}`
  if (state === "refused") return `${met}: the sandbox does not post there.`
  if (state === "dropped") {
    const given = isOne ? `was dropped after ${count(tries, "try", "tries")}` : "were dropped"
    return `${met} and ${given}.`
  }
  const due = Math.min(...alike.map(({ due = Infinity }) => due))
  return `${met}; the next try is due at ${moment(due, now)}.`
}

/**
 * Writes what came of a try.
 *
 * @param {Delivery["answer"] | undefined} answer
 * @param {"was" | "were"} [verb]
 */
export const answered = (answer, verb = "was") =>
  typeof answer === "number"
    ? `${verb} answered ${answer}`
    : answer === "timeout"
      ? `${verb} not answered in time`
      : answer === "refused"
        ? `${verb} not posted`
        : "reached nobody"
