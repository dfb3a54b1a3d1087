/** The steps of a worker. */
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal } from "@pawl/core/Status"
import { fault, protocol, type Step } from "./Checker.ts"
import { statusOf } from "./Outside.ts"
import { holds, type Setting } from "./Rules.ts"
import type { Index, Known, Result, Row, State, Work, Worker } from "./State.ts"
import { labels } from "./Step.ts"

type Steps = ReadonlyArray<Step<State>>

const policyOf = (setting: Setting): Evidence.Policy =>
  holds(setting, "confirms") ? "final" : "never"

const withWorker = (state: State, by: Index, change: Partial<Worker>): State => {
  const worker = { ...state.workers[by], ...change }
  const isEnd = worker.pace === "late" && worker.work.stage === "idle"
  const next: Worker = isEnd ? { ...worker, pace: "on time" } : worker
  const [one, two] = state.workers
  return { ...state, workers: by === 0 ? [next, two] : [one, next] }
}

export const withWork = (state: State, by: Index, work: Work): State =>
  withWorker(state, by, { work })

const hasLease = ({ row }: State, by: Index): boolean => row?.lease?.by === by

/** Writes to the row; without the lease nothing is written, and the work ends. */
const write = (
  state: State,
  by: Index,
  setting: Setting,
  change: Partial<Row>,
  work: (row: Row) => Work
): State => {
  const { row } = state
  if (row === undefined || (holds(setting, "fencesWrites") && !hasLease(state, by))) {
    return withWork(state, by, { stage: "idle" })
  }
  const written = { ...row, ...change }
  return withWork({ ...state, row: written }, by, work(written))
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
  if (!isAwake) return []
  const lease = row?.lease
  const isFast = by === 1 && !holds(setting, "usesLedgerClock")
  if (row !== undefined && (lease === undefined ? row.isDue : lease.isOver || isFast)) {
    const next: State = { ...state, row: { ...row, isDue: false, lease: { by, isOver: false } } }
    return [protocol("a worker claims the row", withWork(next, by, leased(row, "not asked")))]
  }
  if (lease !== undefined) return []
  return holds(setting, "listensFirst")
    ? [protocol("a worker finds nothing and sleeps", { ...state, isAwake: false })]
    : [protocol("a worker finds nothing", withWork(state, by, { stage: "searched" }))]
}

