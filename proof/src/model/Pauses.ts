/**
 * The steps of processes and of time: a worker stalls, its process ends, a lease runs out, a person redrives a dead letter.
 */
import type { Row, State, Index } from "./State.ts"
import { labels, type Setting, type Step } from "./Step.ts"
import { withWorker } from "./Write.ts"

/** A process stalls and goes on, or ends: by a crash, or by a stop that waits too short for its handler. */
export const pauses = (state: State, by: Index, { rules }: Setting): ReadonlyArray<Step> => {
  const { faults, row, workers } = state
  const { pace, work } = workers[by]
  const hasLease = row?.lease?.by === by
  if (pace === "stalled") {
    const renewed =
      hasLease && row ? { ...state, row: { ...row, lease: { by, isOver: false } } } : state
    const next = withWorker(renewed, by, { pace: hasLease ? "on time" : "late" })
    return [{ name: "a stalled worker goes on", kind: "protocol", next }]
  }
  if (faults === 0 || work.stage === "idle") return []
  const isCalling = work.stage === "calling" || work.stage === "committed"
  const spent: State = { ...state, faults: faults - 1 }
  const ended = (lease: Row["lease"]): State => ({
    ...withWorker(spent, by, { pace: "on time", work: { stage: "idle" } }),
    row: row && hasLease ? { ...row, lease } : row,
    isOrphaned: state.isOrphaned || (isCalling && hasLease)
  })
  return [
    { name: "a worker stalls", kind: "fault", next: withWorker(spent, by, { pace: "stalled" }) },
    {
      name: "the process of a worker is killed",
      kind: "fault",
      label: labels.ended(by),
      next: ended({ by: "dead", isOver: false })
    },
    ...(rules.keepsTurn
      ? []
      : [
          {
            name: "the process of a worker stops and releases the row",
            kind: "fault" as const,
            next: ended(undefined)
          }
        ])
  ]
}

/** The end of a lease that nobody renews, and the redrive of a dead letter by a person. */
export const ofTime = (state: State, { rules }: Setting): ReadonlyArray<Step> => {
  const { row, workers } = state
  const steps: Array<Step> = []
  if (row?.lease !== undefined && !row.lease.isOver) {
    const { by } = row.lease
    const isRenewed =
      by === "dead" ? !rules.endsLeases : workers[by].pace !== "stalled" && rules.renewsLeases
    if (!isRenewed) {
      const next: State = {
        ...state,
        row: { ...row, lease: { by, isOver: true } },
        isOrphaned: false
      }
      steps.push({ name: "the lease runs out", kind: "protocol", label: labels.leaseTime, next })
    }
  }
  if (row?.parked !== undefined) {
    const next: State = { ...state, row: { ...row, parked: undefined, failing: undefined } }
    steps.push({
      name: "a person redrives the dead letter",
      kind: "protocol",
      label: labels.redriven,
      next
    })
  }
  return steps
}
