/**
 * The overview: the problems, the figures, the alarms and the secrets.
 */
import { byId, h, renderList, setText } from "@pawl/receiver/page/dom.js"
import { count, dateTime, duration, moment } from "@pawl/receiver/page/format.js"
import { problemsOf } from "./problems.js"
import { chip, link, table } from "./table.js"
/** @import { Name, Overview, Problem } from "./problems.js" */

/** The time over which events are counted for the figures, in milliseconds. */
const span = 60_000

/** The overviews of the last minute, the oldest first. @type {Array<Overview>} */
const samples = []

const alarms = table(
  "alarm-table",
  ["Alarm", "Times", "Last", "Transaction", "Next step"],
  "No alarm since this process started.",
  (/** @type {Overview["alarms"][number] & { readonly now: number }} */ { reason }) => reason,
  ({ count, lastAt, method, nextStep, now, reason, transactionId }) => [
    reason,
    String(count),
    moment(lastAt, now),
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
    moment(lastAt, now)
  ]
)

const secrets = table(
  "secret-table",
  ["Secret", "Set", "For", "Last callback signed with it"],
  "",
  (/** @type {Overview["secrets"][number] & { readonly last: string }} */ { name }) => name,
  ({ isSet, last, name, use }) => [
    h("code", {}, [name]),
    h("span", { class: isSet ? "good" : "fine" }, [isSet ? "yes" : "no"]),
    use,
    last
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
    ({ name }) => name,
    figure
  )
  byId("failing", HTMLElement).hidden = overview.failing.length === 0
  failing(overview.failing.map((one) => ({ ...one, now })))
  alarms(overview.alarms.map((alarm) => ({ ...alarm, now })))
  secrets(
    overview.secrets.map((secret) => {
      const name = signedWith[secret.name]
      const at = name === undefined ? null : (overview.events?.[name].lastAt ?? null)
      return { ...secret, last: at === null ? "" : moment(at, now) }
    })
  )
  setText(
    byId("about", HTMLElement),
    `This process runs since ${dateTime(overview.startedAt)}. It confirms ${
      { final: "final statuses", always: "every status", never: "nothing" }[overview.policy] ??
      overview.policy
    } by a read. Calls, reads, alarms and callbacks are those of this process; the backlog is that of the store.`
  )
}

/** @param {Problem} problem */
const problem = ({ href, id, next, tone, what }) =>
  h("li", { class: tone, "data-testid": `problem-${id}` }, [
    h("strong", {}, [href === undefined ? what : h("a", { href }, [what])]),
    h("span", {}, [next])
  ])

/**
 * @typedef {{
 *   readonly name: string
 *   readonly value: string
 *   readonly fine: string
 *   readonly tone?: string | undefined
 * }} Figure
 */

/**
 * @param {Overview} overview
 * @param {number} parkedRequests
 * @returns {ReadonlyArray<Figure>}
 */
const figuresOf = ({ at, backlog, condition, events, reads, startedAt }, parkedRequests) => {
  const since = (/** @type {Name} */ name) =>
    (events?.[name].count ?? 0) - (samples[0]?.events?.[name].count ?? 0)
  const accepted = since("acceptedCurrent") + since("acceptedPrevious")
  const oldest = Math.max(Date.parse(startedAt), Date.parse(samples[0]?.at ?? at))
  const time = Math.max(1000, Date.parse(at) - oldest)
  const covered = duration(time)
  const bad = (/** @type {boolean} */ isBad) => (isBad ? "bad" : undefined)
  const unknown = { value: "?", fine: "the store cannot be read", tone: "bad" }
  return [
    {
      name: "Store",
      value: condition.store === "writable" ? "Writable" : "Not writable",
      fine: condition.ready ? "ready for callbacks" : "not ready",
      tone: condition.ready ? "good" : "bad"
    },
    {
      name: "Due now",
      ...(backlog === null
        ? unknown
        : {
            value: String(backlog.due),
            fine:
              backlog.due === 0
                ? "no transaction waits"
                : `the oldest for ${duration(1000 * backlog.oldestDueSeconds)}`,
            tone: bad(backlog.oldestDueSeconds > 300)
          })
    },
    {
      name: "Dead letters",
      ...(backlog === null
        ? unknown
        : {
            value: String(backlog.deadLetters),
            fine: "of all receivers",
            tone: bad(backlog.deadLetters > 0)
          })
    },
    {
      name: "Parked requests",
      value: parkedRequests >= 100 ? "100 or more" : String(parkedRequests),
      fine: "of all receivers",
      tone: bad(parkedRequests > 0)
    },
    {
      name: "Callbacks stored",
      value: String(accepted),
      fine: `in ${covered}; ${since("refused") + since("notStored")} refused`,
      tone: bad(since("refused") + since("notStored") > accepted)
    },
    {
      name: "Reads answered",
      value: String(since("answered")),
      fine: `in ${covered}; ${since("silent")} without an answer`,
      tone: bad(since("silent") > since("answered"))
    },
    ...(reads === null ? [] : readFigures(reads, samples[0]?.reads ?? reads, time)),
    {
      name: "Transitions told",
      value: String(since("told")),
      fine: `in ${covered}; ${since("handlerFailed")} failed`,
      tone: bad(since("handlerFailed") > since("told"))
    },
    {
      name: "Credentials",
      value: { accepted: "Accepted", refused: "Refused" }[condition.credentials] ?? "Not used yet",
      fine: "by the service, at the last read",
      tone: bad(condition.credentials === "refused")
    }
  ]
}

/**
 * @typedef {NonNullable<Overview["reads"]>} Reads
 */

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
    {
      name: "Reads a second",
      value: String(Math.round((10_000 * (now.sent - before.sent)) / time) / 10),
      fine:
        allowed === null
          ? "no limit"
          : `${Math.round(10 * allowed) / 10} allowed to all receivers${isLowered ? " after a 429" : ""}`,
      tone: isLowered ? "bad" : undefined
    },
    {
      name: "Reads put off",
      value: String(ask + repeat + watch),
      fine:
        late === null
          ? `in ${duration(time)}, by the read budget`
          : `${ask} of new claims, ${repeat} of open and ${watch} of ended transactions; the oldest is ${duration(1000 * late)} late`,
      tone: ask > 0 ? "bad" : undefined
    }
  ]
}

/** @param {Figure} figure */
const figure = ({ fine, name, tone, value }) =>
  h("div", { "data-testid": `figure-${name.toLowerCase().replaceAll(" ", "-")}` }, [
    h("dt", {}, [name]),
    h("dd", { class: tone }, [value]),
    h("dd", { class: "fine" }, [fine])
  ])
