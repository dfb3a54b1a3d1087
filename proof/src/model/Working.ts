/** The steps of a worker. */
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal } from "@pawl/core/Status"
import { shown } from "./Checker.ts"
import { statusOf } from "./Outside.ts"
import { holds, type Setting } from "./Rules.ts"
import {
  fault,
  hasLease,
  type Index,
  type Known,
  protocol,
  type Result,
  type Row,
  type State,
  type Steps,
  type Work,
  type Worker
} from "./State.ts"
import { events, labels } from "./Traces.ts"

type Change = Partial<State>
type Calling = Extract<Work, { readonly stage: "calling" | "committed" }>

const idle: Work = { stage: "idle" }
const done: Work = { stage: "done" }
const recording = (event: string, next: Work = done): Work => ({ stage: "recording", event, next })

const policyOf = (setting: Setting): Evidence.Policy =>
  holds(setting, "confirms") ? "final" : "never"

const withWorker = ({ workers }: State, by: Index, change: Partial<Worker>): Change => {
  const worker = { ...workers[by], ...change }
  const isEnd = worker.pace === "late" && worker.work.stage === "idle"
  const next: Worker = isEnd ? { ...worker, pace: "on time" } : worker
  return { workers: by === 0 ? [next, workers[1]] : [workers[0], next] }
}

export const withWork = (state: State, by: Index, work: Work): Change =>
  withWorker(state, by, { work })

/** Tells whether nothing of a worker is written, because it lost its lease. */
const isFenced = (state: State, by: Index, setting: Setting): boolean =>
  holds(setting, "fencesWrites") && !hasLease(state, by)

/** Writes to the row; without the lease nothing is written, and the work ends. */
const write = (
  state: State,
  by: Index,
  setting: Setting,
  change: Partial<Row>,
  work: Work | ((row: Row) => Work)
): Change => {
  if (state.row === undefined || isFenced(state, by, setting)) return withWork(state, by, idle)
  const row = { ...state.row, ...change }
  return { row, ...withWork(state, by, typeof work === "function" ? work(row) : work) }
}

const nextStanding = (row: Row, seen: Evidence.Evidence, setting: Setting) => {
  const standing = Evidence.standing(seen, row.read, policyOf(setting))
  if (!holds(setting, "tellsStanding")) {
    const status = row.read
    return status === row.told ? undefined : { ...standing, status, confirmed: true }
  }
  const to = Evidence.news(standing, row.told)
  return to === undefined || to === row.parked ? undefined : standing
}

const leased = ({ evidence: seen, isWatched }: Row, read: Known["read"]): Work => ({
  stage: "leased",
  seen,
  isWatched,
  read
})

const searches = (state: State, by: Index, setting: Setting): Steps => {
  const { isAwake, row } = state
  const lease = row?.lease
  const isFast = by === 1 && !holds(setting, "usesLedgerClock")
  const isFree = lease === undefined ? row?.isDue : lease.isOver || isFast
  if (!isAwake) return []
  if (row !== undefined && isFree === true) {
    return [
      protocol("a worker claims the row", {
        row: { ...row, isDue: false, lease: { by, isOver: false } },
        ...withWork(state, by, leased(row, "not asked"))
      })
    ]
  }
  return [
    lease === undefined &&
      (holds(setting, "listensFirst")
        ? protocol("a worker finds nothing and sleeps", { isAwake: false })
        : protocol("a worker finds nothing", withWork(state, by, { stage: "searched" })))
  ]
}

/** Steps of a read: the service may move after it stated a status and before that is written. */
const asks = (state: State, by: Index, setting: Setting, known: Known): Steps => {
  if (known.read !== "not asked") return []
  const asked = (result: Result) =>
    withWork(state, by, recording(events.read(result), { ...known, stage: "answered", result }))
  const old = setting.path[state.moves - 2] ?? "404"
  return [
    protocol("the service states its status", asked(statusOf(setting, state) ?? "404")),
    { ...fault("the service states an old status", asked(old)), isRecorded: true },
    { ...fault("the service does not answer a read", asked("no answer")), isRecorded: true }
  ]
}

const writesRead = (
  state: State,
  by: Index,
  setting: Setting,
  { result, seen }: Known & { readonly result: Result }
): Steps => {
  const isAnswer = result !== "404" && result !== "no answer"
  const known = holds(setting, "joinsEvidence") ? (state.row?.evidence ?? Evidence.none) : seen
  const change = isAnswer && {
    evidence: Evidence.join(known, Evidence.confirmed(result)),
    read: result,
    ...(state.row?.read !== result && { isWatched: true })
  }
  const next = write(state, by, setting, { ...change }, (row) =>
    leased(row, isAnswer ? "answered" : "no answer")
  )
  return [protocol(`the read of ${result} is written`, next)]
}

const calls = (state: State, by: Index, setting: Setting, { seen }: Known): Steps => {
  const { row } = state
  const standing = row && nextStanding(row, seen, setting)
  if (standing === undefined || isFenced(state, by, setting)) return []
  const { status: to } = standing
  const called = write(state, by, setting, { failing: to }, { stage: "calling", standing })
  return [
    shown(protocol(labels.ofWorker(by, events.called(to)), called)),
    row?.failing === to &&
      protocol(
        `a worker parks the row at ${to}`,
        write(state, by, setting, { parked: to }, recording(events.parked))
      )
  ]
}

