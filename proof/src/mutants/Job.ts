/** The job of a session, and its results. */
import { basename } from "node:path"

/** Job of a session; paths of tests are absolute. */
export interface Job {
  readonly root: string
  readonly sources: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  readonly ids: ReadonlyArray<number>
  /** The time after which no further mutant begins, in milliseconds since the epoch. */
  readonly until: number
  readonly results: string
  readonly coverage: string
}

/** A test, or the hooks of a suite before it. */
interface Reach {
  readonly id: string
  readonly milliseconds: number
  readonly ids: ReadonlyArray<number>
}

/** A test file: the mutants reached while it loads, its hooks, and its tests. */
export interface CoveredFile {
  readonly path: string
  readonly loads: Array<number>
  readonly hooks: Array<Reach>
  readonly tests: Array<Reach>
  readonly failed: Array<string>
}

export interface Coverage {
  readonly files: ReadonlyArray<CoveredFile>
  readonly hits: ReadonlyArray<number>
}

export interface Candidate {
  readonly path: string
  readonly ids: ReadonlyArray<string>
  readonly milliseconds: number
}

/** The most milliseconds of tests that are not named for the source. */
const maxMilliseconds = 30_000

const shortTime = 100

const isIn = (test: Reach, suite: Reach): boolean => test.id.startsWith(`${suite.id}_`)

const suiteOf = ({ id }: Reach): string => id.slice(0, id.lastIndexOf("_"))

const timeOf = (all: ReadonlyArray<{ readonly milliseconds: number }>): number =>
  all.reduce((sum, { milliseconds }) => sum + milliseconds, 0)

const byTime = (one: Candidate, two: Candidate): number => one.milliseconds - two.milliseconds

/**
 * Lists the tests that may fail under a mutant: those named for its source come first, then the
 * fastest.
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
  const select = (isSelected: (ids: ReadonlyArray<number>, file: CoveredFile) => boolean) =>
    coverage.files.flatMap((file) => {
      const reaching = file.hooks.filter(({ ids }) => isSelected(ids, file))
      const selected = file.tests.filter(
        (test) => isSelected(test.ids, file) || reaching.some((hook) => isIn(test, hook))
      )
      const hooksOf = (test: Reach) => file.hooks.filter((hook) => isIn(test, hook))
      // Tests that share slow hooks run together.
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
