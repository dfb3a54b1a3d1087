/**
 * The problems that a person should know, from an overview: the most urgent first, each with the next step.
 */
import { count, duration, dateTime } from "@pawl/receiver/page/format.js"

/** @typedef {{ readonly count: number, readonly lastAt: string | null }} Event */

/** @typedef {"acceptedCurrent" | "acceptedPrevious" | "refused" | "notStored" | "answered" | "silent" | "denied" | "told" | "handlerFailed"} Name */

/**
 * An overview, as `GET /overview` returns it.
 *
 * @typedef {{
 *   readonly at: string
 *   readonly startedAt: string
 *   readonly policy: string
 *   readonly condition: {
 *     readonly ready: boolean
 *     readonly store: string
 *     readonly worker: string
 *     readonly credentials: string
 *     readonly clock: string
 *   }
 *   readonly backlog: {
 *     readonly due: number
 *     readonly oldestDueSeconds: number
 *     readonly deadLetters: number
 *   } | null
 *   readonly reads: {
 *     readonly limit: number | null
 *     readonly allowed: number | null
 *     readonly sent: number
 *     readonly putOff: Readonly<Record<"ask" | "repeat" | "watch", number>>
 *     readonly oldestPutOffSeconds: number | null
 *   } | null
 *   readonly events: Readonly<Record<Name, Event>> | null
 *   readonly alarms: ReadonlyArray<{
 *     readonly reason: string
 *     readonly count: number
 *     readonly lastAt: string
 *     readonly method: string | null
 *     readonly transactionId: string | null
 *     readonly nextStep: string | null
 *   }>
 *   readonly failing: ReadonlyArray<{
 *     readonly method: string
 *     readonly transactionId: string
 *     readonly to: string
 *     readonly attempts: number
 *     readonly lastAt: string
 *   }>
 *   readonly secrets: ReadonlyArray<{
 *     readonly name: string
 *     readonly isSet: boolean
 *     readonly use: string
 *   }>
 * }} Overview
 */

/**
 * A problem. `tone` is `bad` if work stands still or money waits, else `warn`.
 *
 * @typedef {{
 *   readonly id: string
 *   readonly tone: "bad" | "warn"
 *   readonly what: string
 *   readonly next: string
 *   readonly href?: string
 * }} Problem
 */

/** The most failing transactions that a process keeps. */
const mostFailing = 50
/** A row that waits longer than this, in seconds, is a problem. */
const maxLag = 300
/** The service does not answer if no read was answered for this time before the last silent one, in milliseconds. */
const silence = 10_000
/** A refusal older than this, in milliseconds, is only in the list of alarms. */
const recent = 10 * 60_000

/**
 * @param {Overview} overview
 * @param {number} parkedRequests
 * @returns {ReadonlyArray<Problem>}
 */
