/**
 * Steps that the model leaves out and a trace may have, because each of them has an event: of the store, of clocks, of the
 * shop, and of kinds. The checker does not make them.
 */
import * as Evidence from "@pawl/core/Evidence"
import { emptyRow, type State } from "./State.ts"
import { labels, type Setting, type Step } from "./Step.ts"
import { withWork } from "./Write.ts"

const both = [0, 1] as const

/** Returns the steps that only an event shows. */
export const ofRecorder = (state: State, { path }: Setting): ReadonlyArray<Step> => {
  const { row, workers } = state
  const known = row ?? emptyRow
  /** The response may have a later status than the first, and the shop may crash before it has settled the order. */
  const registrations = [...new Set(path.slice(0, state.moves))].map((status): Step => {
    const evidence = Evidence.join(known.evidence, Evidence.confirmed(status))
    return {
      name: `the shop registers the transaction with ${status}`,
      kind: "protocol",
      label: labels.registered(status),
      next: { ...state, row: { ...known, evidence } }
    }
  })
  if (row === undefined) return registrations
  const ofLease = both.flatMap((by): ReadonlyArray<Step> => {
    if (row.lease?.by !== by) return []
    const early: Step = {
      name: "a clock ends a lease early",
      kind: "fault",
      label: labels.endedEarly(by),
      next: { ...state, row: { ...row, lease: { by: "dead", isOver: true } } }
    }
    const park: Step = {
      name: "a row that cannot be read is parked",
      kind: "fault",
      label: labels.parkedUnreadable(by),
      next: withWork(state, by, { stage: "done" })
    }
    const { work } = workers[by]
    if (work.stage !== "leased") return [early]
    const { mayRead, seen } = work
    const read: Step = {
      name: "the endpoint of payments does not know the id of another kind",
      kind: "fault",
      label: labels.readElsewhere(by),
      next: withWork(state, by, { stage: "answered", seen, result: "404" })
    }
    return mayRead ? [early, park, read] : [early, park]
  })
  return [...registrations, ...ofLease]
}
