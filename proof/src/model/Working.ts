import type { Standing } from "@pawl/core/Evidence"
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal } from "@pawl/core/Status"
import { changed, type Index } from "./Checker.ts"
import { statusOf } from "./Outside.ts"
import type { Setting } from "./Rules.ts"
import { fault, hasLease, protocol, seen } from "./State.ts"
import type { Change, Read, Result, Row, State, Steps, Work, Worker } from "./State.ts"
import { toldText } from "./Traces.ts"

const idle: Work = { stage: "idle" }
const done: Work = { stage: "done" }

export const withWorker = ({ workers }: State, by: Index, change: Partial<Worker>): Change => {
  const { pace, work } = { ...workers[by], ...change }
  const isEnd = pace === "late" && work.stage === "idle"
  return { workers: changed(workers, by, { work, pace: isEnd ? "on time" : pace }) }
}

const recording = (event: string, next: Work = done): Work => ({ stage: "recording", event, next })

const searches = (state: State, by: Index, { without }: Setting): Steps => {
  const { isAwake, row } = state
  if (!isAwake) return []
  const sleeps = protocol("a worker finds nothing and sleeps", { isAwake: false })
  const isFree = row?.lease === undefined || row.lease.isOver || without === "usesLedgerClock"
  if (row === undefined || (row.lease === undefined && !row.isDue)) return [sleeps]
  const known: Row = { ...row, isDue: false, lease: undefined }
  const leased = withWorker(state, by, { work: { stage: "leased", known, read: "not asked" } })
  const claimed: Row = { ...known, lease: { by, isOver: false } }
  return [
    isFree && protocol("a worker claims the row", { row: claimed, ...leased }),
    // The row became due after the search.
    row.lease === undefined && without === "listensFirst" && sleeps
  ]
}