export const problemsOf = (
  { at, backlog, condition, events, failing, reads, secrets },
  parkedRequests
) => {
  const now = Date.parse(at)
  const [current = "PAWL_MERCHANT_SECRET", previous = "PAWL_MERCHANT_SECRET_PREVIOUS"] =
    secrets.map(({ name }) => name)
  const time = (/** @type {Name} */ name) => Date.parse(events?.[name].lastAt ?? "") || -Infinity
  const isRecent = (/** @type {Name} */ name) => time(name) > now - recent
  const accepted = Math.max(time("acceptedCurrent"), time("acceptedPrevious"))
  /** @type {Array<Problem | undefined>} */
  const all = [
    condition.store !== "writable"
      ? {
          id: "store",
          tone: "bad",
          what: "The store cannot be written: callbacks are answered 503.",
          next: "Check the disk, locks and PostgreSQL. The service sends each callback again for 62 minutes, so until then nothing is lost."
        }
      : undefined,
    condition.store === "writable" && isRecent("notStored") && time("notStored") > accepted
      ? {
          id: "not-stored",
          tone: "bad",
          what: `Callbacks are answered 503, and none was stored${
            accepted === -Infinity ? "" : ` since ${dateTime(accepted)}`
          }.`,
          next: "Check the disk of the database: it may have no room for new rows. The service sends each callback again for 62 minutes, and this disappears with the first callback that is stored."
        }
      : undefined,
    condition.worker === "ending"
      ? {
          id: "ending",
          tone: "warn",
          what: "This process is about to end.",
          next: "Look at the page of the process that replaces it."
        }
      : undefined,
    condition.credentials === "refused"
      ? {
          id: "credentials",
          tone: "bad",
          what: "The service refuses the merchant key or the merchant secret: nothing can be confirmed.",
          next: `Compare the merchant key and ${current} with those of the operator, correct them, and start the receiver again. Callbacks are stored meanwhile.`
        }
      : time("silent") > time("answered") + silence
        ? {
            id: "silent",
            tone: "bad",
            what: `The service does not answer${
              time("answered") === -Infinity ? "" : ` since ${dateTime(time("answered"))}`
            }: final statuses wait for their confirmation.`,
            next: "Ask the operator of the service. Do not restart the receiver: it reads again by itself, and callbacks are stored meanwhile."
          }
        : undefined,
    isRecent("refused") && time("refused") > accepted
      ? {
          id: "refused",
          tone: "bad",
          what: `Callbacks are refused with 401, and none was accepted${
            accepted === -Infinity ? "" : ` since ${dateTime(accepted)}`
          }.`,
          next: `Compare ${current} with the secret of the operator. After a rotation set the old one as ${previous}. Start the receiver again within 62 minutes, and every callback comes again.`
        }
      : undefined,
    failing.length > 0
      ? {
          id: "handler",
          tone: "bad",
          what: `The handler fails for ${count(failing.length, "transaction")}${failing.length >= mostFailing ? " or more" : ""}, listed below.`,
          next: "Correct the application: the log has the reason. Nothing is to be redriven yet: each call is made again for 24 hours, at least every 5 minutes."
        }
      : undefined,
    condition.clock === "differs"
      ? {
          id: "clock",
          tone: "warn",
          what: "The clocks of this machine and of the database differ by more than 5 seconds.",
          next: "Synchronise them. Work goes on with the clock of the database."
        }
      : undefined,
    (reads?.oldestPutOffSeconds ?? 0) > maxLag
      ? {
          id: "reads",
          tone: "warn",
          what: `The read budget is too small for the reads that are due: the oldest one is late by ${duration(
            1000 * (reads?.oldestPutOffSeconds ?? 0)
          )}.`,
          next: "Reads of new claims go first, and the others follow. If the operator of the service allows more, raise PAWL_READS_PER_SECOND."
        }
      : undefined,
    (backlog?.oldestDueSeconds ?? 0) > maxLag
      ? {
          id: "lag",
          tone: "bad",
          what: `${count(backlog?.due ?? 0, "transaction")} wait for work, the oldest for ${duration(
            1000 * (backlog?.oldestDueSeconds ?? 0)
          )}.`,
          next: "If nothing else is listed here, no worker runs: look at the log of every receiver."
        }
      : undefined,
    (backlog?.deadLetters ?? 0) > 0
      ? {
          id: "dead-letters",
          tone: "warn",
          what: `${count(backlog?.deadLetters ?? 0, "dead letter")} ${
            backlog?.deadLetters === 1 ? "waits" : "wait"
          } for a person.`,
          next: "Act on each by its reason.",
          href: "#/dead-letters"
        }
      : undefined,
    parkedRequests > 0
      ? {
          id: "requests",
          tone: "warn",
          what: `${count(parkedRequests, "parked request")} ${
            parkedRequests === 1 ? "waits" : "wait"
          } for a person.`,
          next: "Ask the service whether each had an effect.",
          href: "#/requests"
        }
      : undefined
  ]
  return all.flatMap((problem) => problem ?? [])
}
