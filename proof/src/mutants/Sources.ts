/** Chooses the sources, the tests and the mutants of a run. */
import { execFileSync } from "node:child_process"
import { hash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Mutant } from "./Mutant.ts"

export const root = join(import.meta.dirname, "../../..")

export const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** The packages, each with those whose tests find its mutants. The tests of a group run together. */
export const testers: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {
  core: [["core"], ["http", "webhook"]],
  http: [["http"]],
  webhook: [
    ["webhook", "testkit"],
    ["receiver", "pawl"]
  ]
}

export const packageOf = (path: string): string => path.split("/")[1] ?? ""

/** The tests of a Durable Object run in workerd. */
const left = /\/(?:index|OpenApi\w+|DurableObject\w*|\w+\.d)\.ts$|\/bin\//u

export const sources = globSync("packages/{core,http,webhook}/src/**/*.ts", { cwd: root })
  .filter((file) => !left.test(file))
  .toSorted()

/** Tests of whole programs, which no mutant in this process reaches. */
const outside =
  /(?:NodeReceiver\.long|pawl-receiver|LedgerServer|Hover|Connections|browser)\.test\.ts$|(?:receiver|pawl|testkit)\/.*\.long\.test\.ts$/u

export const testsOf = (names: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> =>
  names
    .flatMap((name) => globSync(`${root}/packages/${name}/test/**/*.test.ts`))
    .filter((file) => !outside.test(file) && pattern.test(file))
    .toSorted()

/** Is a mutant in a part of the sources, such as `packages/core/src/Amount` or `Amount.ts:40-60`? */
export const isIn = ({ file, line }: Mutant, parts: ReadonlyArray<string>): boolean =>
  parts.some((part) => {
    const [, path = part, first, last = first] = /^(.+?):(\d+)(?:-(\d+))?$/u.exec(part) ?? []
    return file.startsWith(path) && line >= Number(first ?? 0) && line <= Number(last ?? Infinity)
  })

/** The lines that differ from the commit at which the branch left its base. */
export const changed = (base: string): ReadonlyArray<string> => {
  const command = ["diff", "--unified=0", "--merge-base", base, "--", "packages"]
  const diff = execFileSync("git", command, { cwd: root, encoding: "utf8" })
  return diff.split(/^\+\+\+ b\//mu).flatMap((ofFile) =>
    Array.from(ofFile.matchAll(/^@@ \S+ \+(\d+)(?:,(\d+))? @@/gmu), ([, first, count = 1]) => {
      const last = Number(first) + Number(count) - 1
      return `${ofFile.split("\n")[0]}:${first}-${last}`
    })
  )
}

export const drawn = (mutants: ReadonlyArray<Mutant>, size: number, seed: number) => {
  const keyOf = ({ end, file, start, text }: Mutant) =>
    hash("sha1", [seed, file, start, end, text].join("\n"))
  const ofKey = Object.groupBy(mutants, keyOf)
  const keys = Object.keys(ofKey).toSorted().slice(0, size)
  return keys.flatMap((key) => ofKey[key] ?? [])
}
