/**
 * Checks whether a model can make the steps that the code made.
 *
 * Most steps of the model are not seen, so the check follows all states in which it may be. A trace
 * is refused at the first event that leaves no state. Faults that no event shows are not assumed.
 */
import { after, type Faulty, keyOf, possible, type Step, type Steps } from "./Checker.ts"

/**
 * A model that traces follow; its faults have no limit.
 *
 * `ofEvent` returns the steps that an event alone may show; `isPossible` if another step of the
 * state has this event.
 */
export interface Followed<State> {
  readonly first: State
  readonly steps: (state: State) => Steps<State>
  readonly ofEvent: (state: State, event: string, isPossible: boolean) => Steps<State>
}

interface Successors<State> {
  readonly unseen: ReadonlyArray<readonly [string, State]>
  readonly seen: ReadonlyArray<Step<State>>
}

/** The most states whose successors are kept. */
const keptStates = 4000

/** Returns a check of the events of a trace, whose result is the reason why it is refused. */
export const make = <State extends Faulty>({ first, ofEvent, steps }: Followed<State>) => {
  const kept = new Map<string, Successors<State>>()
  const successors = (key: string, state: State): Successors<State> => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const all = possible(state, steps(state))
    const unseen = all
      .filter((step) => step.label === undefined)
      .filter(({ isRecorded, kind }) => kind === "protocol" || isRecorded === true)
      .map((step) => after(state, step))
    const found = {
      unseen: unseen.map((next) => [keyOf(next), next] as const),
      seen: all.filter((step) => step.label !== undefined)
    }
    if (kept.size >= keptStates) kept.clear()
    kept.set(key, found)
    return found
  }

  /** Adds the states to which steps lead that no event shows. */
  const close = (states: Map<string, State>): ReadonlyMap<string, State> => {
    const open = [...states]
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      for (const [key, next] of successors(...entry).unseen) {
        if (states.has(key)) continue
        states.set(key, next)
        open.push([key, next])
      }
    }
    return states
  }

  const start = close(new Map([[keyOf(first), first]]))
  return (events: ReadonlyArray<string>): string | undefined => {
    let states = start
    for (const [index, event] of events.entries()) {
      const following = new Map<string, State>()
      for (const [key, state] of states) {
        const isShown = ({ label }: Step<State>) => label === event
        const ofModel = successors(key, state).seen.filter(isShown)
        const ofTrace = possible(state, ofEvent(state, event, ofModel.length > 0)).filter(isShown)
        for (const step of [...ofModel, ...ofTrace]) {
          const next = after(state, step)
          following.set(keyOf(next), next)
        }
      }
      states = close(following)
      if (states.size === 0) return `event ${index + 1}: no step of the model: ${event}`
    }
    return undefined
  }
}
