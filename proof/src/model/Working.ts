/**
 * The steps of a worker: it leases the row, reads the status, calls the handler, and releases the row.
 */
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal } from "@pawl/core/Status"
import { statusOf } from "./Outside.ts"
import { pauses } from "./Pauses.ts"
import type { Rules } from "./Rules.ts"
import type { Index, Result, Row, State, Work } from "./State.ts"
import { labels, type Setting, type Step } from "./Step.ts"
import { withWork, write } from "./Write.ts"

/** Returns the standing that the handler is told next; undefined if there is nothing to tell. */
const nextStanding = (row: Row, seen: Evidence.Evidence, { policy, toldBy }: Rules) => {
  const standing = Evidence.standing(seen, row.read, policy)
  if (toldBy === "last read") {
    const status = row.read
    return status === row.told ? undefined : { ...standing, status, confirmed: true }
  }
  const to = Evidence.news(standing, row.told)
  return to === undefined || to === row.parked ? undefined : standing
}

const mayRead = ({ told }: Row, seen: Evidence.Evidence, { policy, reads }: Rules): boolean =>
  reads === "always" ||
  (reads === "until an end" && (told === undefined || !isTerminal(told))) ||
  Evidence.unsettled(seen, undefined, policy).length > 0

/** The change of a row by a read. */
const afterRead = (
  row: Row,
  seen: Evidence.Evidence,
  result: Result,
  { joinsEvidence }: Rules
): Partial<Row> => {
  if (result === "404" || result === "no answer") return {}
  const known = joinsEvidence ? row.evidence : seen
  return { evidence: Evidence.join(known, Evidence.confirmed(result)), read: result }
}

/** The claim of a row that has no lease, or one that is over. */
const claims = (state: State, by: Index, { rules }: Setting): ReadonlyArray<Step> => {
  const { row } = state
  const isFast = by === 1 && !rules.usesLedgerClock
  if (row === undefined || (row.lease !== undefined && !row.lease.isOver && !isFast)) return []
  const seen = row.evidence
  const leased: State = { ...state, row: { ...row, lease: { by, isOver: false } } }
  const work: Work = { stage: "leased", seen, mayRead: mayRead(row, seen, rules) }
  return [{ name: "a worker claims the row", kind: "protocol", next: withWork(leased, by, work) }]
}

/** The read of the status. The service may move after it stated a status and before that is written. */
const reads = (state: State, by: Index, setting: Setting): ReadonlyArray<Step> => {
  const { rules, path } = setting
  const { work } = state.workers[by]
  if (work.stage === "leased" && work.mayRead) {
    const { seen } = work
    const ask = (name: string, kind: Step["kind"], result: Result): Step => {
      const asked = withWork(state, by, { stage: "asked", seen, result })
      const isFault = kind === "fault"
      const next = isFault ? { ...asked, faults: asked.faults - 1 } : asked
      return { name, kind, isRecorded: isFault, next }
    }
    const fresh = ask(
      "the service states its status",
      "protocol",
      statusOf(setting, state) ?? "404"
    )
    if (state.faults === 0) return [fresh]
    return [
      fresh,
      ask("the service states an old status", "fault", path[state.moves - 2] ?? "404"),
      ask("the service does not answer a read", "fault", "no answer")
    ]
  }
  if (work.stage === "asked") {
    const next = withWork(state, by, { ...work, stage: "answered" })
    const label = labels.read(by, work.result)
    return [{ name: "the read is recorded", kind: "protocol", label, isAtOnce: true, next }]
  }
  if (work.stage !== "answered") return []
  const { result, seen } = work
  const next = write(
    state,
    by,
    rules,
    (row) => afterRead(row, seen, result, rules),
    ({ evidence }) => ({ stage: "leased", seen: evidence, mayRead: false })
  )
  return [{ name: `the read of ${result} is written`, kind: "protocol", next }]
}

