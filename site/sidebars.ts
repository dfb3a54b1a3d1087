/**
 * The sidebars: the indexes of the repository, with their headings and links.
 */
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import type { DefaultTheme } from "vitepress"
import { pathOf, root } from "./links.ts"

type Item = DefaultTheme.SidebarItem

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Returns a title with a capital; a name in code is kept. */
const titled = (title: string): string =>
  title.startsWith("`") ? title.replaceAll("`", "") : title.charAt(0).toUpperCase() + title.slice(1)

/** Returns the links of a text of the page at `path`. The title of a decision follows its number. */
const linksOf = (path: string, text: string): Array<Item> =>
  Array.from(
    text.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)(?:: (.+))?/gu),
    ([, title = "", target = "", rest = ""]) => ({
      text: /^\d+$/u.test(title) ? `${title} ${rest}` : titled(title),
      link: `/${pathOf(posix.join(posix.dirname(path), target))}`
    })
  )

const groupsOf = (path: string): Array<Item> =>
  read(path)
    .split(/^## /mu)
    .map((section, index) => {
      const [title = "", ...lines] = section.split("\n")
      return { text: index === 0 ? "Start" : title, items: linksOf(path, lines.join("\n")) }
    })
    .filter(({ items }) => items.length > 0)

const packages: Item = {
  text: "Packages",
  items: linksOf("README.md", read("README.md").replaceAll(/^(?!\| \[`).*$/gmu, ""))
}

export const sidebars: DefaultTheme.SidebarMulti = {
  "/docs/api/": groupsOf("docs/api/README.md"),
  "/docs/decisions/": groupsOf("docs/decisions/README.md"),
  "/": [...groupsOf("llms.txt"), packages]
}
