/**
 * The steps outside the workers: shop, service, network, and the accepting of callbacks.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import { holds, type Setting } from "./Rules.ts"
import { fault, move, protocol, Row, seen } from "./State.ts"
import type { Incoming, State, Steps } from "./State.ts"
import { labels } from "./Traces.ts"

export const statusOf = ({ path }: Setting, { moves }: State) => path[moves - 1]

/** Joins evidence to the row, and makes the row due unless `isDue` is false. */
export const joined = (
  { isAwake, row = new Row() }: State,
  setting: Setting,
  evidence: Evidence.Evidence,
  isDue: boolean
): Pick<State, "isAwake" | "row"> => {
  const all = Evidence.join(row.evidence, evidence)
  const isNew = Evidence.claimedStatuses(all & ~row.evidence).length > 0
  return {
    row: {
      ...row,
      evidence: all,
      isDue: row.isDue || isDue,
      isWatched: row.isWatched || isNew
    },
    isAwake: isAwake || (isDue && holds(setting, "wakes"))
  }
}

export const ofShop = (state: State, setting: Setting): Steps => {
  const { created, exchange, moves, order, posted } = state
  const [status] = setting.path
  const writesFirst = holds(setting, "writesOrderFirst")
  const isReady = order === (writesFirst ? "written" : "none") && exchange === "none"
  const begin: Steps = [
    order === "none" && writesFirst && protocol("the order is written", { order: "written" }),
    isReady && protocol("the shop sends the request", { exchange: "request" })
  ]
  if (exchange === "none" || status === undefined) return begin
  // A known requestId gets its first answer.
  const isKnown = created > 0 && holds(setting, "keepsRequestId") && writesFirst
  const isDue = holds(setting, "registrationIsDue")
  return [
    ...begin,
    exchange === "request" &&
      isKnown &&
      protocol("the service answers a known request", { exchange: "response" }),
    exchange === "request" &&
      !isKnown &&
      seen(labels.moved(status), {
        exchange: "response",
        created: created + 1,
        moves: Math.max(moves, 1),
        posted: Evidence.join(posted, Evidence.claimed(status))
      }),
    exchange === "response" &&
      seen(labels.registered(status), {
        ...joined(state, setting, Evidence.confirmed(status), isDue),
        exchange: "none",
        order: "settled"
      }),
    fault("the shop crashes during the exchange", { exchange: "none" })
  ]
}

export const ofNetwork = (state: State, { forged, path }: Setting, maxIncoming: number): Steps => {
  const { incoming, moves, posted, row } = state
  const to = moves === 0 ? undefined : path[moves]
  const isFree = incoming.length < maxIncoming
  const received = (claim: Status, isForged: boolean): Partial<State> => ({
    incoming: [...incoming, { claim, isForged, isNew: false, stage: "received" }]
  })
  const ofClaim = (claim: Status): Steps => {
    const others = posted & ~Evidence.claimed(claim)
    return [
      isFree && seen(labels.delivered(claim), received(claim, false)),
      // Without planned reads only a callback reports a later status.
      row?.isWatched !== false && fault(`every callback with ${claim} is lost`, { posted: others })
    ]
  }
  const ofForger = (claim: Status) => {
    const name = `a forged callback with ${claim} arrives`
    return fault(name, received(claim, true), labels.arrived(claim))
  }
  const moved = (to: Status) => {
    const change = { moves: moves + 1, posted: Evidence.join(posted, Evidence.claimed(to)) }
    return move(labels.moved(to), change, labels.moved(to))
  }
  return [
    to !== undefined && moved(to),
    ...Evidence.claimedStatuses(posted).flatMap(ofClaim),
    // A forger has seen a callback: the checksum covers neither status nor time.
    ...(moves > 0 && isFree ? forged : []).map(ofForger)
  ]
}

export const ofReceiver = (state: State, setting: Setting): Steps => {
  const { answered, incoming, posted, row } = state
  const storesFirst = holds(setting, "storesFirst")
  return incoming.flatMap((each, index): Steps => {
    const { claim, isForged, stage } = each
    const claimed = Evidence.claimed(claim)
    const evidence = row?.evidence ?? Evidence.none
    const isNew = (evidence & claimed) === 0
    const isOpen = (evidence & Evidence.confirmed(claim)) === 0 && holds(setting, "asksAgain")
    const at = (next: Incoming["stage"], change: Partial<Incoming> = {}): Partial<State> => ({
      incoming: incoming.with(index, { ...each, stage: next, ...change })
    })
    const gone = { incoming: incoming.toSpliced(index, 1) }
    const isStoring = stage === "received" || stage === "answered"
    const isAnswering = stage === "recorded" || (stage === "received" && !storesFirst)
    const stored = {
      ...joined(state, setting, claimed, isNew || isOpen),
      ...(stage === "answered" ? gone : at("stored", { isNew }))
    }
    return [
      isStoring && {
        ...protocol(`a callback with ${claim} is stored`, stored),
        isAtOnce: storesFirst
      },
      stage === "stored" && {
        ...seen(labels.accepted(claim, each.isNew), at("recorded")),
        isAtOnce: true
      },
      isAnswering &&
        seen(labels.answered(claim), {
          ...(stage === "recorded" ? gone : at("answered")),
          answered: Evidence.join(answered, claimed),
          posted: isForged ? posted : posted & ~claimed
        }),
      fault(labels.unanswered(claim), gone, labels.unanswered(claim))
    ]
  })
}
