/** The model of the protocol: the possible steps of a state, and the invariants (`docs/proof.md`). */
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal, rank, statuses } from "@pawl/core/Status"
import { both, type Machine } from "./Checker.ts"
import * as Inclusion from "./Inclusion.ts"
import { joined, ofNetwork, ofReceiver, ofShop, statusOf } from "./Outside.ts"
import { type Rule, type Scope, type Setting } from "./Rules.ts"
import { canonical, hasLease, seen, State, type Steps } from "./State.ts"
import { pathOf } from "./Traces.ts"
import { ofTime, ofWorker, withWorker } from "./Working.ts"

/** Tells whether the handler was called with the service's end, if there is one. */
const isTold = (state: State, setting: Setting): boolean => {
  const status = statusOf(setting, state)
  const isOpen = status === undefined || !isTerminal(status)
  return isOpen || (state.row?.told === status && state.committed.at(-1) === status)
}

/** Events that may change nothing, and those that change nothing only if they show no other step. */
const alwaysIdle = /^(the time of a lease passed|a clock ended |the store gave )/u
const perhapsIdle = /^(receiver . ended|redriven)$/u

/** Steps that only the events of a trace show; the checker does not make them. */
const ofEvent = (setting: Setting, state: State, event: string, isPossible: boolean): Steps => {
  const { moves, row, workers } = state
  return [
    // The response of a registration may have a later status, and the shop may crash before it
    // settles the order.
    ...setting.path
      .slice(0, moves)
      .map((status) =>
        seen(`registered ${status}`, joined(state, setting, Evidence.confirmed(status), true))
      ),
    ...both.flatMap((by): Steps => {
      if (row === undefined) return []
      const isOwner = hasLease(state, by)
      const left = (isOver: boolean) => ({
        row: { ...row, lease: { by: "dead", isOver } as const }
      })
      const unreadable = withWorker(state, by, { work: { stage: "done" } })
      // A process that works on the row still leaves its next lease to run out.
      const claimsAgain = row.lease?.isOver === true && workers[by].work.stage !== "idle"
      return [
        isOwner && seen(`a clock ended the lease of worker ${by}`, left(true)),
        isOwner && seen(`worker ${by} parked, unreadable`, unreadable),
        claimsAgain && seen("the time of a lease passed", left(false))
      ]
    }),
    (alwaysIdle.test(event) || (!isPossible && perhapsIdle.test(event))) && seen(event, {}),
    isTold(state, setting) && seen("the end", {})
  ]
}

export const machine = (scope: Scope, without?: Rule): Machine<State> => {
  const setting: Setting = { ...scope, without }
  return {
    first: { ...new State(), faults: scope.faults },
    steps: (state) => [
      ...ofShop(state, setting),
      ...ofNetwork(state, setting),
      ...ofReceiver(state, setting),
      ...both.flatMap((by) => ofWorker(state, by, setting)),
      ...ofTime(state, setting)
    ],
    invariants: {
      stored: ({ answered, row }) => (answered & ~(row?.evidence ?? Evidence.none)) === 0,
      confirmed: ({ committed, moves }) =>
        committed.every((to) => !isTerminal(to) || scope.path.slice(0, moves).includes(to)),
      ranks: ({ committed }) =>
        committed.every((status, index) => rank(status) >= rank(committed[index - 1] ?? status)),
      effects: ({ committed }) =>
        committed.every((status, index) => status !== committed[index - 1]),
      calls: ({ isOrphaned, workers }) =>
        workers.filter(({ pace, work }) => pace === "on time" && work.stage === "calling").length +
          Number(isOrphaned) <=
        1,
      awaited: ({ isAwake, row }) => isAwake || row === undefined || !row.isDue
    },
    isAtGoal: (state) => state.isRegistered && isTold(state, setting),
    canonical,
    ofEvent: (...of) => ofEvent(setting, ...of)
  }
}

/** Returns the reason why a trace is not one of the model. At its end the handler has the last end. */
export const missOf = (events: ReadonlyArray<string>): string | undefined => {
  const scope = { path: pathOf(events), forged: statuses, faults: Infinity, maxIncoming: 12 }
  return Inclusion.missOf(machine(scope), events)
}
