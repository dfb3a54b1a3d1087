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

/** The steps of a state; `false` is a step that is not possible. */
export type Steps<State> = ReadonlyArray<Step<State> | false>

/** A state; `faults` is the number of faults that may still come. */
export interface Faulty {
  readonly faults: number
}

/** Returns the constructors of the steps of a model. */
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

/** One of the two processes of a model. */
export type Index = 0 | 1

export const both = [0, 1] as const

/** A process is `stalled` while it or its store stands still, `late` when it goes on without its lease. */
export type Pace = "on time" | "stalled" | "late"

/** Changes one of two. */
export const changed = <A>([one, two]: readonly [A, A], by: Index, change: Partial<A>) =>
  (by === 0 ? [{ ...one, ...change }, two] : [one, { ...two, ...change }]) as readonly [A, A]

export const possible = <State extends Faulty>({ faults }: State, steps: Steps<State>) =>
  steps.filter((step) => step !== false).filter(({ kind }) => kind !== "fault" || faults > 0)

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
  readonly goal: string
  readonly isAtGoal: (state: State) => boolean
  readonly canonical?: (state: State) => unknown
  readonly ofEvent?: (state: State, event: string, isPossible: boolean) => Steps<State>
}

/** Broken models by name: the invariant that breaks first, a small scope that shows it, the change. */
export type Mutants<Scope, Change> = Readonly<
  Record<string, readonly [breaks: string, scope: Scope, change: Change]>
>

/** Returns a text that is the same only for equal values, so far as 128 bits tell them apart. */
export const keyOf = (value: unknown): string => hash("md5", JSON.stringify(value), "base64")

/** Returns the names of the steps made; `broken` has the invariant or goal with the steps to it. */
export const check = <State extends Faulty>(machine: Machine<State>) => {
  const { canonical = identity, first, goal, invariants, isAtGoal, steps } = machine
  const numbers = new Map([[keyOf(canonical(first)), 0]])
  const reached = [{ parent: 0, name: "" }]
  const reaches = [isAtGoal(first)]
  const from: Array<number> = []
  const to: Array<number> = []
  const stepNames = new Set<string>()
  let transitions = 0

  const outcome = (name?: string, last = 0) => {
    const path: Array<string> = []
    for (let at = last; at > 0; at = reached[at]?.parent ?? 0) path.unshift(reached[at]?.name ?? "")
    const broken = name === undefined ? undefined : { name, path }
    return { states: numbers.size, transitions, stepNames, broken }
  }

  let frontier: ReadonlyArray<readonly [number, State]> = [[0, first]]
  while (frontier.length > 0) {
    const following: Array<readonly [number, State]> = []
    for (const [number, state] of frontier) {
      const all = possible(state, steps(state))
      const atOnce = all.find(({ isAtOnce }) => isAtOnce === true)
      for (const step of atOnce === undefined ? all : [atOnce]) {
        transitions++
        stepNames.add(step.name)
        const next = after(state, step)
        const key = keyOf(canonical(next))
        const target = numbers.get(key) ?? numbers.size
        if (target === numbers.size) {
          numbers.set(key, target)
          reached.push({ parent: number, name: step.name })
          reaches.push(isAtGoal(next))
          const broken = Object.keys(invariants).find((law) => invariants[law]?.(next) === false)
          if (broken !== undefined) return outcome(broken, target)
          following.push([target, next])
        }
        if (step.kind === "protocol" && target !== number) {
          from.push(number)
          to.push(target)
        }
      }
    }
    frontier = following
  }
  for (let isChanged = true; isChanged;) {
    isChanged = false
    // Most steps lead to a later state, so the last step is first.
    for (let step = to.length - 1; step >= 0; step--) {
      const source = from[step] ?? 0
      if (reaches[source] === true || reaches[to[step] ?? 0] === false) continue
      reaches[source] = true
      isChanged = true
    }
  }
  const stuck = reaches.indexOf(false)
  return stuck === -1 ? outcome() : outcome(goal, stuck)
}
