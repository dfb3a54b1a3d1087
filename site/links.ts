/**
 * The links of the pages. The site has the pages, and a copy of each other file to which a page
 * links.
 */
import { globSync, readdirSync, readFileSync, statSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve } from "node:path"

export const root = resolve(import.meta.dirname, "..")

/** The Markdown that becomes pages, by its paths from the root of the repository. */
const pages: ReadonlySet<string> = new Set(
  globSync(["*.md", "docs/**/*.md", "examples/README.md", "packages/*/README.md"], { cwd: root })
)

/** Other Markdown of the repository, for the generator. */
export const others: ReadonlyArray<string> = globSync("**/*.md", {
  cwd: root,
  exclude: ["**/node_modules", "site"]
}).filter((path) => !pages.has(path))

export const pathOf = (page: string): string => page.replace(/(?<![^/])README\.md$/u, "index.md")

/** Files and folders of the repository to which a page links. */
const sources = new Set<string>()

/** Returns the link of the site for a link of the page in `file`. */
export const hrefOf = (file: string, href: string): string => {
  if (/^(?:[a-z]+:|[#/])/u.test(href)) return href
  const [path = "", anchor = ""] = href.split(/(?=#)/u)
  const target = relative(root, resolve(dirname(file), path))
  if (pages.has(target)) return `/${pathOf(target)}${anchor}`
  sources.add(target)
  return `/source/${target}.txt`
}

/** Writes the files to which pages link; of a folder, the list of its files. */
export const writeSources = async (site: string): Promise<void> => {
  for (const source of sources) {
    const from = join(root, source)
    const text = statSync(from).isDirectory()
      ? readdirSync(from, { encoding: "utf8", recursive: true }).toSorted().join("\n")
      : readFileSync(from)
    const to = join(site, "source", `${source}.txt`)
    await mkdir(dirname(to), { recursive: true })
    await writeFile(to, text)
  }
}
