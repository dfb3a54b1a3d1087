/**
 * The model of the engine: two processes that change one document by compare-and-swap; the owner of
 * a store is such a document. On another version the rule runs again.
 */
import { fault, type Machine, type Mutant, protocol, type Step } from "./Checker.ts"

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

/**
 * A process.
 *
 * - `known`: the document as it knows it; `isSure` if it asked the store in this change.
 * - `made`: the changes that were acknowledged.
 * - `isAtWork`: it works on the store as its owner.
 */
interface Process {
  readonly known: Document | undefined
  readonly isSure: boolean
  readonly writing: Document | undefined
  readonly made: number
  readonly isAtWork: boolean
}

/** A document that each process changes twice, or the owner, which each asks for once. */
export interface Scope {
  readonly document: "changes" | "owner"
  readonly faults: number
}

export const scopes: ReadonlyArray<Scope> = [
  { document: "changes", faults: 3 },
  { document: "owner", faults: 3 }
]

export const law = {
  kept: "a change that was acknowledged is kept",
  version: "a version names one document",
  owner: "a store has one owner",
  goal: "every change is acknowledged"
} as const

const changes: Scope = { document: "changes", faults: 1 }
const owner: Scope = { document: "owner", faults: 0 }

export const mutants = {
  compares: {
    mutant: "a document is written over another version",
    scope: { ...changes, faults: 0 },
    breaks: law.kept
  },
  commitsFirst: {
    mutant: "a process knows a version before its commit",
    scope: changes,
    breaks: law.version
  },
  draws: {
    mutant: "the versions of a document that is made again begin anew",
    scope: changes,
    breaks: law.version
  },
  comparesOwner: {
    mutant: "the owner is read, and then written over whatever is stored",
    scope: owner,
    breaks: law.owner
  },
  asksFirst: {
    mutant: "a process works before it knows the owner",
    scope: owner,
    breaks: law.owner
  },
  refuses: {
    mutant: "a process takes a store that has another owner",
    scope: owner,
    breaks: law.owner
  },
  repeats: {
    mutant:
      "a change that met another version is tried again on the document that its process knew",
    scope: { ...changes, faults: 0 },
    breaks: law.goal
  }
} as const satisfies Readonly<Record<string, Mutant<Scope>>>

export type Rule = keyof typeof mutants

const idle: Process = {
  known: undefined,
  isSure: false,
  writing: undefined,
  made: 0,
  isAtWork: false
}

const ofProcess = (
  state: State,
  by: 0 | 1,
  isOwner: boolean,
  holds: (rule: Rule) => boolean
): ReadonlyArray<Step<State>> => {
  const { deleted, processes, stored } = state
  const process = processes[by]
  const { isSure, known, made, writing } = process
  const go = (change: Partial<Process>, from = state): State => {
    const next = { ...process, ...change }
    const [one, two] = from.processes
    return { ...from, processes: by === 0 ? [next, two] : [one, next] }
  }
  if (writing === undefined) {
    if (made === (isOwner ? 1 : 2)) return []
    const { by: all = [], version } = known ?? {}
    if (!isOwner || all.length === 0) {
      const written: Document = { version: (version ?? 0) + 1, by: [...all, by] }
      const change = { writing: written, isAtWork: isOwner && !holds("asksFirst") }
      return [protocol("a rule changes the document that its process knows", go(change))]
    }
    if (!isSure) {
      const asked = go({ known: stored, isSure: true })
      return [protocol("a rule that changes nothing is asked again", asked)]
    }
    const isAtWork = all[0] === by || !holds("refuses")
    return [protocol("a process learns the owner", go({ made: 1, isAtWork }))]
  }
  // The first version is random.
  const isFirst = known === undefined && holds("draws")
  const written = isFirst ? { ...writing, version: 10 * (deleted + 1) } : writing
  const failed = go({ known: holds("commitsFirst") ? known : written, writing: undefined })
  const isCompared = holds(isOwner ? "comparesOwner" : "compares")
  if (isCompared && stored?.version !== known?.version) {
    const again: Partial<Process> = holds("repeats")
      ? { known: stored, isSure: true, writing: undefined }
      : { writing: undefined }
    return [protocol("a commit meets another version", go(again))]
  }
  const committed: State = { ...state, stored: written }
  const isAtWork = isOwner && writing.by[0] === by
  const done: Partial<Process> = {
    known: written,
    isSure: false,
    writing: undefined,
    made: made + 1,
    isAtWork
  }
  return [
    protocol("a change is committed and acknowledged", go(done, committed)),
    ...fault("a commit fails", state, failed),
    ...fault("a commit takes effect without an answer", state, {
      ...failed,
      stored: written
    })
  ]
}

export const machine = ({ document, faults }: Scope, without?: Rule): Machine<State> => {
  const holds = (rule: Rule) => rule !== without
  const isOwner = document === "owner"
  return {
    first: { stored: undefined, deleted: 0, processes: [idle, idle], faults },
    steps: (state) => {
      const [one, two] = state.processes
      const gone: State = {
        ...state,
        stored: undefined,
        deleted: state.deleted + 1,
        processes: [
          { ...one, made: 0 },
          { ...two, made: 0 }
        ]
      }
      return [
        ...ofProcess(state, 0, isOwner, holds),
        ...ofProcess(state, 1, isOwner, holds),
        ...(isOwner || state.stored === undefined
          ? []
          : fault("the document is deleted", state, gone))
      ]
    },
    invariants: {
      [law.owner]: ({ processes }) => processes.filter(({ isAtWork }) => isAtWork).length <= 1,
      [law.kept]: ({ processes, stored }) =>
        processes.every(
          ({ made }, number) =>
            isOwner || (stored?.by.filter((each) => each === number).length ?? 0) >= made
        ),
      [law.version]: ({ processes, stored }) =>
        processes.every(
          ({ known }) =>
            known === undefined ||
            known.version !== stored?.version ||
            known.by.join() === stored.by.join()
        )
    },
    goal: law.goal,
    isAtGoal: ({ processes }) => processes.every(({ made }) => made === (isOwner ? 1 : 2)),
    canonical: (state) => state
  }
}
