/**
 * The model of the protocol: the possible steps of a state, and the invariants (`docs/proof.md`).
 */
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal, rank, statuses } from "@pawl/core/Status"
import { both, type Index, type Machine, possible } from "./Checker.ts"
import * as Inclusion from "./Inclusion.ts"
import { joined, ofNetwork, ofReceiver, ofShop, statusOf } from "./Outside.ts"
import { holds, law, type Setting } from "./Rules.ts"
import { canonical, hasLease, seen, State } from "./State.ts"
import type { Row, Steps, Work } from "./State.ts"
import { events, labels, type Trace } from "./Traces.ts"
import { ofTime, ofWorker, withWorker } from "./Working.ts"

const steps = (state: State, setting: Setting, maxIncoming = 1): Steps => [
  ...ofShop(state, setting),
  ...ofNetwork(state, setting, maxIncoming),
  ...ofReceiver(state, setting),
  ...both.flatMap((by) => ofWorker(state, by, setting)),
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

/** Callbacks that may be under way at once. */
const maxIncoming = 12

/** Steps that only the events of a trace show; the checker does not make them. */
const ofEvent = (setting: Setting, state: State, event: string, isPossible: boolean): Steps => {
  const { moves, row, workers } = state
  const unchanged = (label: string) => seen(label, {})
  const ofRow = (row: Row): Steps =>
    both
      .filter((by) => hasLease(state, by))
      .flatMap((by): Steps => {
        const { work } = workers[by]
        const isUnread = work.stage === "leased" && work.read === "not asked"
        const ended = { ...row, lease: { by: "dead", isOver: true } } as const
        const shows = (event: string, work: Work) =>
          seen(labels.ofWorker(by, event), withWorker(state, by, { work }))
        return [
          seen(labels.endedEarly(by), { row: ended }),
          shows(events.parkedUnreadable, { stage: "done" }),
          // The endpoint of payments does not know the id of another kind.
          isUnread && shows(events.readElsewhere, { ...work, stage: "answered", result: "404" })
        ]
      })
  const killed = (by: Index) =>
    possible(state, ofWorker(state, by, setting)).filter(({ label }) => label === labels.ended(by))
  return [
    // The response of a registration may have a later status, and the shop may crash before it
    // settles the order.
    ...setting.path
      .slice(0, moves)
      .map((status) =>
        seen(labels.registered(status), joined(state, setting, Evidence.confirmed(status), true))
      ),
    ...(row === undefined ? [] : ofRow(row)),
    ...both
      .filter((by) => event === labels.storeSilent(by))
      .flatMap((by) => killed(by).map((step) => ({ ...step, label: event }))),
    // These may change nothing.
    ...both.flatMap((by) => [labels.storeSilent(by), labels.endedEarly(by)]).map(unchanged),
    unchanged(labels.leaseTime),
    ...(isPossible ? [] : [labels.ended(0), labels.ended(1), labels.redriven].map(unchanged)),
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
      ofEvent: (...of) => ofEvent(setting, ...of)
    })
  checks.set(path.join(), check)
  return check([...events, labels.end])
}
