/** Chooses the sources, the tests and the mutants of a run. */
import { execFileSync } from "node:child_process"
import { hash } from "node:crypto"
import { globSync } from "node:fs"
import type { Mutant } from "./Mutant.ts"

/** The packages, each with those whose tests find its mutants. */
export const testers: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: ["core", "http", "webhook"],
  http: ["http"],
  webhook: ["webhook", "testkit", "receiver", "pawl"]
}

export const packageOf = (path: string): string => path.split("/")[1] ?? ""

/** The tests of a Durable Object run in workerd. */
const left = /\/(?:index|OpenApi\w+|DurableObject\w*|\w+\.d)\.ts$|\/bin\//u

export const sourcesOf = (root: string): ReadonlyArray<string> =>
  globSync(`packages/{${Object.keys(testers).join()}}/src/**/*.ts`, { cwd: root })
    .filter((file) => !left.test(file))
    .toSorted()

/** Tests of whole programs, which no mutant in this process reaches. */
const outside =
  /(?:NodeReceiver\.long|pawl-receiver|LedgerServer|Hover|Connections|browser)\.test\.ts$|(?:receiver|pawl|testkit)\/.*\.long\.test\.ts$/u

export const testsOf = (root: string, name: string, pattern: RegExp): ReadonlyArray<string> =>
  globSync(`${root}/packages/${name}/test/**/*.test.ts`)
    .filter((file) => !outside.test(file) && pattern.test(file))
    .toSorted()

/** Lines of the files whose paths begin with a text. */
export interface Part {
  readonly path: string
  readonly first: number
  readonly last: number
}

export const isIn = (parts: ReadonlyArray<Part>, { file, line }: Mutant): boolean =>
  parts.some(({ first, last, path }) => file.startsWith(path) && line >= first && line <= last)

export const partOf = (argument: string): Part => {
  const [, path = argument, first, last = first] = /^(.+?):(\d+)(?:-(\d+))?$/u.exec(argument) ?? []
  return { path, first: Number(first ?? 0), last: Number(last ?? Infinity) }
}

/** The lines that differ from the commit at which the branch left its base. */
export const changedParts = (root: string, base: string): ReadonlyArray<Part> => {
  const command = ["diff", "--unified=0", "--merge-base", base, "--", "packages"]
  let path = ""
  return execFileSync("git", command, { cwd: root, encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      path = /^\+\+\+ b\/(.*)$/u.exec(line)?.[1] ?? path
      const [, first, count = "1"] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/u.exec(line) ?? []
      const last = Number(first) + Number(count) - 1
      return first === undefined ? [] : [{ path, first: Number(first), last }]
    })
}

export const drawn = (mutants: ReadonlyArray<Mutant>, size: number, seed: number) => {
  const keyOf = ({ end, file, start, text }: Mutant) =>
    hash("sha1", [seed, file, start, end, text].join("\n"))
  return mutants
    .map((mutant) => ({ mutant, key: keyOf(mutant) }))
    .toSorted((one, two) => (one.key < two.key ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant)
}
