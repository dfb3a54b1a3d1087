/**
 * Holds the pages together: no link is dead, no command is unknown, and what is made of something else, the
 * API reference and the index of the decisions, is as fresh as that.
 *
 * Run by itself it prints one line a finding and exits 1 if there are any; `--write` makes anew what is made.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, relative, resolve } from "node:path"
import { dead, type Page, unknownCommands } from "./links.ts"
import * as Reference from "./reference.ts"

const root = resolve(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(resolve(root, path), "utf8")
const find = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync(patterns, { cwd: root, exclude: (path) => path.endsWith(".d.ts") }).toSorted()

const packages = ["core", "http", "webhook", "testkit"]

const reference = (name: string): Page => {
  const source = `packages/${name}/src`
  const modules = find(`${source}/**/*.ts`)
    .map((path) => relative(source, path).replace(/\.ts$/u, ""))
    .filter((module) => module !== "index" && !/^(?:internal|bin)\//u.test(module))
    .map((module) =>
      Reference.read({
        specifier: `@pawl/${name}/${module}`,
        text: read(`${source}/${module}.ts`)
      })
    )
  const { description } = JSON.parse(read(`packages/${name}/package.json`)) as {
    readonly description: string
  }
  return {
    path: `docs/api/${name}.md`,
    text: Reference.write(`@pawl/${name}`, description, modules)
  }
}

const decisions = (): Page => {
  const index = "docs/decisions/README.md"
  const lines = find("docs/decisions/*.md")
    .filter((path) => path !== index)
    .map((path) => {
      const [, title = ""] = /^# (.+)$/mu.exec(read(path)) ?? []
      return `- [${basename(path).slice(0, 4)}](${basename(path)}): ${title}`
    })
  return {
    path: index,
    text: `# The decisions\n\nA page's title is what was decided.\n\n${lines.join("\n")}\n`
  }
}

const made = [...packages.map(reference), decisions()]
if (process.argv.includes("--write")) {
  for (const { path, text } of made) {
    mkdirSync(dirname(resolve(root, path)), { recursive: true })
    writeFileSync(resolve(root, path), text)
  }
}

const { scripts } = JSON.parse(read("package.json")) as {
  readonly scripts: Readonly<Record<string, string>>
}
// Some are pnpm's own.
const commands = new Set([...Object.keys(scripts), "change", "exec", "install", "version"])
const pages = find("*.md", "docs/**/*.md", "packages/*/*.md").map((path) => ({
  path,
  text: read(path)
}))
const isThere = (path: string): boolean => existsSync(resolve(root, path))
const found = [
  ...made
    .filter(({ path, text }) => !isThere(path) || read(path) !== text)
    .map(({ path }) => `${path} is not fresh: pnpm reference makes it anew`),
  ...pages.flatMap((page) => [...dead(page, pages, isThere), ...unknownCommands(page, commands)])
]
for (const finding of found) console.log(finding)
process.exitCode = found.length === 0 ? 0 : 1
