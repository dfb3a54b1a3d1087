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

/** A test file: the mutants reached while it loads, its tests that pass, and the names of those that fail. */
export interface CoveredFile {
  readonly path: string
  readonly loads: Array<number>
  readonly tests: Array<{
    readonly id: string
    readonly milliseconds: number
    readonly ids: ReadonlyArray<number>
  }>
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

/**
 * Lists the tests that may fail under a mutant, by file: those that reach it. If it is evaluated while a file loads, these
 * are all tests of a file that is named for the source, and those of others that reach a mutant of the source, or else every
 * test of a file that loads it. Tests named for the source come first, then the fastest.
 */
export const candidatesOf = (
  coverage: Coverage,
  { files }: Pick<Job, "files">,
  id: number
): ReadonlyArray<Candidate> => {
  const source = files[id] ?? ""
  const own = basename(source, ".ts")
  const isOwn = (path: string): boolean => basename(path).startsWith(`${own}.`)
  const select = (isSelected: (ids: ReadonlyArray<number>, file: CoveredFile) => boolean) =>
    coverage.files.flatMap((file) => {
      const selected = file.tests.filter(({ ids }) => isSelected(ids, file))
      const milliseconds = selected.reduce((sum, test) => sum + test.milliseconds, 0)
      return selected.length === 0
        ? []
        : [{ path: file.path, ids: selected.map((test) => test.id), milliseconds }]
    })
  const reaching = select((ids, { loads, path }) =>
    loads.includes(id)
      ? isOwn(path) || ids.some((each) => files[each] === source)
      : ids.includes(id)
  )
  const candidates = reaching.length > 0 ? reaching : select((_, { loads }) => loads.includes(id))
  const inOrder = candidates.toSorted((one, two) => one.milliseconds - two.milliseconds)
  let left = maxMilliseconds
  return [
    ...inOrder.filter(({ path }) => isOwn(path)),
    ...inOrder.filter(({ milliseconds, path }) => !isOwn(path) && (left -= milliseconds) > 0)
  ]
}
