/** The steps outside the workers: shop, service, network, and the accepting of callbacks. */
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import type { Setting } from "./Rules.ts"
import { fault, protocol, Row, seen } from "./State.ts"
import type { Change, Incoming, State, Steps } from "./State.ts"

export const statusOf = ({ path }: Setting, { moves }: State) => path[moves - 1]

/** Joins evidence to the row, and makes the row due unless `isDue` is false. */
export const joined = (
  { isAwake, row = new Row() }: State,
  { without }: Setting,
  added: Evidence.Evidence,
  isDue: boolean
): Change => {
  const evidence = Evidence.join(row.evidence, added)
  const isNew = Evidence.claimedStatuses(evidence & ~row.evidence).length > 0
  const planned = { isDue: row.isDue || isDue, isWatched: row.isWatched || isNew }
  return {
    row: { ...row, evidence, ...planned },
    isAwake: isAwake || (isDue && without !== "wakes")
  }
}

/** The shop sends its request again until the response is registered ([the request](./Requests.ts)). */
export const ofShop = (state: State, setting: Setting): Steps => {
  const [status] = setting.path
  if (status === undefined || state.isRegistered || state.moves === 0) return []
  const isDue = setting.without !== "registrationIsDue"
  const registered = joined(state, setting, Evidence.confirmed(status), isDue)
  return [seen(`registered ${status}`, { ...registered, isRegistered: true })]
}

/** The service reaches each status, and posts callbacks with it. */
export const ofNetwork = (state: State, { forged, maxIncoming = 1, path }: Setting): Steps => {
  const { incoming, moves, posted, row } = state
  const to = path[moves]
  const isFree = incoming.length < maxIncoming
  const received = (claim: Status, isForged: boolean): Change => ({
    incoming: [...incoming, { claim, isForged, isNew: false, stage: "received" }]
  })
  const ofClaim = (claim: Status): Steps => [
    isFree && seen(`delivered ${claim} for the first time`, received(claim, false)),
    // Without planned reads only a callback reports a later status.
    row?.isWatched !== false &&
      fault(`every callback with ${claim} is lost`, { posted: posted & ~Evidence.claimed(claim) })
  ]
  const ofForger = (claim: Status) => seen(`arrived ${claim}`, received(claim, true), "fault")
  const reached = to && { moves: moves + 1, posted: Evidence.join(posted, Evidence.claimed(to)) }
  return [
    reached && seen(`service moved to ${to}`, reached, moves === 0 ? "protocol" : "move"),
    ...Evidence.claimedStatuses(posted).flatMap(ofClaim),
    // A forger has seen a callback: the checksum covers neither status nor time.
    ...(moves > 0 && isFree ? forged : []).map(ofForger)
  ]
}

export const ofReceiver = (state: State, setting: Setting): Steps => {
  const { answered, incoming, posted, row } = state
  const evidence = row?.evidence ?? Evidence.none
  return incoming.flatMap((each, index): Steps => {
    const { claim, isForged, stage } = each
    const claimed = Evidence.claimed(claim)
    const isNew = (evidence & claimed) === 0
    const isOpen = (evidence & Evidence.confirmed(claim)) === 0 && setting.without !== "asksAgain"
    const gone = { incoming: incoming.toSpliced(index, 1) }
    const at = (change: Partial<Incoming>): Change => ({
      incoming: incoming.with(index, { ...each, ...change })
    })
    const isAnswered = stage === "recorded" || setting.without === "storesFirst"
    const step = isAnswered
      ? seen(`answered ${claim}`, {
          ...gone,
          answered: Evidence.join(answered, claimed),
          posted: isForged ? posted : posted & ~claimed
        })
      : stage === "stored"
        ? seen(`accepted ${claim}${each.isNew ? ", new" : ""}`, at({ stage: "recorded" }))
        : protocol(`a callback with ${claim} is stored`, {
            ...joined(state, setting, claimed, isNew || isOpen),
            ...at({ stage: "stored", isNew })
          })
    return [{ ...step, isAtOnce: !isAnswered }, seen(`no answer to ${claim}`, gone, "fault")]
  })
}
