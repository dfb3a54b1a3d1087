/**
 * The overview: the problems, the figures, the alarms and the secrets.
 */
import { byId, h, instant, renderList, setText } from "@pawl/receiver/page/dom.js"
import { count, dateTime, duration, moment } from "@pawl/receiver/page/format.js"
import { problemsOf } from "./problems.js"
import { chip, link, table } from "./table.js"
/** @import { Overview } from "../admin/Overview.ts" */
/** @import { Name, Problem } from "./problems.js" */

/** The time over which events are counted for the figures, in milliseconds. */
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
  ["Transaction", "Status to be told", "Failed calls", "Last"],
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
    `This process runs since ${dateTime(overview.startedAt)}. It confirms ${
      { final: "final statuses", always: "every status", never: "nothing" }[overview.policy]
    } by a read. Calls, reads, alarms and callbacks are those of this process; the backlog is that of the store.`
  )
}

/** @param {Problem} problem */
const problem = ({ href, id, next, tone, what }) =>
  h("li", { class: tone, "data-testid": `problem-${id}` }, [
    h("strong", {}, [href === undefined ? what : h("a", { href }, [what])]),
    h("span", {}, [next])
  ])

/** @typedef {readonly [name: string, value: string, fine: string, tone?: string | false]} Figure */

/**
 * @param {Overview} overview
 * @param {number} parkedRequests
 * @returns {ReadonlyArray<Figure>}
 */
const figuresOf = ({ at, backlog, condition, events, reads, startedAt }, parkedRequests) => {
  const since = (/** @type {Name} */ name) =>
    (events?.[name].count ?? 0) - (samples[0]?.events?.[name].count ?? 0)
  const accepted = since("acceptedCurrent") + since("acceptedPrevious")
  const refused = since("refused") + since("notStored")
  const oldest = Math.max(Date.parse(startedAt), Date.parse(samples[0]?.at ?? at))
  const time = Math.max(1000, Date.parse(at) - oldest)
  const covered = duration(time)
  return [
    [
      "Store",
      condition.store === "writable" ? "Writable" : "Not writable",
      condition.ready ? "ready for callbacks" : "not ready",
      condition.ready ? "good" : "bad"
    ],
    ...backlogFigures(backlog),
    [
      "Parked requests",
      parkedRequests >= 100 ? "100 or more" : String(parkedRequests),
      "of all receivers",
      parkedRequests > 0 && "bad"
    ],
    [
      "Callbacks stored",
      String(accepted),
      `in ${covered}; ${refused} refused`,
      refused > accepted && "bad"
    ],
    [
      "Reads answered",
      String(since("answered")),
      `in ${covered}; ${since("silent")} without an answer`,
      since("silent") > since("answered") && "bad"
    ],
    ...(reads === null ? [] : readFigures(reads, samples[0]?.reads ?? reads, time)),
    [
      "Transitions told",
      String(since("told")),
      `in ${covered}; ${since("handlerFailed")} failed`,
      since("handlerFailed") > since("told") && "bad"
    ],
    [
      "Credentials",
      { accepted: "Accepted", refused: "Refused", unknown: "Not used yet" }[condition.credentials],
      "by the service, at the last read",
      condition.credentials === "refused" && "bad"
    ]
  ]
}

/**
 * @param {Overview["backlog"]} backlog
 * @returns {ReadonlyArray<Figure>}
 */
const backlogFigures = (backlog) => {
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
      oldestDueSeconds > 300 && "bad"
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
const figure = ([name, value, fine, tone]) =>
  h("div", { "data-testid": `figure-${name.toLowerCase().replaceAll(" ", "-")}` }, [
    h("dt", {}, [name]),
    h("dd", { class: tone }, [value]),
    h("dd", { class: "fine" }, [fine])
  ])