export const ofWorker = (state: State, by: Index, setting: Setting): Steps => {
  const { row, workers } = state
  const { pace, work } = workers[by]
  const { without } = setting
  if (row === undefined || work.stage === "idle") return searches(state, by, setting)
  const status = statusOf(setting, state)
  const isOwner = hasLease(state, by)
  // Nothing of a worker that lost its lease is written.
  const isFenced = !isOwner && without !== "fencesWrites"
  const policy = without === "confirms" ? "never" : "final"
  const go = (work: Work) => withWorker(state, by, { work })
  const shows = (event: string, change: Change) => seen(`worker ${by} ${event}`, change)
  /** Writes to the row; without the lease nothing is written, and the work ends. */
  const write = (change: Partial<Row>, work: Work): Change =>
    isFenced ? go(idle) : { row: { ...row, ...change }, ...go(work) }
  const standingOf = ({ evidence, read }: Row) => Evidence.standing(evidence, read, policy)
  /** The standing of which the handler is to be told. */
  const news = (known: Row) => {
    const { parked, read: status, told } = known
    const standing = standingOf(known)
    if (without === "tellsStanding")
      return status === told ? undefined : { ...standing, status, confirmed: true }
    const to = Evidence.news(standing, told)
    return to === undefined || to === parked ? undefined : standing
  }

  /** Steps of a read: the service may move after it stated a status and before that is written. */
  const asks = (known: Row): Steps => {
    const asked = (result: Result) =>
      go(recording(`read ${result}`, { stage: "answered", known, result }))
    const old = setting.path[state.moves - 2] ?? "no answer"
    return [
      protocol("the service states its status", asked(status ?? "no answer")),
      { ...fault("the service states an old status", asked(old)), isRecorded: true },
      { ...fault("the service does not answer a read", asked("no answer")), isRecorded: true }
    ]
  }

  /** The row may have evidence that the worker does not know before its next write. */
  const writesRead = (known: Row, result: Result) => {
    const name = `the read of ${result} is written`
    if (result === "no answer")
      return protocol(name, write({}, { stage: "leased", known, read: "no answer" }))
    const confirmed = Evidence.join(known.evidence, Evidence.confirmed(result))
    const evidence =
      without === "joinsEvidence" ? confirmed : Evidence.join(row.evidence, confirmed)
    const change = { read: result, isWatched: row.isWatched || known.read !== result }
    const after: Row = { ...known, ...change, evidence: confirmed }
    const work: Work = { stage: "leased", known: after, read: "answered" }
    return protocol(name, write({ ...change, evidence }, work))
  }

  const calls = (known: Row): Steps => {
    const standing = news(known)
    if (standing === undefined || isFenced) return []
    const { status: to } = standing
    return [
      protocol(
        `a worker writes down the call for ${to}`,
        write({ failing: to }, recording(`called for ${to}`, { stage: "calling", standing }))
      ),
      known.failing === to &&
        protocol(`a worker parks the row at ${to}`, write({ parked: to }, recording("parked")))
    ]
  }

  const endsCall = (standing: Standing): Steps => {
    const { status: to } = standing
    const told = { told: to, failing: undefined, parked: undefined }
    const mark = write(told, recording(toldText(to, standing)))
    const effects = to !== undefined && { committed: [...state.committed, to] }
    const failed = without === "retriesCalls" ? mark : go(recording(`failed at ${to}`))
    return [
      isFenced
        ? protocol(`the commit of ${to} is refused`, mark)
        : shows(`committed ${to}`, { ...effects, ...mark }),
      without === "commitsWithMark" &&
        fault(`the effects of ${to} commit without the mark`, { ...effects, ...go(done) }),
      { ...fault(`the handler fails at ${to}`, failed), isRecorded: true }
    ]
  }

  const releases = (known: Row, read: Read): Steps => {
    const { status: standing } = standingOf(known)
    const isEnded = standing !== undefined && isTerminal(standing)
    const isPlanned = !isEnded || (known.isWatched && without !== "watches")
    const unsettled = Evidence.unsettled(known.evidence, known.read, policy)
    const isDue =
      (row.isDue && without !== "keepsDue") ||
      (read !== "answered" && unsettled.length > 0) ||
      (isPlanned && without !== "readsUnasked") ||
      news(known) !== undefined
    const isCurrent = row.told === status || row.parked === status
    const isTold = isCurrent && news(row) === undefined
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

  const ofWork = (): Steps => {
    switch (work.stage) {
      case "leased":
        return [
          ...(work.read === "not asked" ? asks(work.known) : []),
          ...calls(work.known),
          ...releases(work.known, work.read)
        ]
      case "recording":
        return [{ ...shows(work.event, go(work.next)), isAtOnce: true }]
      case "answered":
        return [writesRead(work.known, work.result)]
      case "calling":
        return endsCall(work.standing)
      case "done":
        return releases(row, "not asked")
    }
  }

  const ended = (lease: Row["lease"]): Change => ({
    ...withWorker(state, by, { pace: "on time", work: idle }),
    row: isOwner ? { ...row, lease, isDue: row.isDue || lease === undefined } : row,
    isOrphaned: state.isOrphaned || (isOwner && work.stage === "calling")
  })
  if (pace === "stalled") {
    const renewed = isOwner && { row: { ...row, lease: { by, isOver: false } } }
    const on = withWorker(state, by, { pace: isOwner ? "on time" : "late" })
    return [protocol("a stalled worker goes on", { ...renewed, ...on })]
  }
  return [
    ...ofWork(),
    isFenced && protocol("a worker that lost its lease stops", go(idle)),
    fault("a worker stalls", withWorker(state, by, { pace: "stalled" })),
    // Without an answer its work ends, and its lease runs out.
    ...[`receiver ${by} ended`, `the store gave worker ${by} no answer`].map((name) =>
      seen(name, ended({ by: "dead", isOver: false }), "fault")
    ),
    without === "keepsTurn" &&
      fault("the process of a worker stops and releases the row", ended(undefined))
  ]
}

/** A lease that nobody renews ends, and a person redrives a dead letter. */
export const ofTime = ({ row, workers }: State, { without }: Setting): Steps => {
  if (row === undefined) return []
  const { isDue, lease, parked } = row
  const isRenewed =
    lease?.by === "dead"
      ? without === "endsLeases"
      : lease && workers[lease.by].pace !== "stalled" && without !== "renewsLeases"
  const isEnding = lease?.isOver === false && isRenewed !== true
  const isFree = lease === undefined || without !== "redrivesLeased"
  const redriven = { isDue: isDue || (isFree && without !== "redriveIsDue") }
  const open = { ...redriven, parked: undefined, failing: undefined }
  return [
    isEnding &&
      seen("the time of a lease passed", {
        row: { ...row, lease: { ...lease, isOver: true } },
        isOrphaned: false
      }),
    parked !== undefined && seen("redriven", { row: { ...row, ...open }, isAwake: true })
  ]
}
