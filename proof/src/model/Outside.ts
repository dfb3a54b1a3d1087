/**
 * The steps outside the workers: shop, service, network, and the accepting of callbacks.
 */
import * as Evidence from "@pawl/core/Evidence"
import { shown } from "./Checker.ts"
import { holds, type Setting } from "./Rules.ts"
import { fault, type Incoming, move, protocol, Row, type State, type Steps } from "./State.ts"
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
  // A known requestId gets its first answer.
  const isKnown = created > 0 && holds(setting, "keepsRequestId") && writesFirst
  const made = {
    exchange: "response",
    created: created + 1,
    moves: Math.max(moves, 1),
    posted: Evidence.join(posted, status === undefined ? Evidence.none : Evidence.claimed(status))
  } as const
  return [
    order === "none" && writesFirst && protocol("the order is written", { order: "written" }),
    isReady && protocol("the shop sends the request", { exchange: "request" }),
    exchange === "request" &&
      isKnown &&
      protocol("the service answers a known request", { exchange: "response" }),
    exchange === "request" &&
      !isKnown &&
      status !== undefined &&
      shown(protocol(labels.moved(status), made)),
    exchange === "response" &&
      status !== undefined &&
      shown(
        protocol(labels.registered(status), {
          ...joined(
            state,
            setting,
            Evidence.confirmed(status),
            holds(setting, "registrationIsDue")
          ),
          exchange: "none",
          order: "settled"
        })
      ),
    exchange !== "none" && fault("the shop crashes during the exchange", { exchange: "none" })
  ]
}

export const ofNetwork = (state: State, { forged, path }: Setting, maxIncoming: number): Steps => {
  const { incoming, moves, posted, row } = state
  const to = path[moves]
  const isFree = incoming.length < maxIncoming
  const received = (claim: Incoming["claim"], isForged: boolean): Partial<State> => ({
    incoming: [...incoming, { claim, isForged, isNew: false, stage: "received" }]
  })
  return [
    moves > 0 &&
      to !== undefined &&
      shown(
        move(labels.moved(to), {
          moves: moves + 1,
          posted: Evidence.join(posted, Evidence.claimed(to))
        })
      ),
    ...Evidence.claimedStatuses(posted).flatMap((claim): Steps => [
      isFree && shown(protocol(labels.delivered(claim), received(claim, false))),
      // Without planned reads only a callback reports a later status.
      row?.isWatched !== false &&
        fault(`every callback with ${claim} is lost`, { posted: posted & ~Evidence.claimed(claim) })
    ]),
    // A forger has seen a callback: the checksum covers neither status nor time.
    ...(moves > 0 && isFree ? forged : []).map((claim) =>
      shown(
        fault(`a forged callback with ${claim} arrives`, received(claim, true)),
        labels.arrived(claim)
      )
    )
  ]
}

export const ofReceiver = (state: State, setting: Setting): Steps =>
  state.incoming.flatMap((each, index): Steps => {
    const { claim, isForged, stage } = each
    const claimed = Evidence.claimed(claim)
    const storesFirst = holds(setting, "storesFirst")
    const evidence = state.row?.evidence ?? Evidence.none
    const isNew = (evidence & claimed) === 0
    const isOpen = (evidence & Evidence.confirmed(claim)) === 0 && holds(setting, "asksAgain")
    const at = (next: Incoming["stage"], change: Partial<Incoming> = {}): Partial<State> => ({
      incoming: state.incoming.with(index, { ...each, stage: next, ...change })
    })
    const gone = { incoming: state.incoming.toSpliced(index, 1) }
    const isStoring = stage === "received" || stage === "answered"
    const isAnswering = stage === "recorded" || (stage === "received" && !storesFirst)
    return [
      isStoring && {
        ...protocol(`a callback with ${claim} is stored`, {
          ...joined(state, setting, claimed, isNew || isOpen),
          ...(stage === "answered" ? gone : at("stored", { isNew }))
        }),
        isAtOnce: storesFirst
      },
      stage === "stored" && {
        ...shown(protocol(labels.accepted(claim, each.isNew), at("recorded"))),
        isAtOnce: true
      },
      isAnswering &&
        shown(
          protocol(labels.answered(claim), {
            ...(stage === "recorded" ? gone : at("answered")),
            answered: Evidence.join(state.answered, claimed),
            posted: isForged ? state.posted : state.posted & ~claimed
          })
        ),
      shown(fault(labels.unanswered(claim), gone))
    ]
  })
