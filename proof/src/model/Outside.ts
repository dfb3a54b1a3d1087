/**
 * The steps outside the workers: of the shop, of the service, of the network, and of a receiver that accepts a callback.
 */
import * as Evidence from "@pawl/core/Evidence"
import { emptyRow, type Incoming, type State } from "./State.ts"
import { labels, type Setting, type Step } from "./Step.ts"

/** Returns the status of the transaction; undefined before the service made it. */
export const statusOf = ({ path }: Setting, { moves }: State) => path[moves - 1]

/** A request for an order: written down, sent, answered, settled. After a crash it is sent again. */
export const ofShop = (state: State, { path, rules }: Setting): ReadonlyArray<Step> => {
  const { created, exchange, faults, moves, order, posted } = state
  const steps: Array<Step> = []
  if (order === "none" && rules.writesOrderFirst) {
    const next: State = { ...state, order: "written" }
    steps.push({ name: "the shop writes the order down", kind: "protocol", next })
  }
  const isToSend = order === "written" || (order === "none" && !rules.writesOrderFirst)
  if (isToSend && exchange === "none") {
    const next: State = { ...state, exchange: "request" }
    steps.push({ name: "the shop sends the request", kind: "protocol", next })
  }
  const [first] = path
  if (exchange === "request" && first !== undefined) {
    // The service returns its first answer to a requestId that it knows.
    const isKnown = created > 0 && rules.keepsRequestId && rules.writesOrderFirst
    const name = "the service answers the request"
    const next: State = isKnown
      ? { ...state, exchange: "response" }
      : {
          ...state,
          exchange: "response",
          created: created + 1,
          moves: Math.max(moves, 1),
          posted: Evidence.join(posted, Evidence.claimed(first))
        }
    steps.push({ name, kind: "protocol", ...(!isKnown && { label: labels.moved(first) }), next })
  }
  if (exchange === "response" && first !== undefined) {
    const row = state.row ?? emptyRow
    const evidence = Evidence.join(row.evidence, Evidence.confirmed(first))
    const next: State = { ...state, exchange: "none", order: "settled", row: { ...row, evidence } }
    steps.push({
      name: "the shop registers the transaction",
      kind: "protocol",
      label: labels.registered(first),
      next
    })
  }
  if (exchange !== "none" && faults > 0) {
    const next: State = { ...state, exchange: "none", faults: faults - 1 }
    steps.push({ name: "the shop crashes during the exchange", kind: "fault", next })
  }
  return steps
}

/** The service moves, and the network loses, repeats and forges callbacks. */
export const ofNetwork = (
  state: State,
  { forged, path }: Setting,
  maxIncoming: number
): ReadonlyArray<Step> => {
  const { faults, incoming, moves, posted } = state
  const steps: Array<Step> = []
  const moved = moves === 0 ? undefined : path[moves]
  if (moved !== undefined) {
    const next: State = {
      ...state,
      moves: moves + 1,
      posted: Evidence.join(posted, Evidence.claimed(moved))
    }
    steps.push({
      name: `the service moves to ${moved}`,
      kind: "move",
      label: labels.moved(moved),
      next
    })
  }
  const receive = (
    incomingState: State,
    incoming: Pick<Incoming, "claim" | "isForged">
  ): State => ({
    ...incomingState,
    incoming: [...incomingState.incoming, { ...incoming, isNew: false, stage: "received" }]
  })
  for (const claim of Evidence.claimedStatuses(posted)) {
    if (incoming.length < maxIncoming) {
      steps.push({
        name: `a callback with ${claim} arrives`,
        kind: "protocol",
        label: labels.delivered(claim),
        next: receive(state, { claim, isForged: false })
      })
    }
    if (faults > 0) {
      const next = { ...state, posted: posted & ~Evidence.claimed(claim), faults: faults - 1 }
      steps.push({ name: `every callback with ${claim} is lost`, kind: "fault", next })
    }
  }
  // A forger has seen a callback of the transaction: the checksum covers neither the status nor the time.
  if (moves > 0 && faults > 0 && incoming.length < maxIncoming) {
    for (const claim of forged) {
      steps.push({
        name: `a forged callback with ${claim} arrives`,
        kind: "fault",
        label: labels.arrived(claim),
        next: receive({ ...state, faults: faults - 1 }, { claim, isForged: true })
      })
    }
  }
  return steps
}

/** Accepting a callback: stored, recorded, answered 200. The receiver may die between any two of these steps. */
export const ofReceiver = (state: State, { rules }: Setting): ReadonlyArray<Step> =>
  state.incoming.flatMap((each, index) => {
    const { claim, isForged, stage } = each
    const steps: Array<Step> = []
    const replaced = (stage: Incoming["stage"], isNew = each.isNew) =>
      state.incoming.with(index, { ...each, stage, isNew })
    const removed = state.incoming.toSpliced(index, 1)
    const claimed = Evidence.claimed(claim)
    const answered = {
      answered: Evidence.join(state.answered, claimed),
      posted: isForged ? state.posted : state.posted & ~claimed
    }
    const answer = `a callback with ${claim} is answered 200`
    const isBroken = stage === "received" && !rules.storesFirst
    if (stage === "received" || stage === "answered") {
      const row = state.row ?? emptyRow
      const isNew = (row.evidence & claimed) === 0
      const next: State = {
        ...state,
        row: { ...row, evidence: Evidence.join(row.evidence, claimed) },
        incoming: stage === "answered" ? removed : replaced("stored", isNew)
      }
      // Its arrival alone changed nothing.
      const isAtOnce = rules.storesFirst
      steps.push({ name: `a callback with ${claim} is stored`, kind: "protocol", isAtOnce, next })
    }
    if (stage === "stored") {
      const next: State = { ...state, incoming: replaced("recorded") }
      const label = labels.accepted(claim, each.isNew)
      const name = `a callback with ${claim} is recorded`
      steps.push({ name, kind: "protocol", label, isAtOnce: true, next })
    }
    if (stage === "recorded" || isBroken) {
      const next: State = {
        ...state,
        ...answered,
        incoming: isBroken ? replaced("answered") : removed
      }
      steps.push({ name: answer, kind: "protocol", label: labels.answered(claim), next })
    }
    if (state.faults > 0) {
      const next: State = { ...state, incoming: removed, faults: state.faults - 1 }
      const name = `the receiver of a callback with ${claim} dies`
      steps.push({ name, kind: "fault", label: labels.unanswered(claim), next })
    }
    return steps
  })
