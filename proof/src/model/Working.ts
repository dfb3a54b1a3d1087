/** The steps of a worker. */
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal } from "@pawl/core/Status"
import { changed, type Index } from "./Checker.ts"
import { statusOf } from "./Outside.ts"
import { holds, type Rule, type Setting } from "./Rules.ts"
import { fault, hasLease, protocol, seen } from "./State.ts"
import type { Known, Result, Row, State, Steps, Work, Worker } from "./State.ts"
import { events, labels } from "./Traces.ts"

type Change = Partial<State>
type Calling = Extract<Work, { readonly stage: "calling" | "committed" }>

const idle: Work = { stage: "idle" }
const done: Work = { stage: "done" }

/** Returns what the steps of a worker that has a row need. */
const viewOf = (state: State, by: Index, setting: Setting, row: Row) => {
  const isOwner = hasLease(state, by)
  const rule = (name: Rule) => holds(setting, name)
  // Nothing of a worker that lost its lease is written.
  const isFenced = rule("fencesWrites") && !isOwner
  const go = (work: Work) => withWorker(state, by, { work })
  const standingOf = (row: Row, seen: Evidence.Evidence) =>
    Evidence.standing(seen, row.read, rule("confirms") ? "final" : "never")
  return {
    state,
    status: statusOf(setting, state),
    row,
    isOwner,
    isFenced,
    rule,
    go,
    standingOf,
    /** Writes to the row; without the lease nothing is written, and the work ends. */
    write: (change: Partial<Row>, work: Work): Change =>
      isFenced ? go(idle) : { row: { ...row, ...change }, ...go(work) },
    shows: (event: string, change: Change) => seen(labels.ofWorker(by, event), change),
    /** The standing of which the handler is to be told. */
    news: (seen: Evidence.Evidence) => {
      const standing = standingOf(row, seen)
      if (!rule("tellsStanding")) {
        const status = row.read
        return status === row.told ? undefined : { ...standing, status, confirmed: true }
      }
      const to = Evidence.news(standing, row.told)
      return to === undefined || to === row.parked ? undefined : standing
    }
  }
}

type View = ReturnType<typeof viewOf>

export const withWorker = ({ workers }: State, by: Index, change: Partial<Worker>): Change => {
  const { pace, work } = { ...workers[by], ...change }
  const isEnd = pace === "late" && work.stage === "idle"
  return { workers: changed(workers, by, { work, pace: isEnd ? "on time" : pace }) }
}

const leased = ({ evidence: seen, isWatched }: Row, read: Known["read"]): Work => ({
  stage: "leased",
  seen,
  isWatched,
  read
})

const recording = (event: string, next: Work = done): Work => ({ stage: "recording", event, next })

const searches = (state: State, by: Index, setting: Setting): Steps => {
  const { isAwake, row } = state
  const lease = row?.lease
  const isFast = by === 1 && !holds(setting, "usesLedgerClock")
  const isFree = lease === undefined ? row?.isDue : lease.isOver || isFast
  if (!isAwake) return []
  if (row !== undefined && isFree === true) {
    const claimed: Row = { ...row, isDue: false, lease: { by, isOver: false } }
    const work = leased(row, "not asked")
    return [
      protocol("a worker claims the row", { row: claimed, ...withWorker(state, by, { work }) })
    ]
  }
  if (lease !== undefined) return []
  const searched = withWorker(state, by, { work: { stage: "searched" } })
  return [
    holds(setting, "listensFirst")
      ? protocol("a worker finds nothing and sleeps", { isAwake: false })
      : protocol("a worker finds nothing", searched)
  ]
}

/** Steps of a read: the service may move after it stated a status and before that is written. */
const asks = ({ go, state, status }: View, known: Known, { path }: Setting): Steps => {
  if (known.read !== "not asked") return []
  const asked = (result: Result) =>
    go(recording(events.read(result), { ...known, stage: "answered", result }))
  const old = path[state.moves - 2] ?? "404"
  return [
    protocol("the service states its status", asked(status ?? "404")),
    { ...fault("the service states an old status", asked(old)), isRecorded: true },
    { ...fault("the service does not answer a read", asked("no answer")), isRecorded: true }
  ]
}

/** The row may have evidence that the worker does not know before its next write. */
const writesRead = ({ row, rule, write }: View, result: Result, seen: Evidence.Evidence) => {
  const name = `the read of ${result} is written`
  if (result === "404" || result === "no answer")
    return protocol(name, write({}, leased({ ...row, evidence: seen }, "no answer")))
  const confirmed = Evidence.confirmed(result)
  const change = {
    evidence: Evidence.join(rule("joinsEvidence") ? row.evidence : seen, confirmed),
    read: result,
    isWatched: row.isWatched || row.read !== result
  }
  const known = { ...row, ...change, evidence: Evidence.join(seen, confirmed) }
  return protocol(name, write(change, leased(known, "answered")))
}

const calls = ({ isFenced, news, row, shows, write }: View, known: Known): Steps => {
  const standing = news(known.seen)
  if (standing === undefined || isFenced) return []
  const { status: to } = standing
  return [
    shows(events.called(to), write({ failing: to }, { stage: "calling", standing })),
    row.failing === to &&
      protocol(`a worker parks the row at ${to}`, write({ parked: to }, recording(events.parked)))
  ]
}

