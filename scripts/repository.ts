/** The files and packages of the repository, and the end of a check of them. */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

export const root = resolve(import.meta.dirname, "..")

/** The folders of the published packages, from the lowest up. */
export const packages = ["core", "http", "webhook", "testkit", "receiver", "sandbox", "pawl"]

export const read = (path: string): string => readFileSync(resolve(root, path), "utf8")

/** Finds files by patterns, without the declarations that are built. */
export const find = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync(patterns, { cwd: root, exclude: (path) => path.endsWith(".d.ts") }).toSorted()

/** Lists the files that git does not ignore. */
export const files = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const args = ["ls-files", "-z", "-co", "--exclude-standard", ...patterns]
  return execFileSync("git", args, { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && existsSync(resolve(root, path)))
}

export const nameOf = (folder: string): string => (folder === "pawl" ? folder : `@pawl/${folder}`)

/** The environment without pnpm's variables; npm_config_* are settings of the user. */
export const plainEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^p?npm_(?!config_)/iu.test(name))
)

/** Prints one line per finding. The exit code is 1 if there are any. */
export const report = (findings: ReadonlyArray<string>): void => {
  for (const finding of findings) console.log(finding)
  process.exitCode = findings.length === 0 ? 0 : 1
}