/** The call of the handler: written down, made, committed together with the mark, recorded. */
const calls = (state: State, by: Index, { rules }: Setting): ReadonlyArray<Step> => {
  const { committed, row, workers } = state
  const { work } = workers[by]
  if (row === undefined) return []
  const done = withWork(state, by, { stage: "done" })
  if (work.stage === "leased") {
    const standing = nextStanding(row, work.seen, rules)
    if (standing === undefined) return []
    const to = standing.status
    const call: Step = {
      name: `a worker calls the handler for ${to}`,
      kind: "protocol",
      label: labels.called(by, to),
      next: write(
        state,
        by,
        rules,
        () => ({ failing: to }),
        () => ({ stage: "calling", standing })
      )
    }
    const park: Step = {
      name: `a worker parks the row at ${to}`,
      kind: "protocol",
      next: write(
        state,
        by,
        rules,
        () => ({ parked: to }),
        () => ({ stage: "parked" })
      )
    }
    // Without the lease the call is not made, and the work ends.
    const isLeased = !rules.fencesWrites || row.lease?.by === by
    return isLeased ? (row.failing === to ? [call, park] : [call]) : []
  }
  const record = (name: string, label: string): ReadonlyArray<Step> => [
    { name: `${name} is recorded`, kind: "protocol", label, isAtOnce: true, next: done }
  ]
  if (work.stage === "parked") return record("the dead letter", labels.parked(by))
  if (work.stage === "failed") {
    return record("the failure", labels.failed(by, work.standing.status))
  }
  if (work.stage === "told") {
    return record("the transition", labels.told(by, work.standing.status, work.standing))
  }
  if (work.stage !== "calling" && work.stage !== "committed") return []
  const { standing } = work
  const to = standing.status
  const effects: State = to === undefined ? state : { ...state, committed: [...committed, to] }
  const mark = (from: State): State =>
    write(
      from,
      by,
      rules,
      () => ({ told: to, failing: undefined, parked: undefined }),
      () => ({ stage: "told", standing })
    )
  if (work.stage === "committed") {
    return [{ name: `${to} is marked told`, kind: "protocol", next: mark(state) }]
  }
  // The mark that is refused takes the effects with it.
  const isRefused = rules.fencesWrites && row.lease?.by !== by
  const label = labels.committed(by, to)
  const end: Step = rules.commitsWithMark
    ? isRefused
      ? { name: `the commit of ${to} is refused`, kind: "protocol", next: mark(state) }
      : {
          name: `the effects and the mark of ${to} commit`,
          kind: "protocol",
          label,
          next: mark(effects)
        }
    : {
        name: `the effects of ${to} commit without the mark`,
        kind: "protocol",
        label,
        next: withWork(effects, by, { stage: "committed", standing })
      }
  if (state.faults === 0) return [end]
  const failed = withWork({ ...state, faults: state.faults - 1 }, by, { stage: "failed", standing })
  const next = rules.retriesCalls ? failed : mark({ ...state, faults: state.faults - 1 })
  return [end, { name: `the handler fails at ${to}`, kind: "fault", isRecorded: true, next }]
}

/** The end of the work: the row is released, or the lease was lost. */
const ends = (state: State, by: Index, { rules }: Setting): ReadonlyArray<Step> => {
  const { row, workers } = state
  const { work } = workers[by]
  const steps: Array<Step> = []
  if (work.stage === "leased" || work.stage === "done") {
    const next = write(
      state,
      by,
      rules,
      () => ({ lease: undefined }),
      () => ({ stage: "idle" })
    )
    steps.push({ name: "a worker releases the row", kind: "protocol", next })
  }
  if (rules.fencesWrites && work.stage !== "idle" && row?.lease?.by !== by) {
    const next = withWork(state, by, { stage: "idle" })
    steps.push({ name: "a worker that lost its lease stops", kind: "protocol", next })
  }
  return steps
}

/** Returns the steps of one worker. */
export const ofWorker = (state: State, by: Index, setting: Setting): ReadonlyArray<Step> => {
  const { pace, work } = state.workers[by]
  if (pace === "stalled") return pauses(state, by, setting)
  if (work.stage === "idle") return claims(state, by, setting)
  return [
    ...reads(state, by, setting),
    ...calls(state, by, setting),
    ...ends(state, by, setting),
    ...pauses(state, by, setting)
  ]
}
