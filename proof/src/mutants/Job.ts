/**
 * The job of a session: its mutants and tests, and what it learns about them.
 */
import { basename } from "node:path"

/** Paths of sources are relative to the root of the repository, and those of tests are absolute. */
export interface Job {
  readonly root: string
  readonly sources: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
  /** The sources of all mutants, by number. */
  readonly files: ReadonlyArray<string>
  /** The numbers of the mutants to try, in order. */
  readonly ids: ReadonlyArray<number>
  /** The time after which no further mutant is begun, in milliseconds since the epoch. */
  readonly until: number
  /** The files for the results and the coverage. */
  readonly results: string
  readonly coverage: string
}

/** A test, or what the hooks of a suite do before a test: the mutants that it reaches, and its time. */
interface Reach {
  /** The id of the test or of the suite, as Vitest gives it: that of the suite, `_`, and a position in the suite. */
  readonly id: string
  readonly milliseconds: number
  readonly ids: ReadonlyArray<number>
}

/** A test file: the mutants reached while it loads, its hooks, its tests that pass, and the names of those that fail. */
export interface CoveredFile {
  readonly path: string
  readonly loads: Array<number>
  readonly hooks: Array<Reach>
  readonly tests: Array<Reach>
  readonly failed: Array<string>
}

export interface Coverage {
  readonly files: ReadonlyArray<CoveredFile>
  /** How often each mutant was reached. */
  readonly hits: ReadonlyArray<number>
}

/** The tests of a file that may fail under a mutant. */
export interface Candidate {
  readonly path: string
  readonly ids: ReadonlyArray<string>
  readonly milliseconds: number
}

/** The most milliseconds of tests that are not named for the source, so that no survivor takes long. */
const maxMilliseconds = 30_000

/** The time in milliseconds of hooks that may run several times. */
const shortTime = 100

const isIn = (test: Reach, suite: Reach): boolean => test.id.startsWith(`${suite.id}_`)

const suiteOf = ({ id }: Reach): string => id.slice(0, id.lastIndexOf("_"))

const timeOf = (all: ReadonlyArray<{ readonly milliseconds: number }>): number =>
  all.reduce((sum, { milliseconds }) => sum + milliseconds, 0)

const byTime = (one: Candidate, two: Candidate): number => one.milliseconds - two.milliseconds

/**
 * Lists the tests that may fail under a mutant, by file: those that reach it, themselves or by a hook of their suite. If it
 * is evaluated while a file loads, these are all tests of a file that is named for the source, and those of others that reach
 * a mutant of the source, or else every test of a file that loads it. Tests named for the source come first, then the fastest
 * files. Of the others the fastest tests are run.
 */
export const candidatesOf = (
  coverage: Coverage,
  { files }: Pick<Job, "files">,
  id: number
): ReadonlyArray<Candidate> => {
  const source = files[id] ?? ""
  const own = basename(source, ".ts")
  const isOwn = ({ path }: { readonly path: string }): boolean =>
    basename(path).startsWith(`${own}.`)
  /** Returns the selected tests in parts, with the time of the hooks that run before them. */
  const select = (isSelected: (ids: ReadonlyArray<number>, file: CoveredFile) => boolean) =>
    coverage.files.flatMap((file) => {
      const reaching = file.hooks.filter(({ ids }) => isSelected(ids, file))
      const selected = file.tests.filter(
        (test) => isSelected(test.ids, file) || reaching.some((hook) => isIn(test, hook))
      )
      const hooksOf = (test: Reach) => file.hooks.filter((hook) => isIn(test, hook))
      // Tests that share hooks which take long are run together.
      const parts = Map.groupBy(selected, (test) =>
        timeOf(hooksOf(test)) < shortTime ? test.id : suiteOf(test)
      )
      return [...parts.values()].map((tests): Candidate => {
        const hooks = new Set(tests.flatMap(hooksOf))
        const milliseconds = timeOf([...hooks]) + timeOf(tests)
        return { path: file.path, ids: tests.map((test) => test.id), milliseconds }
      })
    })
  const reaching = select((ids, file) =>
    file.loads.includes(id)
      ? isOwn(file) || ids.some((each) => files[each] === source)
      : ids.includes(id)
  )
  const parts = reaching.length > 0 ? reaching : select((_, { loads }) => loads.includes(id))
  let left = maxMilliseconds
  const affordable = parts.toSorted(byTime).filter((part, at) => {
    if (isOwn(part)) return true
    left -= part.milliseconds
    return at === 0 || left > 0
  })
  const inOrder = [...Map.groupBy(affordable, ({ path }) => path)]
    .map(([path, parts]): Candidate => ({
      path,
      ids: parts.flatMap(({ ids }) => ids),
      milliseconds: timeOf(parts)
    }))
    .toSorted(byTime)
  return [...inOrder.filter(isOwn), ...inOrder.filter((candidate) => !isOwn(candidate))]
}