/** Steps of a read: the service may move after it stated a status and before that is written. */
const reads = (state: State, by: Index, setting: Setting): Steps => {
  const { work } = state.workers[by]
  if (work.stage === "leased" && work.read === "not asked") {
    const { path } = setting
    const asked = (result: Result): State =>
      withWork(state, by, { ...work, stage: "asked", result })
    const more = { isRecorded: true }
    const old = path[state.moves - 2] ?? "404"
    return [
      protocol("the service states its status", asked(statusOf(setting, state) ?? "404")),
      ...fault("the service states an old status", state, asked(old), more),
      ...fault("the service does not answer a read", state, asked("no answer"), more)
    ]
  }
  if (work.stage === "asked") {
    const next = withWork(state, by, { ...work, stage: "answered" })
    const label = labels.read(by, work.result)
    return [protocol("the read is recorded", next, { label, isAtOnce: true })]
  }
  if (work.stage !== "answered") return []
  const { result, seen } = work
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

const calls = (state: State, by: Index, setting: Setting): Steps => {
  const { committed, row } = state
  const { work } = state.workers[by]
  if (row === undefined) return []
  // Without the lease the effects are refused with the mark.
  const isFenced = holds(setting, "fencesWrites") && !hasLease(state, by)
  const record = (name: string, label: string) => {
    const done = withWork(state, by, { stage: "done" })
    return [protocol(`${name} is recorded`, done, { label, isAtOnce: true })]
  }
  switch (work.stage) {
    case "leased": {
      const standing = nextStanding(row, work.seen, setting)
      if (standing === undefined || isFenced) return []
      const to = standing.status
      const called = write(state, by, setting, { failing: to }, () => ({
        stage: "calling",
        standing
      }))
      const label = labels.called(by, to)
      const call = protocol(`a worker calls the handler for ${to}`, called, { label })
      if (row.failing !== to) return [call]
      const parked = write(state, by, setting, { parked: to }, () => ({ stage: "parked" }))
      return [call, protocol(`a worker parks the row at ${to}`, parked)]
    }
    case "parked":
      return record("the dead letter", labels.parked(by))
    case "failed":
      return record("the failure", labels.failed(by, work.standing.status))
    case "told":
      return record("the transition", labels.told(by, work.standing.status, work.standing))
    case "calling":
    case "committed": {
      const { status: to } = work.standing
      const effects: State = to === undefined ? state : { ...state, committed: [...committed, to] }
      const told = { told: to, failing: undefined, parked: undefined }
      const mark = (from: State) =>
        write(from, by, setting, told, () => ({ ...work, stage: "told" }))
      if (work.stage === "committed") return [protocol(`${to} is marked told`, mark(state))]
      const label = labels.committed(by, to)
      const end = !holds(setting, "commitsWithMark")
        ? protocol(
            `the effects of ${to} commit without the mark`,
            withWork(effects, by, { ...work, stage: "committed" }),
            { label }
          )
        : isFenced
          ? protocol(`the commit of ${to} is refused`, mark(state))
          : protocol(`the effects and the mark of ${to} commit`, mark(effects), { label })
      const failed = holds(setting, "retriesCalls")
        ? withWork(state, by, { ...work, stage: "failed" })
        : mark(state)
      return [end, ...fault(`the handler fails at ${to}`, state, failed, { isRecorded: true })]
    }
    case "idle":
    case "searched":
    case "asked":
    case "answered":
    case "done":
      return []
  }
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

const ends = (state: State, by: Index, setting: Setting): Steps => {
  const { row } = state
  const { work } = state.workers[by]
  const steps: Array<Step<State>> = []
  if (row !== undefined && (work.stage === "leased" || work.stage === "done")) {
    const { evidence: seen, isWatched } = row
    const known: Known = work.stage === "leased" ? work : { seen, isWatched, read: "not asked" }
    const isDue = (row.isDue && holds(setting, "keepsDue")) || plansMore(row, known, setting)
    const released = (change: Partial<Row>): State => ({
      ...write(state, by, setting, { lease: undefined, isDue, ...change }, () => ({
        stage: "idle"
      })),
      isAwake: true
    })
    steps.push(protocol("a worker releases the row", released({})))
    const status = statusOf(setting, state)
    const isCurrent = row.told === status || row.parked === status
    const isTold = isCurrent && nextStanding(row, seen, setting) === undefined
    if (isTold && isWatched && isDue && hasLease(state, by)) {
      const next = released({ isWatched: false })
      steps.push(...fault("a worker releases the row, and one more read is planned", state, next))
    }
  }
  if (holds(setting, "fencesWrites") && !hasLease(state, by)) {
    const next = withWork(state, by, { stage: "idle" })
    steps.push(protocol("a worker that lost its lease stops", next))
  }
  return steps
}

/** A process stalls and goes on, or ends. */
const pauses = (state: State, by: Index, setting: Setting): Steps => {
  const { row } = state
  const { stage } = state.workers[by].work
  const isOwner = hasLease(state, by)
  const isCalling = stage === "calling" || stage === "committed"
  const ended = (lease: Row["lease"]): State => ({
    ...withWorker(state, by, { pace: "on time", work: { stage: "idle" } }),
    row: row && isOwner ? { ...row, lease, isDue: row.isDue || lease === undefined } : row,
    isOrphaned: state.isOrphaned || (isCalling && isOwner)
  })
  const killed = ended({ by: "dead", isOver: false })
  return [
    ...fault("a worker stalls", state, withWorker(state, by, { pace: "stalled" })),
    ...fault("the process of a worker is killed", state, killed, { label: labels.ended(by) }),
    ...(holds(setting, "keepsTurn")
      ? []
      : fault("the process of a worker stops and releases the row", state, ended(undefined)))
  ]
}

export const ofWorker = (state: State, by: Index, setting: Setting): Steps => {
  const { row } = state
  const { pace, work } = state.workers[by]
  const isOwner = hasLease(state, by)
  if (pace === "stalled") {
    const renewed: State =
      isOwner && row ? { ...state, row: { ...row, lease: { by, isOver: false } } } : state
    const next = withWorker(renewed, by, { pace: isOwner ? "on time" : "late" })
    return [protocol("a stalled worker goes on", next)]
  }
  if (work.stage === "idle") return searches(state, by, setting)
  if (work.stage === "searched") {
    const next = withWork({ ...state, isAwake: false }, by, { stage: "idle" })
    return [protocol("a worker sleeps", next)]
  }
  return [
    ...reads(state, by, setting),
    ...calls(state, by, setting),
    ...ends(state, by, setting),
    ...pauses(state, by, setting)
  ]
}

/** A lease that nobody renews ends, and a person redrives a dead letter. */
export const ofTime = (state: State, setting: Setting): Steps => {
  const { row, workers } = state
  if (row === undefined) return []
  const { lease, parked } = row
  const steps: Array<Step<State>> = []
  if (lease !== undefined && !lease.isOver) {
    const { by } = lease
    const isRenewed =
      by === "dead"
        ? !holds(setting, "endsLeases")
        : workers[by].pace !== "stalled" && holds(setting, "renewsLeases")
    const over: Row = { ...row, lease: { by, isOver: true } }
    const label = labels.leaseTime
    if (!isRenewed) {
      steps.push(
        protocol("the lease runs out", { ...state, row: over, isOrphaned: false }, { label })
      )
    }
  }
  if (parked === undefined) return steps
  const isDue = row.isDue || holds(setting, "redriveIsDue")
  const open: Row = { ...row, parked: undefined, failing: undefined, isDue }
  const next: State = { ...state, row: open, isAwake: true }
  return [...steps, protocol("a person redrives the dead letter", next, { label: labels.redriven })]
}
