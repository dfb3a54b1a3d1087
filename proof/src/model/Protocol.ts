/**
 * The model of the protocol: the possible steps of a state, and the invariants (`docs/proof.md`).
 */
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal, rank, statuses } from "@pawl/core/Status"
import { type Machine, possible, shown } from "./Checker.ts"
import * as Inclusion from "./Inclusion.ts"
import { joined, ofNetwork, ofReceiver, ofShop, statusOf } from "./Outside.ts"
import { holds, law, type Setting } from "./Rules.ts"
import { canonical, hasLease, type Index, protocol, State, type Steps } from "./State.ts"
import { events, labels, type Trace } from "./Traces.ts"
import { ofTime, ofWorker, withWork } from "./Working.ts"

const steps = (state: State, setting: Setting, maxIncoming = 1): Steps => [
  ...ofShop(state, setting),
  ...ofNetwork(state, setting, maxIncoming),
  ...ofReceiver(state, setting),
  ...ofWorker(state, 0, setting),
  ...ofWorker(state, 1, setting),
  ...ofTime(state, setting)
]

/** Tells whether the handler was called with the service's end, if there is one. */
const isTold = (state: State, setting: Setting): boolean => {
  const status = statusOf(setting, state)
  const isOpen = status === undefined || !isTerminal(status)
  return isOpen || (state.row?.told === status && state.committed.at(-1) === status)
}

export const machine = (setting: Setting): Machine<State> => ({
  first: { ...new State(), faults: setting.faults },
  steps: (state) => steps(state, setting),
  invariants: {
    [law.once]: ({ created }) => created <= 1,
    [law.stored]: ({ answered, row }) => (answered & ~(row?.evidence ?? Evidence.none)) === 0,
    [law.confirmed]: ({ committed, moves }) =>
      committed.every(
        (status) => !isTerminal(status) || setting.path.slice(0, moves).includes(status)
      ),
    [law.ranks]: ({ committed }) =>
      committed.every(
        (status, index) => index === 0 || rank(status) >= rank(committed[index - 1] ?? status)
      ),
    [law.effects]: ({ committed }) =>
      committed.every((status, index) => status !== committed[index - 1]),
    [law.calls]: ({ isOrphaned, workers }) =>
      workers.filter(({ pace, work }) => pace === "on time" && work.stage === "calling").length +
        Number(isOrphaned) <=
      1,
    [law.awaited]: ({ isAwake, row }) => isAwake || row === undefined || !row.isDue
  },
  goal: law.goal,
  isAtGoal: (state) => state.order === "settled" && isTold(state, setting),
  canonical: holds(setting, "usesLedgerClock") ? canonical : (state) => state
})

const both = [0, 1] as const

/** Callbacks that may be under way at once. */
const maxIncoming = 12

/** Steps that only the events of a trace show; the checker does not make them. */
const ofEvent = (state: State, event: string, isPossible: boolean, setting: Setting): Steps => {
  const { moves, row, workers } = state
  const unchanged = (label: string) => shown(protocol(label, {}))
  // The response of a registration may have a later status, and the shop may crash before it
  // settles the order.
  const registrations = [...new Set(setting.path.slice(0, moves))].map((status) => {
    const change = joined(state, setting, Evidence.confirmed(status), true)
    return shown(protocol(labels.registered(status), change))
  })
  const ofProcess = (by: Index): Steps => {
    const { work } = workers[by]
    const isOwner = hasLease(state, by)
    const isUnread = work.stage === "leased" && work.read === "not asked"
    const dead = { by: "dead", isOver: true } as const
    const killed =
      event === labels.storeSilent(by) ? possible(state, ofWorker(state, by, setting)) : []
    return [
      ...killed.filter(({ label }) => label === labels.ended(by)).map((step) => shown(step, event)),
      unchanged(labels.storeSilent(by)),
      isOwner &&
        row !== undefined &&
        shown(protocol(labels.endedEarly(by), { row: { ...row, lease: dead } })),
      unchanged(labels.endedEarly(by)),
      !isPossible && unchanged(labels.ended(by)),
      isOwner &&
        shown(
          protocol(
            labels.ofWorker(by, events.parkedUnreadable),
            withWork(state, by, { stage: "done" })
          )
        ),
      // The endpoint of payments does not know the id of another kind.
      isOwner &&
        isUnread &&
        shown(
          protocol(
            labels.ofWorker(by, events.readElsewhere),
            withWork(state, by, { ...work, stage: "answered", result: "404" })
          )
        )
    ]
  }
  return [
    ...registrations,
    ...both.flatMap(ofProcess),
    unchanged(labels.leaseTime),
    !isPossible && unchanged(labels.redriven),
    isTold(state, setting) && unchanged(labels.end)
  ]
}

const checks = new Map<string, ReturnType<typeof Inclusion.make>>()

/** Returns the reason why a trace is not one of the model. At its end the handler has the last end. */
export const missOf = ({ events, path }: Pick<Trace, "events" | "path">): string | undefined => {
  if (events.length === 0) return "the trace is empty"
  const setting: Setting = { path, forged: statuses, faults: Infinity }
  const check =
    checks.get(path.join()) ??
    Inclusion.make<State>({
      first: machine(setting).first,
      steps: (state) => steps(state, setting, maxIncoming),
      ofEvent: (...of) => ofEvent(...of, setting)
    })
  checks.set(path.join(), check)
  return check([...events, labels.end])
}
