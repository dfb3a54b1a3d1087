/**
 * Checks a model: visits every reachable state, breadth first. An invariant holds in every state.
 * From every reachable state, steps of the protocol alone lead to the goal.
 */
import { identity } from "effect/Function"
import { hash } from "node:crypto"

/**
 * A step, which changes some fields of a state.
 *
 * - `kind`: a *protocol* step that stays possible is made at some time. A *move* of the service or
 *   a *fault* may never come.
 * - `isSeen`: an event with its name shows it.
 * - `isAtOnce`: no other step depends on its changes, so it may be made first.
 * - `isRecorded`: a later event shows this fault.
 */
export interface Step<State> {
  readonly name: string
  readonly kind: "protocol" | "move" | "fault"
  readonly change: Partial<State>
  readonly isSeen: boolean
  readonly isAtOnce?: boolean
  readonly isRecorded?: boolean
}

/** The steps of a state; `false` and `undefined` are steps that are not possible. */
export type Steps<State> = ReadonlyArray<Step<State> | false | undefined>

/** `faults` is the number of faults that may still come. */
export interface Faulty {
  readonly faults: number
}

export const kinds = <State>() => {
  const make =
    (usual: Step<State>["kind"], isSeen = false) =>
    (name: string, change: Partial<State>, kind = usual): Step<State> => ({
      name,
      kind,
      change,
      isSeen
    })
  return { protocol: make("protocol"), fault: make("fault"), seen: make("protocol", true) }
}

export type Index = 0 | 1

export const both = [0, 1] as const

/** A process is `stalled` while it or its store stands still, `late` when it goes on without its lease. */
export type Pace = "on time" | "stalled" | "late"

export const changed = <A>([one, two]: readonly [A, A], by: Index, change: Partial<A>) =>
  (by === 0 ? [{ ...one, ...change }, two] : [one, { ...two, ...change }]) as readonly [A, A]

export const possible = <State extends Faulty>({ faults }: State, steps: Steps<State>) =>
  steps.flatMap((step) => (step && (step.kind !== "fault" || faults > 0) ? [step] : []))

export const after = <State extends Faulty>(state: State, step: Step<State>): State => ({
  ...state,
  ...step.change,
  faults: state.faults - Number(step.kind === "fault")
})

/**
 * A model. `canonical` returns the same value for states that can do the same; `ofEvent` the steps
 * that only an event of a trace shows, where `isPossible` tells whether it shows another step.
 */
export interface Machine<State> {
  readonly first: State
  readonly steps: (state: State) => Steps<State>
  readonly invariants: Readonly<Record<string, (state: State) => boolean>>
  readonly isAtGoal: (state: State) => boolean
  readonly canonical?: (state: State) => unknown
  readonly ofEvent?: (state: State, event: string, isPossible: boolean) => Steps<State>
}

/** Broken models by name: the invariant that breaks first (or "goal"), a small scope that shows it, the change. */
export type Mutants<Scope, Change> = Readonly<
  Record<string, readonly [breaks: string, scope: Scope, change: Change]>
>

/** Returns a text that is the same only for equal values, so far as 128 bits tell them apart. */
export const keyOf = (value: unknown): string => hash("md5", JSON.stringify(value), "base64")

/** A state that was visited first by a step from `parent`; steps of the protocol lead to it from `before`. */
interface Visited<State> {
  readonly state: State
  readonly name: string
  readonly parent: Visited<State> | undefined
  readonly before: Array<Visited<State>>
}

/** Returns the names of the steps made; `broken` has the invariant or goal with the steps to it. */
export const check = <State extends Faulty>(machine: Machine<State>) => {
  const { canonical = identity, first, invariants, isAtGoal, steps } = machine
  const all = new Map<string, Visited<State>>()
  const stepNames = new Set<string>()
  let transitions = 0

  const visit = (state: State, name: string, parent?: Visited<State>) => {
    const key = keyOf(canonical(state))
    const visited = all.get(key) ?? { state, name, parent, before: [] }
    all.set(key, visited)
    return visited
  }
  const outcome = (name: string, last: Visited<State> | undefined) => {
    const path: Array<string> = []
    for (let at = last; at?.parent !== undefined; at = at.parent) path.unshift(at.name)
    return { states: all.size, transitions, stepNames, broken: last && { name, path } }
  }

  visit(first, "")
  // The loop goes on with the states that it adds.
  for (const visited of all.values()) {
    const { state } = visited
    const broken = Object.keys(invariants).find((law) => invariants[law]?.(state) === false)
    if (broken !== undefined) return outcome(broken, visited)
    const next = possible(state, steps(state))
    const atOnce = next.find(({ isAtOnce }) => isAtOnce)
    for (const step of atOnce === undefined ? next : [atOnce]) {
      transitions++
      stepNames.add(step.name)
      const { before } = visit(after(state, step), step.name, visited)
      if (step.kind === "protocol") before.push(visited)
    }
  }
  const states = [...all.values()]
  const reaching = new Set(states.filter(({ state }) => isAtGoal(state)))
  for (const { before } of reaching) for (const visited of before) reaching.add(visited)
  const stuck = states.find((visited) => !reaching.has(visited))
  return outcome("goal", stuck)
}
