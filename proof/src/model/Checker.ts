/**
 * Checks a model: visits every reachable state, breadth first. An invariant holds in every state.
 * From every reachable state, steps of the protocol alone lead to the goal.
 */

/**
 * A step.
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
  readonly label?: string | undefined
  readonly isAtOnce?: boolean
  readonly isRecorded?: boolean
  readonly next: State
}

/** A model; `canonical` returns the same value for states that can do the same. */
export interface Machine<State> {
  readonly first: State
  readonly steps: (state: State) => ReadonlyArray<Step<State>>
  readonly invariants: Readonly<Record<string, (state: State) => boolean>>
  readonly goal: string
  readonly isAtGoal: (state: State) => boolean
  readonly canonical: (state: State) => unknown
}

/** A broken model, a small scope that shows it, and the invariant that breaks first. */
export interface Mutant<Scope> {
  readonly mutant: string
  readonly scope: Scope
  readonly breaks: string
}

export const protocol = <State>(
  name: string,
  next: State,
  more: Pick<Step<State>, "isAtOnce" | "label"> = {}
): Step<State> => ({ name, kind: "protocol", ...more, next })

export const fault = <State extends { readonly faults: number }>(
  name: string,
  { faults }: State,
  next: NoInfer<State>,
  more: Pick<Step<State>, "isRecorded" | "label"> = {}
): ReadonlyArray<Step<State>> =>
  faults === 0 ? [] : [{ name, kind: "fault", ...more, next: { ...next, faults: faults - 1 } }]

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
  if (characters.size > 60_000) throw new Error("The states have too many values")
  const next = String.fromCharCode(48 + characters.size)
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

export const check = <State>({
  canonical,
  first,
  goal,
  invariants,
  isAtGoal,
  steps
}: Machine<State>): Outcome => {
  const numbers = new Map<string, number>()
  const parents: Array<number> = []
  const names: Array<string> = []
  const isGoal: Array<boolean> = []
  const from: Array<number> = []
  const to: Array<number> = []
  const stepNames = new Set<string>()
  const laws = Object.entries(invariants)
  let transitions = 0
  const outcome = (broken: Outcome["broken"]): Outcome => ({
    states: numbers.size,
    transitions,
    stepNames,
    broken
  })

  const pathTo = (number: number): ReadonlyArray<string> => {
    const path: Array<string> = []
    for (let at = number; at > 0; at = parents[at] ?? 0) path.push(names[at] ?? "")
    return path.toReversed()
  }

  const add = (key: string, state: State, parent: number, name: string): number => {
    const number = numbers.size
    numbers.set(key, number)
    parents.push(parent)
    names.push(name)
    isGoal.push(isAtGoal(state))
    return number
  }

  add(keyOf(canonical(first)), first, 0, "")
  let frontier: ReadonlyArray<readonly [number, State]> = [[0, first]]
  while (frontier.length > 0) {
    const following: Array<readonly [number, State]> = []
    for (const [number, state] of frontier) {
      const possible = steps(state)
      const atOnce = possible.find(({ isAtOnce }) => isAtOnce === true)
      for (const { kind, name, next } of atOnce === undefined ? possible : [atOnce]) {
        transitions++
        stepNames.add(name)
        const key = keyOf(canonical(next))
        let target = numbers.get(key)
        if (target === undefined) {
          target = add(key, next, number, name)
          const broken = laws.find(([, holds]) => !holds(next))?.[0]
          if (broken !== undefined) return outcome({ name: broken, path: pathTo(target) })
          following.push([target, next])
        }
        if (kind === "protocol" && target !== number) {
          from.push(number)
          to.push(target)
        }
      }
    }
    if (numbers.size > maxStates) return outcome({ name: "the limit of states", path: [] })
    frontier = following
  }
  const stuck = firstWithout(isGoal, from, to)
  return outcome(stuck === undefined ? undefined : { name: goal, path: pathTo(stuck) })
}

const firstWithout = (
  isGoal: ReadonlyArray<boolean>,
  from: ReadonlyArray<number>,
  to: ReadonlyArray<number>
): number | undefined => {
  // The steps by their target, in one array: those into state `n` are at `starts[n]` to `starts[n + 1]`.
  const starts = new Int32Array(isGoal.length + 1)
  for (const target of to) starts[target + 1] = (starts[target + 1] ?? 0) + 1
  for (let at = 1; at < starts.length; at++) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0)
  const sources = new Int32Array(to.length)
  const filled = starts.slice()
  for (const [index, target] of to.entries()) {
    const at = filled[target] ?? 0
    sources[at] = from[index] ?? 0
    filled[target] = at + 1
  }
  const reaches = new Uint8Array(isGoal.length)
  const open: Array<number> = []
  for (const [number, is] of isGoal.entries()) {
    if (!is) continue
    reaches[number] = 1
    open.push(number)
  }
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    for (let at = starts[number] ?? 0; at < (starts[number + 1] ?? 0); at++) {
      const source = sources[at] ?? 0
      if (reaches[source] === 1) continue
      reaches[source] = 1
      open.push(source)
    }
  }
  const stuck = reaches.indexOf(0)
  return stuck === -1 ? undefined : stuck
}
