/** The report of the mutants. */
import { apply } from "./Edit.ts"
import type { Mutant } from "./Mutant.ts"

/** Result of a mutant; `timed out`: a test ends only by its time limit, or never. */
export type Status = "killed" | "timed out" | "survived" | "not covered"

export interface Result {
  readonly mutant: Mutant
  readonly status: Status
  readonly by?: string | undefined
}

/** A mutant that means the same, or whose difference no promise is about. */
export interface Equal {
  readonly file: string
  readonly line: string
  readonly mutant: string
  readonly why: string
}

export const linesOf = (mutant: Mutant, source: string) => {
  const from = source.lastIndexOf("\n", mutant.start - 1) + 1
  const end = source.indexOf("\n", mutant.end)
  const range = [from, end < 0 ? source.length : end] as const
  const oneLine = (text: string) => text.trim().replaceAll(/\s+/gu, " ")
  return { line: oneLine(source.slice(...range)), mutant: oneLine(apply(source, mutant, range)) }
}

export const isListed = (equal: ReadonlyArray<Equal>, mutant: Mutant, source: string): boolean => {
  const lines = linesOf(mutant, source)
  return equal.some(
    (each) => each.file === mutant.file && each.line === lines.line && each.mutant === lines.mutant
  )
}

export const isAlive = ({ status }: Result): boolean =>
  status === "survived" || status === "not covered"

export interface Figures {
  readonly tried: number
  readonly killed: number
  readonly timedOut: number
  readonly survived: number
  readonly notCovered: number
  readonly equal: number
}

export const figuresOf = (
  results: ReadonlyArray<Result>,
  isEqual: (result: Result) => boolean
): Figures => {
  const count = (status: Status) =>
    results.filter((each) => each.status === status && !isEqual(each)).length
  return {
    tried: results.length,
    killed: count("killed"),
    timedOut: count("timed out"),
    survived: count("survived"),
    notCovered: count("not covered"),
    equal: results.filter((each) => isAlive(each) && isEqual(each)).length
  }
}

/** The percentage of mutants, without equal ones, that a test finds. */
export const shareOf = ({ equal, killed, timedOut, tried }: Figures): string => {
  const matter = tried - equal
  return matter === 0 ? "–" : `${((100 * (killed + timedOut)) / matter).toFixed(1)} %`
}

const columns = (cells: ReadonlyArray<string | number>): string =>
  cells.map((cell, at) => (at === 0 ? String(cell).padEnd(52) : String(cell).padStart(9))).join("")

export const print = (
  results: ReadonlyArray<Result>,
  equal: ReadonlyArray<Equal>,
  read: (path: string) => string
): string => {
  const isEqual = (result: Result): boolean =>
    isAlive(result) && isListed(equal, result.mutant, read(result.mutant.file))
  const row = (name: string, some: ReadonlyArray<Result>) => {
    const figures = figuresOf(some, isEqual)
    return columns([name, ...Object.values(figures), shareOf(figures)])
  }
  const files = Map.groupBy(results, ({ mutant }) => mutant.file)
  const alive = results.filter((each) => isAlive(each) && !isEqual(each))
  return [
    columns(["", "tried", "killed", "late", "alive", "unseen", "equal", "found"]),
    ...Array.from(files, ([file, some]) => row(file, some)),
    row("all", results),
    ...alive.map(({ mutant, status }) => {
      const lines = linesOf(mutant, read(mutant.file))
      return `\n${mutant.file}:${mutant.line} ${status}, ${mutant.operator}\n  - ${lines.line}\n  + ${lines.mutant}`
    })
  ].join("\n")
}

export const list = (mutants: ReadonlyArray<Mutant>, read: (path: string) => string): string =>
  mutants
    .map((mutant) => {
      const lines = linesOf(mutant, read(mutant.file))
      return `${mutant.file}:${mutant.line} ${mutant.operator}\n  - ${lines.line}\n  + ${lines.mutant}`
    })
    .join("\n")