const endsCall = ({ go, isFenced, rule, shows, state, write }: View, work: Calling): Steps => {
  const { standing } = work
  const { status: to } = standing
  const told = { told: to, failing: undefined, parked: undefined }
  const mark = write(told, recording(events.told(to, standing)))
  if (work.stage === "committed") return [protocol(`${to} is marked told`, mark)]
  const effects = to !== undefined && { committed: [...state.committed, to] }
  const isApart = !rule("commitsWithMark")
  const end = isApart ? go({ ...work, stage: "committed" }) : mark
  const failed = rule("retriesCalls") ? go(recording(events.failed(to))) : mark
  return [
    isFenced && !isApart
      ? protocol(`the commit of ${to} is refused`, mark)
      : shows(events.committed(to), { ...effects, ...end }),
    { ...fault(`the handler fails at ${to}`, failed), isRecorded: true }
  ]
}

const releases = (view: View, known: Known): Steps => {
  const { isOwner, news, row, rule, standingOf, status, write } = view
  const { status: seen } = standingOf(row, known.seen)
  const isEnded = seen !== undefined && isTerminal(seen)
  const isPlanned = !isEnded || (known.isWatched && rule("watches"))
  const policy = rule("confirms") ? "final" : "never"
  const isUnread =
    known.read !== "answered" && Evidence.unsettled(known.seen, row.read, policy).length > 0
  const isDue =
    (row.isDue && rule("keepsDue")) ||
    isUnread ||
    (isPlanned && rule("readsUnasked")) ||
    news(known.seen) !== undefined
  const isCurrent = row.told === status || row.parked === status
  const isTold = isCurrent && news(row.evidence) === undefined
  const released = (change: Partial<Row> = {}): Change => ({
    ...write({ lease: undefined, isDue, ...change }, idle),
    isAwake: true
  })
  const name = "a worker releases the row"
  return [
    protocol(name, released()),
    isTold &&
      row.isWatched &&
      isDue &&
      isOwner &&
      fault(`${name}, and one more read is planned`, released({ isWatched: false }))
  ]
}

/** A process stalls, or ends. */
const pauses = ({ isOwner, row, rule, state }: View, by: Index): Steps => {
  const { stage } = state.workers[by].work
  const isCalling = stage === "calling" || stage === "committed"
  const ended = (lease: Row["lease"]): Change => ({
    ...withWorker(state, by, { pace: "on time", work: idle }),
    row: isOwner ? { ...row, lease, isDue: row.isDue || lease === undefined } : row,
    isOrphaned: state.isOrphaned || (isCalling && isOwner)
  })
  return [
    fault("a worker stalls", withWorker(state, by, { pace: "stalled" })),
    fault(labels.ended(by), ended({ by: "dead", isOver: false }), labels.ended(by)),
    !rule("keepsTurn") &&
      fault("the process of a worker stops and releases the row", ended(undefined))
  ]
}

const ofWork = (view: View, work: Work, setting: Setting): Steps => {
  const { go, row, shows } = view
  switch (work.stage) {
    case "leased":
      return [...asks(view, work, setting), ...calls(view, work), ...releases(view, work)]
    case "recording":
      return [{ ...shows(work.event, go(work.next)), isAtOnce: true }]
    case "answered":
      return [writesRead(view, work.result, work.seen)]
    case "calling":
    case "committed":
      return endsCall(view, work)
    case "done": {
      const { evidence, isWatched } = row
      return releases(view, { seen: evidence, isWatched, read: "not asked" })
    }
    case "idle":
    case "searched":
      return []
  }
}

export const ofWorker = (state: State, by: Index, setting: Setting): Steps => {
  const { row } = state
  const { pace, work } = state.workers[by]
  if (work.stage === "searched") {
    const slept = withWorker(state, by, { work: idle })
    return [protocol("a worker sleeps", { isAwake: false, ...slept })]
  }
  if (work.stage === "idle" || row === undefined) return searches(state, by, setting)
  const view = viewOf(state, by, setting, row)
  const { go, isFenced, isOwner } = view
  if (pace === "stalled") {
    return [
      protocol("a stalled worker goes on", {
        row: isOwner ? { ...row, lease: { by, isOver: false } } : row,
        ...withWorker(state, by, { pace: isOwner ? "on time" : "late" })
      })
    ]
  }
  return [
    ...ofWork(view, work, setting),
    isFenced && protocol("a worker that lost its lease stops", go(idle)),
    ...pauses(view, by)
  ]
}

/** A lease that nobody renews ends, and a person redrives a dead letter. */
export const ofTime = ({ row, workers }: State, setting: Setting): Steps => {
  if (row === undefined) return []
  const { isDue, lease, parked } = row
  const isRenewed =
    lease?.by === "dead"
      ? !holds(setting, "endsLeases")
      : lease && workers[lease.by].pace !== "stalled" && holds(setting, "renewsLeases")
  const open = {
    ...row,
    parked: undefined,
    failing: undefined,
    isDue: isDue || holds(setting, "redriveIsDue")
  }
  return [
    lease?.isOver === false &&
      isRenewed !== true &&
      seen(labels.leaseTime, {
        row: { ...row, lease: { ...lease, isOver: true } },
        isOrphaned: false
      }),
    parked !== undefined && seen(labels.redriven, { row: open, isAwake: true })
  ]
}
