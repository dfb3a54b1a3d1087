import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { readFileSync } from "node:fs"
import type * as Laws from "@pawl/testkit/Laws"

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

const docs = `${import.meta.dirname}/../../docs`
const page = readFileSync(`${docs}/laws.md`, "utf8")
const situations = readFileSync(`${docs}/situations.md`, "utf8")

export const lawsOf = (section: string): ReadonlyArray<string> => {
  const text = page.split(/^## /mu).find((each) => each.startsWith(`${section}\n`)) ?? ""
  const lines = text.matchAll(/^(?:- (.+)|(\d+)\. \[(.+)\]\(conform-laws\.md#law-\2\))$/gmu)
  return Array.from(lines, ([, law, , linked = ""]) => law ?? linked)
}

/** The second table of docs/situations.md: how many steps the counterexamples of planted bugs have. */
export const summaries = Array.from(
  situations.matchAll(/^\| (of a .+?) +\| +(\d+) \| +(\d+) \| +(\d+) \|$/gmu),
  ([, list = "", ...numbers]) => {
    const [bugs = 0, median = 0, most = 0] = numbers.map(Number)
    return { list, bugs, median, most }
  }
)

/** Of a counterexample that is a history, or has one. */
export const stepsOf = (broken: Laws.LawBroken | undefined): number | undefined => {
  const steps = Reflect.get(Object(broken?.counterexample), "steps") ?? broken?.counterexample
  return Array.isArray(steps) ? steps.length : undefined
}
