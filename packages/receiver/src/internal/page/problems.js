/**
 * The problems that a person should know, from an overview: the most urgent first, each with the next step.
 */
import { count, duration, dateTime } from "@pawl/receiver/page/format.js"
import { hrefOf } from "./marks.js"

/** @import { Overview } from "../admin/Overview.ts" */
/** @typedef {keyof NonNullable<Overview["events"]>} Name */

/**
 * A problem. `tone` is `bad` if work stands still or money waits, else `warn`.
 *
 * @typedef {{
 *   readonly id: string
 *   readonly tone: "bad" | "warn"
 *   readonly what: string
 *   readonly next: string
 *   readonly href: string | undefined
 * }} Problem
 */

/** The most failing transactions that a process keeps. */
const mostFailing = 50
/** The most parked requests that the page reads. */
export const mostRequests = 100
/** A row that waits longer than this, in seconds, is a problem. */
export const maxLag = 300
/** The service does not answer if no read was answered for this time before the last silent one, in milliseconds. */
const silence = 10_000
/**
 * A refusal older than this, in milliseconds, is only in the list of alarms. The service repeats a callback after 32 minutes at
 * most.
 */
const recent = 35 * 60_000
/** An alarm older than this, in milliseconds, is only in the list of alarms. */
const aDay = 24 * 60 * 60_000
/** The beginnings of the alarms whose condition is a problem of its own, which ends when the condition does. */
const conditions = [
  "callbacks are refused with 401",
  "callbacks are answered with 503",
  "the worker makes no progress",
  "a transaction cannot be written",
  "the service refuses the merchant key",
  "a dead letter",
  "the clocks of this machine",
  "more work falls due than is done"
]

/**
 * @param {Overview} overview
 * @param {number | null} parkedRequests
 * @returns {ReadonlyArray<Problem>}
 */
