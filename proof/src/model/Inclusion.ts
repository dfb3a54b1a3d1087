/**
 * Checks whether the model can make the steps that the code made.
 *
 * **Details**
 *
 * A trace is the list of the events that were seen of one transaction: what the journal of each receiver recorded, what the
 * handler was called for and committed, what arrived, what was answered, and what the service did. Most steps of the model
 * are not seen. So the check follows all states in which the model may be: between two events it makes the steps
 * that nobody sees, and at each event it keeps the states that a step with this event leads to. A trace is refused at the
 * first event at which no state is left.
 *
 * Faults that no event shows are not assumed: no stalled process, and no read of an old status. A callback of the service
 * and a forged one look the same, so every callback counts as one that anybody may send.
 */
import { type Status, statuses } from "@pawl/core/Status"
import { isTold, steps } from "./Protocol.ts"
import { rules } from "./Rules.ts"
import { first, keyOf, type State } from "./State.ts"
import { labels, type Setting } from "./Step.ts"

/**
 * A trace.
 *
 * - `path`: the statuses that the service moved the transaction through.
 * - `events`: the labels of the steps that were seen, in order.
 */
export interface Trace {
  readonly path: ReadonlyArray<Status>
  readonly events: ReadonlyArray<string>
}

/** The result of a check. `at` is the index of the event that is refused; the number of events if only the end is. */
export type Verdict =
  | { readonly accepted: true; readonly states: number }
  | { readonly accepted: false; readonly at: number; readonly reason: string }

/** The most callbacks of one transaction that are accepted at once. */
const maxIncoming = 4
/** The states in which the model may be, by their keys. */
type States = Map<string, State>

/** A step, with the key of the state that it leads to. */
interface Successor {
  readonly label: string | undefined
  readonly key: string
  readonly next: State
}

/** The most states whose steps are kept, because traces of one path meet the same states. */
const keptStates = 4000

/** Makes the function that returns the steps of a state that a trace may have: those of faults only if an event shows them. */
const makeSuccessors = (setting: Setting) => {
  const kept = new Map<string, ReadonlyArray<Successor>>()
  return (key: string, state: State): ReadonlyArray<Successor> => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const successors = steps(state, setting, maxIncoming)
      .filter((step) => step.label !== undefined || step.kind === "protocol" || step.isRecorded)
      .map(({ label, next }) => ({ label, key: keyOf(next, false), next }))
    if (kept.size >= keptStates) kept.clear()
    kept.set(key, successors)
    return successors
  }
}

/** Makes the check of the traces of one path. */
const makeFollowing = (path: ReadonlyArray<Status>) => {
  const setting: Setting = { rules, path, forged: statuses }
  const successors = makeSuccessors(setting)

  /** Adds the states that are reached by steps without a label, or with one of `labels`. */
  const close = (states: States, ...labels: ReadonlyArray<string>): States => {
    const open = [...states]
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      for (const { key, label, next } of successors(...entry)) {
        if (states.has(key) || (label !== undefined && !labels.includes(label))) continue
        states.set(key, next)
        open.push([key, next])
      }
    }
    return states
  }

  /** Returns the states to which a step with this label leads. */
  const after = (states: States, event: string): States => {
    const following: States = new Map()
    const isEnd = event === labels.ended(0) || event === labels.ended(1)
    for (const [key, state] of states) {
      const possible = successors(key, state).filter(({ label }) => label === event)
      for (const successor of possible) following.set(successor.key, successor.next)
      // The process may have had no lease. A lease that was renewed late goes on for some more seconds.
      if (event === labels.leaseTime || (isEnd && possible.length === 0)) following.set(key, state)
    }
    return isEnd ? close(following, labels.dropped) : following
  }

  const start = first(Infinity)
  return {
    start: () => close(new Map([[keyOf(start, false), start]])),
    follow: (states: States, event: string) => close(after(states, event)),
    isTold: (states: States) => [...states.values()].some((state) => isTold(state, setting))
  }
}

/** Makes the check of traces. */
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
