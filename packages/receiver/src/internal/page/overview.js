/**
 * The overview: the problems, the figures, the alarms and the secrets.
 */
import { byId, h, instant, renderList, setText } from "@pawl/receiver/page/dom.js"
import { count, dateTime, duration, moment } from "@pawl/receiver/page/format.js"
import { table } from "@pawl/receiver/page/table.js"
import { draw, lastHour } from "./plot.js"
import { maxLag, mostRequests, problemsOf } from "./problems.js"
import { chip, link } from "./marks.js"
/** @import { Overview } from "../admin/Overview.ts" */
/** @import { Plot } from "./plot.js" */
/** @import { Name, Problem } from "./problems.js" */

const minute = 60_000

const alarms = table(
  "alarm-table",
  ["Alarm", "Times", "Last", "Transaction", "Next step"],
  'No alarms since this process started. The guide "Going to production" has the next step for each.',
  (/** @type {Overview["alarms"][number]} */ { reason }) => reason,
  ({ count, lastAt, method, nextStep, reason, transactionId }, now) => [
    reason,
    String(count),
    instant(lastAt, moment(lastAt, now)),
    method === null || transactionId === null ? "" : link({ method, transactionId }),
    nextStep ?? ""
  ]
)

const failing = table(
  "failing-table",
  ["Transaction", "Undelivered status", "Failed calls", "Last"],
  "Every call succeeds.",
  (/** @type {Overview["failing"][number]} */ { method, transactionId }) =>
    `${method}-${transactionId}`,
  ({ attempts, lastAt, to, ...transaction }, now) => [
    link(transaction),
    chip(to),
    String(attempts),
    instant(lastAt, moment(lastAt, now))
  ]
)

const secrets = table(
  "secret-table",
  ["Secret", "Set", "For", "Last callback signed with it"],
  "",
  (/** @type {Overview["secrets"][number] & { readonly last: string | null }} */ { name }) => name,
  ({ isSet, last, name, use }, now) => [
    h("code", {}, [name]),
    h("span", { class: isSet ? "good" : "fine" }, [isSet ? "yes" : "no"]),
    use,
    last === null ? "" : instant(last, moment(last, now))
  ]
)

/** @type {Readonly<Record<string, Name>>} */
const signedWith = {
  PAWL_MERCHANT_SECRET: "acceptedCurrent",
  PAWL_MERCHANT_SECRET_PREVIOUS: "acceptedPrevious",
  // The fields of one of several merchants.
  merchantSecret: "acceptedCurrent",
  merchantSecretPrevious: "acceptedPrevious"
}

/**
 * @param {Overview} overview
 * @param {number | null} parkedRequests null if the store cannot be read
 */
export const show = (overview, parkedRequests) => {
  const now = Date.parse(overview.at)
  const problems = problemsOf(overview, parkedRequests)
  const verdict = byId("verdict", HTMLElement)
  setText(
    verdict,
    problems.length === 0
      ? "Everything works"
      : `${count(problems.length, "problem")} ${problems.length === 1 ? "needs" : "need"} a person`
  )
  verdict.className = problems.some(({ tone }) => tone === "bad")
    ? "bad"
    : problems.length > 0
      ? "warn"
      : "good"
  renderList(byId("problems", HTMLElement), problems, ({ id }) => id, problem)
  renderList(
    byId("figures", HTMLElement),
    figuresOf(overview, parkedRequests),
    ([name]) => name,
    figure
  )
  byId("failing", HTMLElement).hidden = overview.failing.length === 0
  failing(overview.failing, now)
  alarms(overview.alarms, now)
  byId("secrets", HTMLElement).hidden = overview.secrets.length === 0
  secrets(
    overview.secrets.map((secret) => {
      const name = signedWith[secret.name]
      const at = (name && overview.events?.[name].lastAt) ?? null
      return { ...secret, last: at }
    }),
    now
  )
  setText(
    byId("about", HTMLElement),
    `Started ${dateTime(overview.startedAt)}. Confirms ${
      { final: "final statuses", always: "every status", never: "nothing" }[overview.policy]
    } by a read. Due transactions, dead letters and parked requests are those of the store; alarms and the other figures are those of this process.`
  )
}

/** @param {Problem} problem */
const problem = ({ href, id, next, tone, what }) =>
  h("li", { class: tone, "data-testid": `problem-${id}` }, [
    h("strong", {}, [href === undefined ? what : h("a", { href }, [what])]),
    h("span", {}, [next])
  ])

/** @typedef {readonly [name: string, value: string, fine: string, tone?: string | false, plot?: Plot]} Figure */

/**
 * @param {Overview} overview
 * @param {number | null} parkedRequests null if the store cannot be read
 * @returns {ReadonlyArray<Figure>}
 */
