/** The files of the repository, and the end of a check of them. */
import { globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

export const root = resolve(import.meta.dirname, "..")

/** The folders of the published packages, from the lowest up. */
export const packages = ["core", "http", "webhook", "testkit", "receiver", "sandbox", "pawl"]

export const read = (path: string): string => readFileSync(resolve(root, path), "utf8")

/** Finds files by patterns, without the declarations that are built. */
export const find = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync(patterns, { cwd: root, exclude: (path) => path.endsWith(".d.ts") }).toSorted()

/** Prints one line per finding. The exit code is 1 if there are any. */
export const report = (findings: ReadonlyArray<string>): void => {
  for (const finding of findings) console.log(finding)
  process.exitCode = findings.length === 0 ? 0 : 1
}
