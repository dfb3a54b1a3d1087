import { dirname } from "node:path"
import { apply, type Mutant } from "./Mutant.ts"

/**
 * The mutants that mean the same, or whose difference no promise is about: for each source and
 * reason, parts of the changed lines, or of the text `before → after`, that are not in `before`.
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
  const parts = Object.values(equal[mutant.file] ?? {}).flat()
  return parts.some((part) => `${before} → ${after}`.includes(part) && !before.includes(part))
}

export const isAlive = ({ status }: Mutant): boolean => status === "alive" || status === "unseen"

/** The share that is found leaves out mutants that are equal or invalid. */
const row = (name: string, mutants: ReadonlyArray<Mutant>): string => {
  const ofStatus = Map.groupBy(mutants, ({ status }) => status ?? "not tried")
  const counts = Array.from(ofStatus, ([status, { length }]) => `${length} ${status}`).toSorted()
  const found = mutants.filter(({ status }) => status === "killed" || status === "late").length
  const all = found + mutants.filter(isAlive).length
  return `${name}: ${counts.join(", ")}; ${found} of ${all} found`
}

export const print = (mutants: ReadonlyArray<Mutant>, read: (path: string) => string): string => {
  const groups = [...Map.groupBy(mutants, ({ file }) => dirname(file)), ["all", mutants] as const]
  const alive = mutants.filter(isAlive).map((mutant) => {
    const { after, before } = linesOf(mutant, read(mutant.file))
    return `\n${mutant.file}:${mutant.line} ${mutant.status}\n  - ${before}\n  + ${after}`
  })
  return [...groups.map(([name, some]) => row(name, some)), ...alive].join("\n")
}
