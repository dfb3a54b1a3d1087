/**
 * Checks the model: visits every state that is reachable with so many faults, breadth first.
 *
 * **Details**
 *
 * An invariant is checked in every state. A broken one is reported with a shortest sequence of steps that leads there.
 *
 * The goal is checked under fairness: from every reachable state, steps of the protocol alone can lead to the goal. So a run
 * that makes each step that is possible again and again, and has no further fault, reaches the goal again and again.
 */
import { goal, invariants, isAtGoal, steps } from "./Protocol.ts"
import { first, keyOf, type State } from "./State.ts"
import type { Setting } from "./Step.ts"

/**
 * The result of a check.
 *
 * - `stepNames`: the names of the steps that were made.
 * - `broken`: the name of the invariant or of the goal, and the steps that lead to the state that breaks it.
 */
export interface Outcome {
  readonly states: number
  readonly transitions: number
  readonly stepNames: ReadonlySet<string>
  readonly broken: { readonly name: string; readonly path: ReadonlyArray<string> } | undefined
}

/** The most states that are visited; a check of more fails. */
const maxStates = 6_000_000

/** Checks every state of a setting with at most `faults` faults. */
export const check = (setting: Setting, faults: number): Outcome => {
  const isSymmetric = setting.rules.usesLedgerClock
  const numbers = new Map<string, number>()
  const parents: Array<number> = []
  const names: Array<string> = []
  const isGoal: Array<boolean> = []
  /** The steps of the protocol, as pairs of states. */
  const from: Array<number> = []
  const to: Array<number> = []
  const stepNames = new Set<string>()
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
  const brokenIn = (state: State): string | undefined =>
    Object.entries(invariants).find(([, holds]) => !holds(state, setting))?.[0]

  const add = (key: string, state: State, parent: number, name: string): number => {
    const number = numbers.size
    numbers.set(key, number)
    parents.push(parent)
    names.push(name)
    isGoal.push(isAtGoal(state, setting))
    return number
  }

  const start = first(faults)
  add(keyOf(start, isSymmetric), start, 0, "")
  let frontier: ReadonlyArray<readonly [number, State]> = [[0, start]]
  while (frontier.length > 0) {
    const following: Array<readonly [number, State]> = []
    for (const [number, state] of frontier) {
      const possible = steps(state, setting)
      const atOnce = possible.find(({ isAtOnce }) => isAtOnce === true)
      for (const { kind, name, next } of atOnce === undefined ? possible : [atOnce]) {
        transitions++
        stepNames.add(name)
        const key = keyOf(next, isSymmetric)
        let target = numbers.get(key)
        if (target === undefined) {
          target = add(key, next, number, name)
          const broken = brokenIn(next)
          if (broken !== undefined) {
            return outcome({ name: broken, path: pathTo(target) })
          }
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

/** Returns the first state from which no sequence of steps leads to a state at the goal. */
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
