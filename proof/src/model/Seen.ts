/** Steps that only the events of a trace show; the checker does not make them. */
import * as Evidence from "@pawl/core/Evidence"
import { protocol, type Step } from "./Checker.ts"
import { joined } from "./Outside.ts"
import type { Setting } from "./Rules.ts"
import type { State } from "./State.ts"
import { labels } from "./Step.ts"
import { withWork } from "./Working.ts"

const both = [0, 1] as const

export const ofRecorder = (state: State, setting: Setting): ReadonlyArray<Step<State>> => {
  const { row, workers } = state
  /**
   * The response of a registration may have a later status, and the shop may crash before it
   * settles the order.
   */
  const registrations = [...new Set(setting.path.slice(0, state.moves))].map((status) =>
    protocol(
      `the shop registers the transaction with ${status}`,
      joined(state, setting, Evidence.confirmed(status), true),
      { label: labels.registered(status) }
    )
  )
  if (row === undefined) return registrations
  const ofLease = both.flatMap((by): ReadonlyArray<Step<State>> => {
    if (row.lease?.by !== by) return []
    const ended: State = { ...state, row: { ...row, lease: { by: "dead", isOver: true } } }
    const early = protocol("a clock ends a lease early", ended, { label: labels.endedEarly(by) })
    const parked = withWork(state, by, { stage: "done" })
    const park = protocol("a row that cannot be read is parked", parked, {
      label: labels.parkedUnreadable(by)
    })
    const { work } = workers[by]
    if (work.stage !== "leased") return [early]
    if (work.read !== "not asked") return [early, park]
    const read = protocol(
      "the endpoint of payments does not know the id of another kind",
      withWork(state, by, { ...work, stage: "answered", result: "404" }),
      { label: labels.readElsewhere(by) }
    )
    return [early, park, read]
  })
  return [...registrations, ...ofLease]
}
