/**
 * Helpers for tests of laws: the laws that a subject breaks, and the tables of docs/laws.md.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { readFileSync } from "node:fs"
import type * as Laws from "../../src/Laws.ts"

/** Checks all laws on a subject and returns the broken ones. */
export const breaks = async <Subject, Value>(
  laws: ReadonlyArray<Laws.Law<Subject, Value>>,
  subject: Subject,
  options?: Laws.Options<Value>
): Promise<ReadonlyArray<Laws.LawBroken>> => {
  const found: Array<Laws.LawBroken> = []
  for (const law of laws) {
    const exit = await Effect.runPromiseExit(Effect.flip(law.check(subject, options)))
    if (Exit.isSuccess(exit)) found.push(exit.value)
  }
  return found
}

export const names = (laws: ReadonlyArray<Laws.LawText>) => laws.map(({ name }) => name)

export const broken = (breaks: ReadonlyArray<Laws.LawBroken>) => names(breaks.map(({ law }) => law))

const page = readFileSync(`${import.meta.dirname}/../../../../docs/laws.md`, "utf8")

/** Returns the table rows of one section of the page, without headers and padding. */
export const rowsOf = (section: string): ReadonlyArray<string> =>
  (page.split(/^## /mu).find((each) => each.startsWith(`${section}\n`)) ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.replaceAll(/\s*\|\s*/gu, "|"))
    .filter((row) => !/^\|(law|bug|-+:?)\|/u.test(row))

/** The steps of the shrunk counterexamples in each section of the page, of the planted bugs that a history shows. */
export const counterexampleSteps: ReadonlyMap<string, ReadonlyArray<number>> = new Map(
  Array.from(page.matchAll(/^## (Of a .+)$/gmu), ([, section = ""]) => {
    const last = rowsOf(section).map((row) => row.split("|").at(-2) ?? "")
    return [section, last.filter((text) => /^\d+$/u.test(text)).map(Number)]
  })
)
