/** The report of the mutants. */
import { dirname } from "node:path"
import { apply, type Mutant } from "./Mutant.ts"

const statuses = ["killed", "late", "alive", "unseen", "equal", "invalid"] as const

/** Result of a mutant; `late`: a test ends only by its time limit, or never. */
export type Status = (typeof statuses)[number]

export type Results = ReadonlyMap<Mutant, Status>

/**
 * The mutants that mean the same, or whose difference no promise is about: for each source and
 * reason, parts of the changed lines, or parts of the lines with what they become.
 */
export type Equal = Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>>

export const linesOf = (mutant: Mutant, source: string) => {
  const from = source.lastIndexOf("\n", mutant.start - 1) + 1
  const end = source.indexOf("\n", mutant.end)
  const range = [from, end < 0 ? source.length : end] as const
  const oneLine = (text: string) => text.trim().replaceAll(/\s+/gu, " ")
  return { before: oneLine(source.slice(...range)), after: oneLine(apply(source, mutant, range)) }
}

export const isEqual = (equal: Equal, mutant: Mutant, source: string): boolean => {
  const { after, before } = linesOf(mutant, source)
  return Object.values(equal[mutant.file] ?? {})
    .flat()
    .some((part) => {
      const [from = "", to] = part.split(" → ")
      if (to === undefined) return after.includes(part) && !before.includes(part)
      return after !== before && before.replace(from, () => to) === after
    })
}

export const isAlive = (status: Status): boolean => status === "alive" || status === "unseen"

/** The score leaves out mutants that are equal or invalid. */
const row = (name: string, some: ReadonlyArray<readonly [Mutant, Status]>): string => {
  const counts = statuses.map((status) => some.filter(([, each]) => each === status).length)
  const [killed = 0, late = 0, alive = 0, unseen = 0] = counts
  const all = killed + late + alive + unseen
  const score = all === 0 ? "–" : `${((100 * (killed + late)) / all).toFixed(1)} %`
  return (
    name.padEnd(48) + [some.length, ...counts, score].map((cell) => `${cell}`.padStart(9)).join("")
  )
}

export const print = (results: Results, read: (path: string) => string): string =>
  [
    " ".repeat(48) + ["tried", ...statuses, "score"].map((cell) => cell.padStart(9)).join(""),
    ...Array.from(
      Map.groupBy(results, ([{ file }]) => dirname(file)),
      ([name, some]) => row(name, some)
    ),
    row("all", [...results]),
    ...[...results]
      .filter(([, status]) => isAlive(status))
      .map(([mutant, status]) => {
        const { after, before } = linesOf(mutant, read(mutant.file))
        return `\n${mutant.file}:${mutant.line} ${status}, ${mutant.operator}\n  - ${before}\n  + ${after}`
      })
  ].join("\n")
