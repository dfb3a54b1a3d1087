/**
 * The steps outside the workers: shop, service, network, and the accepting of callbacks.
 */
import * as Evidence from "@pawl/core/Evidence"
import { fault, protocol, type Step } from "./Checker.ts"
import { holds, type Setting } from "./Rules.ts"
import { emptyRow, type Incoming, type Row, type State } from "./State.ts"
import { labels } from "./Step.ts"

type Steps = ReadonlyArray<Step<State>>

export const statusOf = ({ path }: Setting, { moves }: State) => path[moves - 1]

/** Joins evidence to the row, and makes the row due unless `isDue` is false. */
export const joined = (
  state: State,
  setting: Setting,
  evidence: Evidence.Evidence,
  isDue: boolean
): State => {
  const row = state.row ?? emptyRow
  const all = Evidence.join(row.evidence, evidence)
  const isNew = Evidence.claimedStatuses(all & ~row.evidence).length > 0
  const next: Row = {
    ...row,
    evidence: all,
    isDue: row.isDue || isDue,
    isWatched: row.isWatched || isNew
  }
  return { ...state, row: next, isAwake: state.isAwake || (isDue && holds(setting, "wakes")) }
}

export const ofShop = (state: State, setting: Setting): Steps => {
  const { created, exchange, moves, order, posted } = state
  const [status] = setting.path
  const writesFirst = holds(setting, "writesOrderFirst")
  const steps: Array<Step<State>> = []
  if (order === "none" && writesFirst) {
    steps.push(protocol("the shop writes the order down", { ...state, order: "written" }))
  }
  if (order === (writesFirst ? "written" : "none") && exchange === "none") {
    steps.push(protocol("the shop sends the request", { ...state, exchange: "request" }))
  }
  if (exchange === "none" || status === undefined) return steps
  if (exchange === "request") {
    // A known requestId gets its first answer.
    const isKnown = created > 0 && holds(setting, "keepsRequestId") && writesFirst
    const answered: State = { ...state, exchange: "response" }
    const made: State = {
      ...answered,
      created: created + 1,
      moves: Math.max(moves, 1),
      posted: Evidence.join(posted, Evidence.claimed(status))
    }
    const name = "the service answers the request"
    steps.push(
      isKnown ? protocol(name, answered) : protocol(name, made, { label: labels.moved(status) })
    )
  } else {
    const isDue = holds(setting, "registrationIsDue")
    const settled: State = { ...state, exchange: "none", order: "settled" }
    steps.push(
      protocol(
        "the shop registers the transaction",
        joined(settled, setting, Evidence.confirmed(status), isDue),
        { label: labels.registered(status) }
      )
    )
  }
  return [
    ...steps,
    ...fault("the shop crashes during the exchange", state, { ...state, exchange: "none" })
  ]
}

export const ofNetwork = (state: State, { forged, path }: Setting, maxIncoming: number): Steps => {
  const { incoming, moves, posted, row } = state
  const steps: Array<Step<State>> = []
  const moved = moves === 0 ? undefined : path[moves]
  if (moved !== undefined) {
    steps.push({
      name: `the service moves to ${moved}`,
      kind: "move",
      label: labels.moved(moved),
      next: {
        ...state,
        moves: moves + 1,
        posted: Evidence.join(posted, Evidence.claimed(moved))
      }
    })
  }
  const isFree = incoming.length < maxIncoming
  const received = (arrived: Pick<Incoming, "claim" | "isForged">): State => ({
    ...state,
    incoming: [...incoming, { ...arrived, isNew: false, stage: "received" }]
  })
  for (const claim of Evidence.claimedStatuses(posted)) {
    if (isFree) {
      const label = labels.delivered(claim)
      const next = received({ claim, isForged: false })
      steps.push(protocol(`a callback with ${claim} arrives`, next, { label }))
    }
    // Without planned reads only a callback reports a later status.
    if (row?.isWatched !== false) {
      const lost: State = { ...state, posted: posted & ~Evidence.claimed(claim) }
      steps.push(...fault(`every callback with ${claim} is lost`, state, lost))
    }
  }
  // A forger has seen a callback: the checksum covers neither status nor time.
  if (moves === 0 || !isFree) return steps
  return steps.concat(
    forged.flatMap((claim) =>
      fault(`a forged callback with ${claim} arrives`, state, received({ claim, isForged: true }), {
        label: labels.arrived(claim)
      })
    )
  )
}

export const ofReceiver = (state: State, setting: Setting): Steps =>
  state.incoming.flatMap((each, index): Steps => {
    const { claim, isForged, stage } = each
    const claimed = Evidence.claimed(claim)
    const storesFirst = holds(setting, "storesFirst")
    const at = (next: Incoming["stage"] | "gone", isNew = each.isNew): State => ({
      ...state,
      incoming:
        next === "gone"
          ? state.incoming.toSpliced(index, 1)
          : state.incoming.with(index, { ...each, stage: next, isNew })
    })
    const steps: Array<Step<State>> = []
    if (stage === "received" || stage === "answered") {
      const evidence = state.row?.evidence ?? Evidence.none
      const isNew = (evidence & claimed) === 0
      const isOpen = (evidence & Evidence.confirmed(claim)) === 0 && holds(setting, "asksAgain")
      const stored = at(stage === "answered" ? "gone" : "stored", isNew)
      const isAtOnce = storesFirst
      const next = joined(stored, setting, claimed, isNew || isOpen)
      steps.push(protocol(`a callback with ${claim} is stored`, next, { isAtOnce }))
    }
    if (stage === "stored") {
      const label = labels.accepted(claim, each.isNew)
      const name = `a callback with ${claim} is recorded`
      steps.push(protocol(name, at("recorded"), { label, isAtOnce: true }))
    }
    if (stage === "recorded" || (stage === "received" && !storesFirst)) {
      const next: State = {
        ...at(stage === "recorded" ? "gone" : "answered"),
        answered: Evidence.join(state.answered, claimed),
        posted: isForged ? state.posted : state.posted & ~claimed
      }
      const label = labels.answered(claim)
      steps.push(protocol(`a callback with ${claim} is answered 200`, next, { label }))
    }
    const died = fault(`the receiver of a callback with ${claim} dies`, state, at("gone"), {
      label: labels.unanswered(claim)
    })
    return [...steps, ...died]
  })