const endsCall = (state: State, by: Index, setting: Setting, work: Calling): Steps => {
  const { standing } = work
  const { status: to } = standing
  const told = { told: to, failing: undefined, parked: undefined }
  const mark = write(state, by, setting, told, recording(events.told(to, standing)))
  if (work.stage === "committed") return [protocol(`${to} is marked told`, mark)]
  const effects = to === undefined ? {} : { committed: [...state.committed, to] }
  const label = labels.ofWorker(by, events.committed(to))
  const apart = withWork(state, by, { ...work, stage: "committed" })
  const failed = holds(setting, "retriesCalls")
    ? withWork(state, by, recording(events.failed(to)))
    : mark
  return [
    !holds(setting, "commitsWithMark")
      ? shown(protocol(label, { ...effects, ...apart }))
      : isFenced(state, by, setting)
        ? protocol(`the commit of ${to} is refused`, mark)
        : shown(protocol(label, { ...effects, ...mark })),
    { ...fault(`the handler fails at ${to}`, failed), isRecorded: true }
  ]
}

const plansMore = (row: Row, { isWatched, read, seen }: Known, setting: Setting): boolean => {
  const policy = policyOf(setting)
  const { status } = Evidence.standing(seen, row.read, policy)
  const isEnded = status !== undefined && isTerminal(status)
  const isPlanned = !isEnded || (isWatched && holds(setting, "watches"))
  const isUnread = read !== "answered" && Evidence.unsettled(seen, row.read, policy).length > 0
  return (
    isUnread ||
    (isPlanned && holds(setting, "readsUnasked")) ||
    nextStanding(row, seen, setting) !== undefined
  )
}

const releases = (state: State, by: Index, setting: Setting, work?: Known): Steps => {
  const { row } = state
  if (row === undefined) return []
  const { evidence: seen, isWatched } = row
  const known = work ?? { seen, isWatched, read: "not asked" }
  const isDue = (row.isDue && holds(setting, "keepsDue")) || plansMore(row, known, setting)
  const status = statusOf(setting, state)
  const isCurrent = row.told === status || row.parked === status
  const isTold = isCurrent && nextStanding(row, seen, setting) === undefined
  const released = (change: Partial<Row>): Change => ({
    ...write(state, by, setting, { lease: undefined, isDue, ...change }, idle),
    isAwake: true
  })
  return [
    protocol("a worker releases the row", released({})),
    isTold &&
      isWatched &&
      isDue &&
      hasLease(state, by) &&
      fault(
        "a worker releases the row, and one more read is planned",
        released({ isWatched: false })
      )
  ]
}

/** A process stalls and goes on, or ends. */
const pauses = (state: State, by: Index, setting: Setting): Steps => {
  const { isOrphaned, row, workers } = state
  const { stage } = workers[by].work
  const isOwner = hasLease(state, by)
  const isCalling = stage === "calling" || stage === "committed"
  const ended = (lease: Row["lease"]): Change => ({
    ...withWorker(state, by, { pace: "on time", work: idle }),
    row: row && isOwner ? { ...row, lease, isDue: row.isDue || lease === undefined } : row,
    isOrphaned: isOrphaned || (isCalling && isOwner)
  })
  return [
    fault("a worker stalls", withWorker(state, by, { pace: "stalled" })),
    shown(fault(labels.ended(by), ended({ by: "dead", isOver: false }))),
    !holds(setting, "keepsTurn") &&
      fault("the process of a worker stops and releases the row", ended(undefined))
  ]
}

const ofWork = (state: State, by: Index, setting: Setting, work: Work): Steps => {
  switch (work.stage) {
    case "leased":
      return [
        ...asks(state, by, setting, work),
        ...calls(state, by, setting, work),
        ...releases(state, by, setting, work)
      ]
    case "recording": {
      const recorded = protocol(labels.ofWorker(by, work.event), withWork(state, by, work.next))
      return [{ ...shown(recorded), isAtOnce: true }]
    }
    case "answered":
      return writesRead(state, by, setting, work)
    case "calling":
    case "committed":
      return endsCall(state, by, setting, work)
    case "done":
      return releases(state, by, setting)
    case "idle":
    case "searched":
      return []
  }
}

export const ofWorker = (state: State, by: Index, setting: Setting): Steps => {
  const { row } = state
  const { pace, work } = state.workers[by]
  const isOwner = hasLease(state, by)
  if (pace === "stalled") {
    return [
      protocol("a stalled worker goes on", {
        row: row && isOwner ? { ...row, lease: { by, isOver: false } } : row,
        ...withWorker(state, by, { pace: isOwner ? "on time" : "late" })
      })
    ]
  }
  if (work.stage === "idle") return searches(state, by, setting)
  if (work.stage === "searched") {
    return [protocol("a worker sleeps", { isAwake: false, ...withWork(state, by, idle) })]
  }
  return [
    ...ofWork(state, by, setting, work),
    isFenced(state, by, setting) &&
      protocol("a worker that lost its lease stops", withWork(state, by, idle)),
    ...pauses(state, by, setting)
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
      shown(
        protocol(labels.leaseTime, {
          row: { ...row, lease: { ...lease, isOver: true } },
          isOrphaned: false
        })
      ),
    parked !== undefined && shown(protocol(labels.redriven, { row: open, isAwake: true }))
  ]
}
