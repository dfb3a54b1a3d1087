/**
 * The overview: the problems, the figures, the alarms and the secrets.
 */
import { byId, h, instant, renderList, setText } from "@pawl/receiver/page/dom.js"
import { count, dateTime, duration, moment } from "@pawl/receiver/page/format.js"
import { draw, lastHour } from "./plot.js"
import { problemsOf } from "./problems.js"
import { chip, link, table } from "./table.js"
/** @import { Overview } from "../admin/Overview.ts" */
/** @import { Plot } from "./plot.js" */
/** @import { Name, Problem } from "./problems.js" */

/** The time over which the rate of reads is measured, in milliseconds. */
const span = 60_000

/** The overviews of the last minute, the oldest first. @type {Array<Overview>} */
const samples = []

const alarms = table(
  "alarm-table",
  ["Alarm", "Times", "Last", "Transaction", "Next step"],
  'No alarm since this process started. The guide "On call" has what to do at each.',
  (/** @type {Overview["alarms"][number] & { readonly now: number }} */ { reason }) => reason,
  ({ count, lastAt, method, nextStep, now, reason, transactionId }) => [
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
  (
    /** @type {Overview["failing"][number] & { readonly now: number }} */ { method, transactionId }
  ) => `${method}-${transactionId}`,
  ({ attempts, lastAt, now, to, ...transaction }) => [
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
  (
    /** @type {Overview["secrets"][number] & { readonly last: string | null, readonly now: number }} */ {
      name
    }
  ) => name,
  ({ isSet, last, name, now, use }) => [
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
 * Shows an overview.
 *
 * @param {Overview} overview
 * @param {number} parkedRequests
 */
export const show = (overview, parkedRequests) => {
  const now = Date.parse(overview.at)
  while (samples[0] !== undefined && Date.parse(samples[0].at) < now - span) samples.shift()
  samples.push(overview)
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
  failing(overview.failing.map((one) => ({ ...one, now })))
  alarms(overview.alarms.map((alarm) => ({ ...alarm, now })))
  secrets(
    overview.secrets.map((secret) => {
      const name = signedWith[secret.name]
      const at = (name && overview.events?.[name].lastAt) ?? null
      return { ...secret, last: at, now }
    })
  )
  setText(
    byId("about", HTMLElement),
    `Started ${dateTime(overview.startedAt)}. Confirms ${
      { final: "final statuses", always: "every status", never: "nothing" }[overview.policy]
    } by a read. Calls, reads, alarms and callbacks are those of this process, the plots cover its last hour; the backlog is that of the store.`
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
 * @param {number} parkedRequests
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
  const covered = duration(Math.min(60 * 60_000, Math.max(1000, now - Date.parse(startedAt))))
  const oldest = Math.max(Date.parse(startedAt), Date.parse(samples[0]?.at ?? at))
  const time = Math.max(1000, now - oldest)
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
      bad: ages.map((seconds) => (seconds > 300 ? seconds : 0)),
      label: `Age of the oldest due transaction in each minute of the last hour: at most ${duration(1000 * Math.max(...ages))}`
    }),
    [
      "Parked requests",
      parkedRequests >= 100 ? "100 or more" : String(parkedRequests),
      "of all receivers",
      parkedRequests > 0 && "bad"
    ],
    [
      "Callbacks stored",
      String(since(...stored)),
      `in ${covered}; ${since(...refused)} refused`,
      isBad(refused, stored) && "bad",
      plot("Callbacks", stored, "refused", refused)
    ],
    [
      "Reads answered",
      String(since("answered")),
      `in ${covered}; ${since("silent")} without an answer`,
      isBad(["silent"], ["answered"]) && "bad",
      plot("Reads", ["answered"], "without an answer", ["silent"])
    ],
    ...(reads === null ? [] : readFigures(reads, samples[0]?.reads ?? reads, time)),
    [
      "Transitions accepted",
      String(since("told")),
      `in ${covered}; ${since("handlerFailed")} failed`,
      isBad(["handlerFailed"], ["told"]) && "bad",
      plot("Calls of the handler", ["told"], "failed", ["handlerFailed"])
    ],
    [
      "Credentials",
      { accepted: "Accepted", refused: "Refused", unknown: "Not used yet" }[condition.credentials],
      "by the service, at the last read",
      condition.credentials === "refused" && "bad"
    ]
  ]
}

const sum = (/** @type {ReadonlyArray<number>} */ numbers) => numbers.reduce((a, b) => a + b, 0)

/**
 * @param {Overview["backlog"]} backlog
 * @param {Plot} plot
 * @returns {ReadonlyArray<Figure>}
 */
const backlogFigures = (backlog, plot) => {
  const unknown = /** @type {const} */ (["?", "the store cannot be read", "bad"])
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
      oldestDueSeconds > 300 && "bad",
      plot
    ],
    ["Dead letters", String(deadLetters), "of all receivers", deadLetters > 0 && "bad"]
  ]
}

/** @typedef {NonNullable<Overview["reads"]>} Reads */

/**
 * @param {Reads} now
 * @param {Reads} before
 * @param {number} time
 * @returns {ReadonlyArray<Figure>}
 */
const readFigures = (now, before, time) => {
  const { allowed, limit, oldestPutOffSeconds: late } = now
  const since = (/** @type {keyof Reads["putOff"]} */ lane) =>
    now.putOff[lane] - before.putOff[lane]
  const [ask, repeat, watch] = [since("ask"), since("repeat"), since("watch")]
  const isLowered = allowed !== limit
  return [
    [
      "Reads a second",
      String(Math.round((10_000 * (now.sent - before.sent)) / time) / 10),
      allowed === null
        ? "no limit"
        : `${Math.round(10 * allowed) / 10} allowed to all receivers${isLowered ? " after a 429" : ""}`,
      isLowered && "bad"
    ],
    [
      "Reads put off",
      String(ask + repeat + watch),
      late === null
        ? `in ${duration(time)}, by the read budget`
        : `${ask} of new claims, ${repeat} of open and ${watch} of ended transactions; the oldest is ${duration(1000 * late)} late`,
      ask > 0 && "bad"
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
