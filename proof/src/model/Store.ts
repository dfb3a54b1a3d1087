/**
 * The model of the engine: two processes that change one document by compare-and-swap; the owner of
 * a store is such a document. On another version the rule runs again.
 */
import { both, changed, kinds } from "./Checker.ts"
import type { Index, Machine, Mutants, Steps as StepsOf } from "./Checker.ts"

interface Document {
  readonly version: number
  readonly by: ReadonlyArray<number>
}

interface State {
  readonly stored: Document | undefined
  readonly deleted: number
  readonly processes: readonly [Process, Process]
  readonly faults: number
}

/** A process, before it knows the document. */
class Process {
  readonly known: Document | undefined = undefined
  /** Whether it asked the store in this change. */
  readonly isSure: boolean = false
  readonly writing: Document | undefined = undefined
  /** The changes that were acknowledged. */
  readonly made: number = 0
  /** Whether it works on the store as its owner. */
  readonly isAtWork: boolean = false
}

type Steps = StepsOf<State>
const { fault, protocol } = kinds<State>()

/** `times`: how often each process changes the document, which is the owner if it does once. */
export interface Scope {
  readonly times: 1 | 2
  readonly faults: number
}

const changes: Scope = { times: 2, faults: 1 }
const owner: Scope = { times: 1, faults: 0 }
const none: Scope = { ...changes, faults: 0 }

export const scopes = [changes, owner].map((scope) => ({ ...scope, faults: 3 }))

export const mutants = {
  "a document is written over another version": ["kept", none, "compares"],
  "a process knows a version before its commit": ["version", changes, "commitsFirst"],
  "the versions of a document that is made again begin anew": ["version", changes, "draws"],
  "the owner is read, and then written over whatever is stored": ["owner", owner, "compares"],
  "a process works before it knows the owner": ["owner", owner, "asksFirst"],
  "a process takes a store that has another owner": ["owner", owner, "refuses"],
  "a change that met another version knows only the old one": ["goal", none, "repeats"]
} as const satisfies Mutants<Scope, string>

type Rule = (typeof mutants)[keyof typeof mutants][2]

const ofProcess = (
  { deleted, processes, stored }: State,
  by: Index,
  times: Scope["times"],
  without?: Rule
): Steps => {
  const isOwner = times === 1
  const { isSure, known, made, writing } = processes[by]
  const go = (change: Partial<Process>) => ({ processes: changed(processes, by, change) })
  if (writing === undefined) {
    if (made === times) return []
    const { by: all = [], version = 0 } = known ?? {}
    if (!isOwner || all.length === 0) {
      const change = { version: version + 1, by: [...all, by] }
      const begun = go({ writing: change, isAtWork: isOwner && without === "asksFirst" })
      return [protocol("a rule changes the document that its process knows", begun)]
    }
    if (!isSure) {
      const asked = go({ known: stored, isSure: true })
      return [protocol("a rule that changes nothing is asked again", asked)]
    }
    const isAtWork = all[0] === by || without === "refuses"
    return [protocol("a process learns the owner", go({ made: 1, isAtWork }))]
  }
  if (without !== "compares" && stored?.version !== known?.version) {
    const again = without !== "repeats" && { known: stored, isSure: true }
    return [protocol("a commit meets another version", go({ ...again, writing: undefined }))]
  }
  // The first version is random.
  const isFirst = known === undefined && without !== "draws"
  const written = isFirst ? { ...writing, version: 10 * (deleted + 1) } : writing
  const failed = go({ known: without === "commitsFirst" ? written : known, writing: undefined })
  const isAtWork = isOwner && writing.by[0] === by
  const done = { known: written, isSure: false, writing: undefined, made: made + 1, isAtWork }
  return [
    protocol("a change is committed and acknowledged", { ...go(done), stored: written }),
    fault("a commit fails", failed),
    fault("a commit takes effect without an answer", { ...failed, stored: written })
  ]
}

export const machine = ({ faults, times }: Scope, without?: Rule): Machine<State> => ({
  first: { stored: undefined, deleted: 0, processes: [new Process(), new Process()], faults },
  steps: (state) => {
    const forgotten = changed(changed(state.processes, 0, { made: 0 }), 1, { made: 0 })
    const deleted = { stored: undefined, deleted: state.deleted + 1, processes: forgotten }
    return [
      ...both.flatMap((by) => ofProcess(state, by, times, without)),
      times > 1 && state.stored !== undefined && fault("the document is deleted", deleted)
    ]
  },
  invariants: {
    owner: ({ processes }) => processes.filter(({ isAtWork }) => isAtWork).length <= 1,
    kept: ({ processes, stored }) =>
      times === 1 ||
      processes.every(
        ({ made }, by) => made <= (stored?.by ?? []).filter((of) => of === by).length
      ),
    version: ({ processes, stored }) =>
      processes.every(
        ({ known }) => known?.version !== stored?.version || known?.by.join() === stored?.by.join()
      )
  },
  isAtGoal: ({ processes }) => processes.every(({ made }) => made === times)
})
