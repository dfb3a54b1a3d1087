/**
 * Checks whether a model can make the steps that the code made.
 *
 * Most steps of the model are not seen, so the check follows all states in which it may be. A trace
 * is refused at the first event that leaves no state. Faults that no event shows are not assumed.
 */
import { after, type Faulty, keyOf, type Machine, possible, type Steps } from "./Checker.ts"

/** Returns the states after the steps that an event shows, or after those that no event shows. */
const following = <State extends Faulty>(state: State, steps: Steps<State>, event?: string) =>
  possible(state, steps)
    .filter(({ isRecorded, isSeen, kind, name }) =>
      event === undefined
        ? !isSeen && (kind === "protocol" || isRecorded)
        : isSeen && name === event
    )
    .map((step) => after(state, step))

export const missOf = <State extends Faulty>(
  { first, ofEvent = () => [], steps }: Machine<State>,
  events: ReadonlyArray<string>
): string | undefined => {
  const close = (states: ReadonlyArray<State>): ReadonlyArray<State> => {
    const closed = new Map<string, State>()
    const open = [...states]
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      const key = keyOf(state)
      if (closed.has(key)) continue
      closed.set(key, state)
      open.push(...following(state, steps(state)))
    }
    return [...closed.values()]
  }

  if (events.length === 0) return "the trace is empty"
  let states = close([first])
  for (const [index, event] of [...events, "the end"].entries()) {
    const shown = states.flatMap((state) => {
      const ofModel = following(state, steps(state), event)
      return [...ofModel, ...following(state, ofEvent(state, event, ofModel.length > 0), event)]
    })
    states = close(shown)
    if (states.length === 0) return `event ${index + 1}: no step of the model: ${event}`
  }
  return undefined
}
