/** The job of a session, and the tests that it runs for a mutant. */
import { basename } from "node:path"

/** The name of the function that says whether a mutant is switched on. */
export const question = "__pawlMutant"

export interface Job {
  readonly root: string
  readonly sources: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
  /** The source of each mutant. */
  readonly files: ReadonlyArray<string>
  /** The mutants to try. */
  readonly ids: ReadonlyArray<number>
  /** The most milliseconds of tests of one mutant. */
  readonly budget: number
  /** The time after which no further mutant begins, in milliseconds since the epoch. */
  readonly until: number
  readonly results: string
  readonly coverage: string
}

/** A test that passes without a mutant, with the mutants that it or a hook before it reaches. */
export interface CoveredTest {
  readonly path: string
  readonly id: string
  readonly milliseconds: number
  readonly ids: ReadonlyArray<number>
  readonly hooks: ReadonlyArray<{ readonly id: string; readonly milliseconds: number }>
}

export interface Coverage {
  readonly tests: ReadonlyArray<CoveredTest>
  /** The mutants that each test file reaches while it loads. */
  readonly loads: Readonly<Record<string, ReadonlyArray<number>>>
  readonly hits: ReadonlyArray<number>
}

export interface Candidate {
  readonly path: string
  readonly ids: Array<string>
  milliseconds: number
}

/**
 * Lists the tests that may fail under a mutant, as many as the budget allows, and at least one. The
 * tests named for the source come first, then the fastest.
 */
export const candidatesOf = (
  { loads, tests }: Pick<Coverage, "loads" | "tests">,
  { budget, files }: Pick<Job, "budget" | "files">,
  id: number
): ReadonlyArray<Candidate> => {
  const source = files[id] ?? ""
  const isOwn = ({ path }: CoveredTest) => basename(path).startsWith(`${basename(source, ".ts")}.`)
  const loading = tests.filter(({ path }) => loads[path]?.includes(id))
  const reaching = tests.filter(
    (test) =>
      test.ids.includes(id) ||
      (loading.includes(test) && (isOwn(test) || test.ids.some((each) => files[each] === source)))
  )
  const timeOf = ({ hooks, milliseconds }: CoveredTest, paid: ReadonlySet<string>) =>
    hooks.reduce((sum, hook) => sum + (paid.has(hook.id) ? 0 : hook.milliseconds), milliseconds)
  const byTime = (reaching.length > 0 ? reaching : loading)
    .map((test) => ({ test, time: timeOf(test, new Set()) }))
    .toSorted((one, two) => one.time - two.time)
    .map(({ test }) => test)
  const paid = new Set<string>()
  const found = new Map<string, Candidate>()
  let left = byTime[0] === undefined ? 0 : Math.max(budget, timeOf(byTime[0], paid))
  for (const test of [...byTime.filter(isOwn), ...byTime.filter((each) => !isOwn(each))]) {
    const { hooks, id, path } = test
    const time = timeOf(test, paid)
    if (time > left) continue
    left -= time
    for (const hook of hooks) paid.add(hook.id)
    const candidate = found.get(path) ?? { path, ids: [], milliseconds: 0 }
    found.set(path, candidate)
    candidate.ids.push(id)
    candidate.milliseconds += time
  }
  return [...found.values()]
}
