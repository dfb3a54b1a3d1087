/**
 * Chooses the sources, the tests and the mutants of a run.
 */
import { execFileSync } from "node:child_process"
import { globSync } from "node:fs"
import type { Numbered } from "./Mutant.ts"

export interface Tester {
  readonly name: string
  readonly tests: RegExp
}

const all = (name: string): Tester => ({ name, tests: /./u })

const laws: Tester = { name: "testkit", tests: /\/(?:Ledger|RequestStore)\.test\.ts$/u }

/** The packages, each with the tests that find its mutants. */
const testers: Readonly<Record<string, ReadonlyArray<Tester>>> = {
  core: [all("core"), all("http"), all("webhook")],
  http: [all("http")],
  webhook: [all("webhook"), laws]
}

export const testersOf = (name: string): ReadonlyArray<Tester> => testers[name] ?? []

const left = /\/(?:index|OpenApi\w+)\.ts$|\/bin\//u

/** Tests of whole programs, which no mutant in this process reaches. */
const outside =
  /(?:Durability|NodeReceiver\.long|pawl-receiver|Server|Outage|Memory|Hover|Connections)\.test\.ts$/u

export const sourcesOf = (root: string, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync(`packages/{${Object.keys(testers).join()}}/src/**/*.ts`, { cwd: root })
    .filter((file) => !left.test(file) && !file.endsWith(".d.ts"))
    .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
    .toSorted()

export interface Part {
  readonly path: string
  readonly first: number
  readonly last: number
}

export const partOf = (argument: string): Part => {
  const [, path = argument, first, last = first] = /^(.+?):(\d+)(?:-(\d+))?$/u.exec(argument) ?? []
  return { path, first: Number(first ?? 0), last: Number(last ?? Infinity) }
}

export const packageOf = (path: string): string => path.split("/")[1] ?? ""

export const testsOf = (
  root: string,
  { name, tests }: Tester,
  pattern: RegExp
): ReadonlyArray<string> =>
  globSync(`packages/${name}/test/**/*.test.ts`, { cwd: root })
    .filter((file) => !outside.test(file) && tests.test(file) && pattern.test(file))
    .toSorted()

export const drawn = (
  mutants: ReadonlyArray<Numbered>,
  size: number,
  seed: number
): ReadonlyArray<Numbered> => {
  let state = seed >>> 0
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
  for (let turn = 0; turn < 8; turn++) next()
  return mutants
    .map((mutant, at) => ({ mutant, at, key: next() }))
    .toSorted((one, two) => one.key - two.key)
    .slice(0, size)
    .toSorted((one, two) => one.at - two.at)
    .map(({ mutant }) => mutant)
}

/** By default the commit is the one that the branch left. */
export const changedLines = (
  root: string,
  base: string
): ReadonlyMap<string, ReadonlySet<number>> => {
  const text = execFileSync(
    "git",
    ["diff", "--unified=0", "--merge-base", base, "--", "packages"],
    {
      cwd: root,
      encoding: "utf8"
    }
  )
  const lines = new Map<string, Set<number>>()
  let current = new Set<number>()
  for (const each of text.split("\n")) {
    const file = /^\+\+\+ b\/(.*)$/u.exec(each)?.[1]
    if (file !== undefined) {
      current = new Set()
      lines.set(file, current)
    }
    const [, first, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/u.exec(each) ?? []
    if (first === undefined) continue
    for (let at = 0; at < Number(count); at++) current.add(Number(first) + at)
  }
  return lines
}
