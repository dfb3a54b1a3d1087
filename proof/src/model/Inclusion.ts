/**
 * Checks whether the model can make the steps that the code made.
 *
 * Most steps of the model are not seen, so the check follows all states in which it may be. A trace
 * is refused at the first event that leaves no state. Faults that no event shows are not assumed.
 */
import { type Status, statuses } from "@pawl/core/Status"
import { keyOf, type Step } from "./Checker.ts"
import { isTold, steps } from "./Protocol.ts"
import type { Setting } from "./Rules.ts"
import { ofRecorder } from "./Seen.ts"
import { first, type State } from "./State.ts"
import { labels } from "./Step.ts"

export interface Trace {
  readonly path: ReadonlyArray<Status>
  readonly events: ReadonlyArray<string>
}

/**
 * The result of a check; `at` is the index of the refused event, or the number of events if only
 * the end is refused.
 */
export type Verdict =
  | { readonly accepted: true; readonly states: number }
  | { readonly accepted: false; readonly at: number; readonly reason: string }

const maxIncoming = 12
export type States<State> = Map<string, State>

/** The most states whose steps are kept. */
const keptStates = 4000

export const follow = <State>(
  steps: (state: State) => ReadonlyArray<Pick<Step<State>, "label" | "next">>
) => {
  const kept = new Map<
    string,
    ReadonlyArray<{
      readonly label: string | undefined
      readonly key: string
      readonly next: State
    }>
  >()
  const successors = (key: string, state: State) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const found = steps(state).map(({ label, next }) => ({ label, key: keyOf(next), next }))
    if (kept.size >= keptStates) kept.clear()
    kept.set(key, found)
    return found
  }
  return {
    close: (states: States<State>): States<State> => {
      const open = [...states]
      for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
        for (const { key, label, next } of successors(...entry)) {
          if (states.has(key) || label !== undefined) continue
          states.set(key, next)
          open.push([key, next])
        }
      }
      return states
    },
    /** Returns the states to which steps with a label lead. */
    after: (
      states: States<State>,
      event: string,
      isKept: (steps: number) => boolean
    ): States<State> => {
      const following: States<State> = new Map()
      for (const [key, state] of states) {
        const possible = successors(key, state).filter(({ label }) => label === event)
        for (const successor of possible) following.set(successor.key, successor.next)
        if (isKept(possible.length)) following.set(key, state)
      }
      return following
    }
  }
}

/** Labels that are possible at an end. */
const isEnd = new Set([labels.ended(0), labels.ended(1), labels.redriven])

/** Events that may change nothing. */
const isOptional = new Set([
  labels.storeSilent(0),
  labels.storeSilent(1),
  labels.endedEarly(0),
  labels.endedEarly(1),
  labels.leaseTime
])

const stepOf = (event: string): string => {
  if (event === labels.storeSilent(0)) return labels.ended(0)
  return event === labels.storeSilent(1) ? labels.ended(1) : event
}

const makeFollowing = (path: ReadonlyArray<Status>) => {
  const setting: Setting = { path, forged: statuses, faults: Infinity }
  const { after, close } = follow((state: State) =>
    [...steps(state, setting, maxIncoming), ...ofRecorder(state, setting)].filter(
      (step) => step.label !== undefined || step.kind === "protocol" || step.isRecorded
    )
  )
  const start = first(Infinity)
  return {
    start: () => close(new Map([[keyOf(start), start]])),
    follow: (states: States<State>, event: string) =>
      close(
        after(
          states,
          stepOf(event),
          (possible) => isOptional.has(event) || (isEnd.has(event) && possible === 0)
        )
      ),
    isTold: (states: States<State>) => [...states.values()].some((state) => isTold(state, setting))
  }
}

export const make = () => {
  const paths = new Map<string, ReturnType<typeof makeFollowing>>()
  return ({ events, path }: Trace): Verdict => {
    if (events.length === 0) return { accepted: false, at: 0, reason: "the trace is empty" }
    const model = paths.get(path.join()) ?? makeFollowing(path)
    paths.set(path.join(), model)
    let states = model.start()
    let most = states.size
    for (const [at, event] of events.entries()) {
      states = model.follow(states, event)
      if (states.size === 0)
        return { accepted: false, at, reason: `no step of the model: ${event}` }
      most = Math.max(most, states.size)
    }
    return model.isTold(states)
      ? { accepted: true, states: most }
      : { accepted: false, at: events.length, reason: "the end of the transaction was not told" }
  }
}