const figuresOf = (
  { at, backlog, condition, minutes, oldestDue, reads, startedAt },
  parkedRequests
) => {
  const now = Date.parse(at)
  const hourOf = (/** @type {ReadonlyArray<Name>} */ ...names) =>
    lastHour(now, minutes, ({ counts }) => sum(names.map((name) => counts[name] ?? 0)))
  const since = (/** @type {Array<Name>} */ ...names) => sum(hourOf(...names))
  /** Whether more went wrong than went well in this minute and the one before. */
  const isBad = (/** @type {Array<Name>} */ bad, /** @type {Array<Name>} */ good) =>
    sum(hourOf(...bad).slice(-2)) > sum(hourOf(...good).slice(-2))
  const stored = /** @type {Array<Name>} */ (["acceptedCurrent", "acceptedPrevious"])
  const refused = /** @type {Array<Name>} */ (["refused", "notStored"])
  const age = now - Date.parse(startedAt)
  const start = `since this process started at ${moment(startedAt, now)}`
  const covered = age < 60 * minute ? start : "in the last hour of this process"
  const read = sum(hourOf("answered", "silent").slice(-2))
  const rate = (1000 * read) / Math.max(1000, Math.min(age, minute + (now % minute)))
  /**
   * @param {string} what
   * @param {Array<Name>} good
   * @param {string} wrong
   * @param {Array<Name>} bad
   * @returns {Plot}
   */
  const plot = (what, good, wrong, bad) => {
    const all = hourOf(...good, ...bad)
    const label = `${what} in each minute of the last hour: at most ${Math.max(...all)}, with ${since(...bad)} ${wrong}`
    return { all, bad: hourOf(...bad), label }
  }
  const ages = lastHour(now, oldestDue, ({ seconds }) => seconds)
  return [
    [
      "Store",
      condition.store === "writable" ? "Writable" : "Not writable",
      condition.ready ? "ready for callbacks" : "not ready",
      condition.ready ? "good" : "bad"
    ],
    ...backlogFigures(backlog, {
      all: ages,
      bad: ages.map((seconds) => (seconds > maxLag ? seconds : 0)),
      label: `Age of the oldest due transaction in each minute of the last hour: at most ${duration(1000 * Math.max(...ages))}`
    }),
    parkedRequests === null
      ? ["Parked requests", ...unknown]
      : [
          "Parked requests",
          parkedRequests >= mostRequests ? `${mostRequests} or more` : String(parkedRequests),
          "of all receivers",
          parkedRequests > 0 && "bad"
        ],
    [
      "Callbacks stored",
      String(since(...stored)),
      `${since(...refused)} refused, ${covered}`,
      isBad(refused, stored) && "bad",
      plot("Callbacks", stored, "refused", refused)
    ],
    [
      "Reads answered",
      String(since("answered")),
      `${since("silent")} without an answer, ${covered}`,
      isBad(["silent"], ["answered"]) && "bad",
      plot("Reads", ["answered"], "without an answer", ["silent"])
    ],
    ...(reads === null ? [] : readFigures(reads, rate, start)),
    [
      "Transitions accepted",
      String(since("told")),
      `${since("handlerFailed")} failed, ${covered}`,
      isBad(["handlerFailed"], ["told"]) && "bad",
      plot("Calls of the handler", ["told"], "failed", ["handlerFailed"])
    ],
    [
      "Credentials",
      { accepted: "Accepted", refused: "Refused", unknown: "Not used yet" }[condition.credentials],
      condition.credentials === "unknown"
        ? "the first read shows whether the service accepts them"
        : "by the service, at the last read",
      condition.credentials === "refused" && "bad"
    ]
  ]
}

const unknown = /** @type {const} */ (["?", "the store cannot be read", "bad"])

const sum = (/** @type {ReadonlyArray<number>} */ numbers) => numbers.reduce((a, b) => a + b, 0)

/**
 * @param {Overview["backlog"]} backlog
 * @param {Plot} plot
 * @returns {ReadonlyArray<Figure>}
 */
const backlogFigures = (backlog, plot) => {
  if (backlog === null) {
    return [
      ["Due now", ...unknown],
      ["Dead letters", ...unknown]
    ]
  }
  const { deadLetters, due, oldestDueSeconds } = backlog
  const oldest = `the oldest for ${duration(1000 * oldestDueSeconds)}`
  return [
    [
      "Due now",
      String(due),
      due === 0 ? "no transaction waits" : oldest,
      oldestDueSeconds > maxLag && "bad",
      plot
    ],
    ["Dead letters", String(deadLetters), "of all receivers", deadLetters > 0 && "bad"]
  ]
}

/**
 * @param {NonNullable<Overview["reads"]>} reads
 * @param {number} rate
 * @param {string} start
 * @returns {ReadonlyArray<Figure>}
 */
const readFigures = ({ allowed, limit, oldestPutOffSeconds: late, putOff }, rate, start) => {
  const { ask, repeat, watch } = putOff
  const isLowered = allowed !== limit
  return [
    [
      "Reads per second",
      String(Math.round(10 * rate) / 10),
      allowed === null
        ? "no limit"
        : `${Math.round(10 * allowed) / 10} allowed to all receivers${isLowered ? " after a 429" : ""}`,
      isLowered && "bad"
    ],
    [
      "Reads put off",
      String(ask + repeat + watch),
      late === null
        ? `by the read budget, ${start}`
        : `${ask} of new claims, ${repeat} of open and ${watch} of ended transactions; the oldest is ${duration(1000 * late)} late`,
      late !== null && late > maxLag && "bad"
    ]
  ]
}

/** @param {Figure} figure */
const figure = ([name, value, fine, tone, plot]) =>
  h("div", { "data-testid": `figure-${name.toLowerCase().replaceAll(" ", "-")}` }, [
    h("dt", {}, [name]),
    h("dd", { class: tone }, [value]),
    h("dd", { class: "fine" }, [fine]),
    ...(plot === undefined ? [] : [h("dd", { class: "fine" }, [draw(plot)])])
  ])
