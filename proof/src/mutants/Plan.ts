/** The job of a session, and the tests that it runs for a mutant. */

export interface Job {
  readonly tests: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  readonly ids: ReadonlyArray<number>
  /** The time after which no further mutant begins, in milliseconds since the epoch. */
  readonly until: number
  /** The path of a file with a line for each begin and end. The coverage is beside it. */
  readonly log: string
}

export interface Coverage {
  /** Those that pass without a mutant, each with the ids of its file, its suites and itself. */
  readonly tests: Array<{ path: string; steps: ReadonlyArray<string>; milliseconds: number }>
  /** Of each mutant, the ids of the loads of files, hooks of suites and tests that reach it. */
  readonly reached: ReadonlyArray<ReadonlyArray<string>>
}

/** The most milliseconds of one mutant in the tests of a package, and those of the load of a file. */
const [budget, load] = [60_000, 500]

/**
 * Lists the files of tests that may fail under a mutant, within the budget, and at least one. First
 * come files of which a test, and not only their load, reaches the source, and then those that take
 * least for each mutant of it that they found before.
 */
export const planOf = (
  { reached, tests }: Coverage,
  files: Job["files"],
  id: number,
  foundBy: (path: string) => number = () => 0
) => {
  const own = new Set(reached[id])
  const ofSource = new Set(reached.filter((_, each) => files[each] === files[id]).flat())
  const reaching = tests.filter(({ steps }) => steps.some((step) => own.has(step)))
  const ofFile = [...Map.groupBy(reaching, ({ path }) => path)].map(([path, some]) => ({
    path,
    testIds: some.map(({ steps }) => steps.at(-1) ?? ""),
    distance: some.some(({ steps }) => steps.slice(1).some((step) => ofSource.has(step))) ? 0 : 1,
    milliseconds: some.reduce((sum, test) => sum + test.milliseconds, load)
  }))
  const costOf = ({ milliseconds, path }: (typeof ofFile)[number]) =>
    milliseconds / (1 + foundBy(path))
  let left = budget
  return ofFile
    .toSorted((one, two) => one.distance - two.distance || costOf(one) - costOf(two))
    .filter(({ milliseconds }, at) => (left -= milliseconds) >= 0 || at === 0)
}