export const problemsOf = (
  { alarms, at, backlog, condition, events, failing, notStored, progress, reads, secrets },
  parkedRequests
) => {
  const now = Date.parse(at)
  const [current = "PAWL_MERCHANT_SECRET", previous = "PAWL_MERCHANT_SECRET_PREVIOUS"] =
    secrets.map(({ name }) => name)
  const time = (/** @type {Name} */ name) => Date.parse(events?.[name].lastAt ?? "") || -Infinity
  const isRecent = (/** @type {Name} */ name) => time(name) > now - recent
  const since = (/** @type {number} */ last) =>
    last === -Infinity ? "" : ` since ${dateTime(last)}`
  const accepted = Math.max(time("acceptedCurrent"), time("acceptedPrevious"))
  const late = reads?.oldestPutOffSeconds ?? 0
  const { deadLetters = 0, due = 0, oldestDueSeconds = 0 } = backlog ?? {}
  const wait = (/** @type {number} */ n, /** @type {string} */ noun, isAll = true) =>
    `${isAll ? "" : "At least "}${count(n, noun)} ${n === 1 ? "waits" : "wait"} for a person.`
  /** @type {Array<Problem>} */
  const problems = []
  /**
   * @param {Problem["tone"]} tone
   * @param {string} id
   * @param {string} what
   * @param {string} next
   * @param {string} [href]
   */
  const add = (tone, id, what, next, href) => problems.push({ id, tone, what, next, href })

  if (condition.store !== "writable") {
    add(
      "bad",
      "store",
      `The store cannot be written${notStored === null ? "" : ` (${notStored})`}: callbacks are answered 503.`,
      "Check the disk, locks and PostgreSQL. The service retries each callback for 62 minutes, so nothing is lost until then."
    )
  } else if (isRecent("notStored") && time("notStored") > accepted) {
    add(
      "bad",
      "not-stored",
      `Callbacks are answered 503, and none has been stored${since(accepted)}.`,
      "Check the disk of the database: it may have no room for new rows. The service retries each callback for 62 minutes, and this problem disappears with the first callback that is stored."
    )
  }
  if ((backlog === null || parkedRequests === null) && condition.store === "writable") {
    add(
      "bad",
      "unread",
      "The store cannot be read, so the open work is not known.",
      "Check the rights of the database role and the load of the database. The log has the cause."
    )
  }
  if (condition.worker === "no progress") {
    add(
      "bad",
      "no-progress",
      `The worker makes no progress: ${progress?.cause ?? "the log has the cause"}.`,
      "Correct the cause. Callbacks are stored meanwhile, and the handler is called afterwards."
    )
  } else if ((progress?.notWritten ?? 0) > 0) {
    add(
      "bad",
      "not-written",
      `${count(progress?.notWritten ?? 0, "transaction")} cannot be written.`,
      "The log and `GET /overview` name them and the cause. Once it is corrected, their work continues."
    )
  }
  if (condition.worker === "ending") {
    add(
      "warn",
      "ending",
      "This process is stopping.",
      "Look at the page of the process that replaces it."
    )
  }
  if (condition.credentials === "refused") {
    add(
      "bad",
      "credentials",
      "The service refuses the merchant key or the merchant secret: nothing can be confirmed.",
      `Compare the merchant key and ${current} with the operator's, correct them, and restart the receiver. Callbacks are stored meanwhile.`
    )
  } else if (time("silent") > time("answered") + silence) {
    add(
      "bad",
      "silent",
      `The service has not answered${since(time("answered"))}: final statuses wait for confirmation.`,
      "Ask the operator of the service. Do not restart the receiver: it retries the reads, and stores callbacks meanwhile."
    )
  }
  if (isRecent("refused") && time("refused") > accepted) {
    add(
      "bad",
      "refused",
      `Callbacks are refused with 401, and none has been accepted${since(accepted)}.`,
      `Compare ${current} with the operator's secret. After a rotation, set the old one as ${previous}. Restart the receiver within 62 minutes: the service retries every callback until then.`
    )
  }
  if (failing.length > 0) {
    add(
      "bad",
      "handler",
      `The handler fails for ${count(failing.length, "transaction")}${failing.length >= mostFailing ? " or more" : ""}, listed below.`,
      "Correct the application: the log has the reason. Redrive nothing yet: each call is retried for 24 hours, at least every 5 minutes."
    )
  }
  if (condition.clock === "differs") {
    add(
      "warn",
      "clock",
      "The clocks of this machine and of the database differ by more than 5 seconds.",
      "Synchronise them. Work continues with the database's clock."
    )
  }
  if (late > maxLag) {
    add(
      "warn",
      "reads",
      `The read budget is too small for the reads that are due: the oldest one is late by ${duration(1000 * late)}.`,
      "Reads of new claims go first, and the others follow. If the operator of the service allows more, raise PAWL_READS_PER_SECOND."
    )
  }
  if (oldestDueSeconds > maxLag) {
    add(
      "bad",
      "lag",
      `${count(due, "transaction")} ${due === 1 ? "waits" : "wait"} for work, the oldest for ${duration(1000 * oldestDueSeconds)}.`,
      "If nothing else is listed here, no worker runs: look at the log of every receiver."
    )
  }
  if (deadLetters > 0) {
    add(
      "warn",
      "dead-letters",
      wait(deadLetters, "dead letter"),
      "Act on the reason of each.",
      "#/dead-letters"
    )
  }
  if (parkedRequests !== null && parkedRequests > 0) {
    add(
      "warn",
      "requests",
      wait(parkedRequests, "parked request", parkedRequests < mostRequests),
      "Ask the service whether each had an effect.",
      "#/requests"
    )
  }
  for (const { count: times, lastAt, method, nextStep, reason, transactionId } of alarms) {
    if (Date.parse(lastAt) < now - aDay || conditions.some((each) => reason.startsWith(each))) {
      continue
    }
    const about = transactionId === null ? "" : `, transaction ${transactionId}`
    add(
      "warn",
      `alarm-${reason}`,
      `Alarm: ${reason} (${count(times, "time")}, last ${dateTime(lastAt)}${about}).`,
      `Next step: ${nextStep ?? "look at the log"}.`,
      method === null || transactionId === null ? undefined : hrefOf({ method, transactionId })
    )
  }
  return problems.toSorted((one, two) => one.tone.localeCompare(two.tone))
}
