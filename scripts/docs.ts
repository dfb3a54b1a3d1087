/**
 * Checks the pages: no link is dead, no command is unknown, and the index of the decisions and
 * `llms.txt` are up to date.
 *
 * `--write` writes both, and the API reference into `docs/api`, one page a module, the most used
 * first.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import * as Decisions from "./decisions.ts"
import * as Index from "./llms.ts"
import { dead, type Page, unknownCommands, unknownFiles } from "./links.ts"
import * as Reference from "./reference.ts"
import { files, find, packages, read, report, root } from "./repository.ts"

const usage = find("README.md", "docs/guides/*.md", "packages/*/README.md", "examples/src/**/*.ts")
  .map(read)
  .join("\n")
const uses = (specifier: string): number => usage.split(`"${specifier}"`).length - 1

const sourceOf = (specifier: string, path: string): Reference.Source => ({
  specifier,
  text: read(path),
  open: (other) => sourceOf(specifier, join(dirname(path), other))
})

const documented = packages.map((name) => {
  const source = `packages/${name}/src`
  const { description, name: specifier } = JSON.parse(read(`packages/${name}/package.json`)) as {
    readonly description: string
    readonly name: string
  }
  const modules = find(`${source}/**/*.ts`)
    .map((path) => relative(source, path).replace(/\.ts$/u, ""))
    .filter((module) => module !== "index" && !/^(?:internal|bin)\//u.test(module))
    .map((module) => Reference.read(sourceOf(`${specifier}/${module}`, `${source}/${module}.ts`)))
    .toSorted((one, two) => uses(two.specifier) - uses(one.specifier))
  return { name: specifier, description, modules }
})

/** The pages that `pnpm reference` builds; they are not committed. */
const reference: ReadonlyArray<Page> = [
  { path: "docs/api/README.md", text: Reference.index(documented) },
  ...documented.flatMap(({ modules }) =>
    modules.map((module) => ({
      path: `docs/api/${Reference.pathOf(module.specifier)}`,
      text: Reference.page(module)
    }))
  )
]

const decisions = (): Page => {
  const index = "docs/decisions/README.md"
  const all = find("docs/decisions/*.md").filter((path) => path !== index)
  return { path: index, text: Decisions.index(all.map((path) => ({ path, text: read(path) }))) }
}

const committed = [
  decisions(),
  { path: "llms.txt", text: Index.llms(read("README.md"), read("docs/README.md")) }
]
if (process.argv.includes("--write")) {
  rmSync(resolve(root, "docs/api"), { recursive: true, force: true })
  for (const { path, text } of [...committed, ...reference]) {
    mkdirSync(dirname(resolve(root, path)), { recursive: true })
    writeFileSync(resolve(root, path), text)
  }
}

const { scripts } = JSON.parse(read("package.json")) as {
  readonly scripts: Readonly<Record<string, string>>
}
// The last are pnpm's own.
const commands = new Set([...Object.keys(scripts), "change", "exec", "install", "version"])
const pages = find("*.md", "docs/**/*.md", "{examples,packages/*}/*.md")
  .filter((path) => !path.startsWith("docs/api/"))
  .map((path) => ({ path, text: read(path) }))
const isThere = (path: string): boolean => existsSync(resolve(root, path))
report([
  ...committed
    .filter(({ path, text }) => !isThere(path) || read(path) !== text)
    .map(({ path }) => `${path} is out of date: run pnpm reference`),
  ...pages.flatMap((page) => [...dead(page, pages, isThere), ...unknownCommands(page, commands)]),
  ...pages
    .filter(({ path }) => path.startsWith("docs/decisions/"))
    .flatMap((page) => unknownFiles(page, files()))
])
