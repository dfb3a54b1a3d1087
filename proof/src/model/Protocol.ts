/**
 * The model of the protocol: the possible steps of a state, and the invariants (`docs/proof.md`).
 */
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal, rank } from "@pawl/core/Status"
import type { Machine, Step } from "./Checker.ts"
import { ofNetwork, ofReceiver, ofShop, statusOf } from "./Outside.ts"
import { holds, law, type Setting } from "./Rules.ts"
import { canonical, first, type State } from "./State.ts"
import { ofTime, ofWorker } from "./Working.ts"

export const steps = (
  state: State,
  setting: Setting,
  maxIncoming = 1
): ReadonlyArray<Step<State>> => [
  ...ofShop(state, setting),
  ...ofNetwork(state, setting, maxIncoming),
  ...ofReceiver(state, setting),
  ...ofWorker(state, 0, setting),
  ...ofWorker(state, 1, setting),
  ...ofTime(state, setting)
]

/** Tells whether the handler was called with the service's end, if there is one. */
export const isTold = (state: State, setting: Setting): boolean => {
  const status = statusOf(setting, state)
  const isOpen = status === undefined || !isTerminal(status)
  return isOpen || (state.row?.told === status && state.committed.at(-1) === status)
}

export const machine = (setting: Setting): Machine<State> => ({
  first: first(setting.faults),
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
