/**
 * Checks a model: visits every reachable state, breadth first. An invariant holds in every state.
 * From every reachable state, steps of the protocol alone lead to the goal.
 */

/**
 * A step, which changes some fields of a state.
 *
 * - `kind`: a *protocol* step that stays possible is made at some time. A *move* of the service or
 *   a *fault* may never come.
 * - `label`: the event that shows it.
 * - `isAtOnce`: no other step depends on its changes, so it may be made first.
 * - `isRecorded`: a later event shows this fault.
 */
export interface Step<State> {
  readonly name: string
  readonly kind: "protocol" | "move" | "fault"
  readonly change: Partial<State>
  readonly label?: string | undefined
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
    (kind: Step<State>["kind"]) =>
    (name: string, change: Partial<State>, label?: string): Step<State> => ({
      name,
      kind,
      change,
      label
    })
  const protocol = make("protocol")
  return {
    protocol,
    move: make("move"),
    fault: make("fault"),
    /** Makes a step of the protocol that is named by its event. */
    seen: (label: string, change: Partial<State>) => protocol(label, change, label)
  }
}

/** One of the two processes of a model. */
export type Index = 0 | 1

export const both = [0, 1] as const

/** Changes one of two. */
export const changed = <A>(
  [one, two]: readonly [A, A],
  by: Index,
  change: Partial<A>
): readonly [A, A] => (by === 0 ? [{ ...one, ...change }, two] : [one, { ...two, ...change }])

export const possible = <State extends Faulty>({ faults }: State, steps: Steps<State>) =>
  steps.filter((step) => step !== false && (step.kind !== "fault" || faults > 0)) as ReadonlyArray<
    Step<State>
  >

export const after = <State extends Faulty>(
  state: State,
  { change, kind }: Step<State>
): State => ({
  ...state,
  ...change,
  faults: state.faults - Number(kind === "fault")
})

/** A model; `canonical` returns the same value for states that can do the same. */
export interface Machine<State> {
  readonly first: State
  readonly steps: (state: State) => Steps<State>
  readonly invariants: Readonly<Record<string, (state: State) => boolean>>
  readonly goal: string
  readonly isAtGoal: (state: State) => boolean
  readonly canonical: (state: State) => unknown
}

/** A broken model: the invariant that breaks first, a small scope that shows it, and its name. */
export type Mutant<Scope> = readonly [breaks: string, scope: Scope, mutant: string]

const characters = new Map<unknown, string>()

/** Returns a text that is the same only for equal values. */
export const keyOf = (value: unknown): string => {
  if (typeof value === "object" && value !== null) {
    let key = "("
    for (const name in value) key += keyOf((value as Readonly<Record<string, unknown>>)[name])
    return `${key})`
  }
  const character = characters.get(value)
  if (character !== undefined) return character
  if (characters.size > 1_000_000) throw new Error("The states have too many values")
  const code = 48 + characters.size
  // Half of a surrogate pair would be equal to a part of another character.
  const next = String.fromCodePoint(code < 0xd800 ? code : code + 0x800)
  characters.set(value, next)
  return next
}

/** The names of the steps made; `broken` has the invariant or goal with the steps to it. */
export interface Outcome {
  readonly states: number
  readonly transitions: number
  readonly stepNames: ReadonlySet<string>
  readonly broken: { readonly name: string; readonly path: ReadonlyArray<string> } | undefined
}

const maxStates = 6_000_000

export const check = <State extends Faulty>({
  canonical,
  first,
  goal,
  invariants,
  isAtGoal,
  steps
}: Machine<State>): Outcome => {
  const numbers = new Map([[keyOf(canonical(first)), 0]])
  const reached = [{ parent: 0, name: "" }]
  const isGoal = [isAtGoal(first)]
  const from: Array<number> = []
  const to: Array<number> = []
  const stepNames = new Set<string>()
  let transitions = 0

  const outcome = (broken?: string, last = 0): Outcome => {
    const path: Array<string> = []
    for (let at = last; at > 0; at = reached[at]?.parent ?? 0) path.unshift(reached[at]?.name ?? "")
    return {
      states: numbers.size,
      transitions,
      stepNames,
      broken: broken === undefined ? undefined : { name: broken, path }
    }
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
          isGoal.push(isAtGoal(next))
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
    if (numbers.size > maxStates) return outcome("the limit of states")
    frontier = following
  }
  const stuck = firstWithout(Uint8Array.from(isGoal, Number), from, to)
  return stuck === -1 ? outcome() : outcome(goal, stuck)
}

/** Returns the first state from which no steps lead to a goal, or -1. */
const firstWithout = (
  reaches: Uint8Array,
  from: ReadonlyArray<number>,
  to: ReadonlyArray<number>
): number => {
  let isChanged = true
  while (isChanged) {
    isChanged = false
    // Most steps lead to a later state, so the last step is first.
    for (let step = to.length - 1; step >= 0; step--) {
      const source = from[step] ?? 0
      if (reaches[source] === 1 || reaches[to[step] ?? 0] === 0) continue
      reaches[source] = 1
      isChanged = true
    }
  }
  return reaches.indexOf(0)
}
