/**
 * The model of the protocol: the steps that are possible in a state, and the invariants.
 *
 * **Details**
 *
 * A state is plain data, and every step is a pure function of it. `docs/model.md` explains the model in pictures.
 */
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal, rank } from "@pawl/core/Status"
import { ofNetwork, ofReceiver, ofShop, statusOf } from "./Outside.ts"
import { ofTime } from "./Pauses.ts"
import type { State } from "./State.ts"
import type { Setting, Step } from "./Step.ts"
import { ofWorker } from "./Working.ts"

/** Returns the steps that are possible in a state, with so many callbacks being accepted at once. */
export const steps = (state: State, setting: Setting, maxIncoming = 1): ReadonlyArray<Step> => [
  ...ofShop(state, setting),
  ...ofNetwork(state, setting, maxIncoming),
  ...ofReceiver(state, setting),
  ...ofWorker(state, 0, setting),
  ...ofWorker(state, 1, setting),
  ...ofTime(state, setting)
]

/** The invariants: each holds in every state. */
export const invariants: Readonly<Record<string, (state: State, setting: Setting) => boolean>> = {
  "a requestId has at most one effect": ({ created }) => created <= 1,
  "nothing that was answered 200 is lost": ({ answered, row }) =>
    (answered & ~(row?.evidence ?? Evidence.none)) === 0,
  "no end is told that the service did not state": ({ committed, moves }, { path }) =>
    committed.every((status) => !isTerminal(status) || path.slice(0, moves).includes(status)),
  "the ranks told never fall": ({ committed }) =>
    committed.every(
      (status, index) => index === 0 || rank(status) >= rank(committed[index - 1] ?? status)
    ),
  "the effects of a transition commit once": ({ committed }) =>
    committed.every((status, index) => status !== committed[index - 1]),
  "one call at a time": ({ isOrphaned, workers }) =>
    workers.filter(({ pace, work }) => pace === "on time" && work.stage === "calling").length +
      Number(isOrphaned) <=
    1
}

/** The goal that is reached again from every state, if only steps of the protocol follow. */
export const goal = "every order is settled and every end is told"

/** Tells whether the handler was told the end that the service states, if it states one. */
export const isTold = (state: State, setting: Setting): boolean => {
  const status = statusOf(setting, state)
  const isOpen = status === undefined || !isTerminal(status)
  return isOpen || (state.row?.told === status && state.committed.at(-1) === status)
}

/** Tells whether a state is at the goal. */
export const isAtGoal = (state: State, setting: Setting): boolean =>
  state.order === "settled" && isTold(state, setting)
