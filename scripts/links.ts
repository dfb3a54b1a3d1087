/**
 * The links of the pages, and the commands they name: what they lead to has to be there.
 */
import { posix } from "node:path"

/** A page of Markdown, by its path from the root of the repository. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A page without its code: a heading or a link in there is none. */
const proseOf = (text: string): string => text.replaceAll(/^ *```.*?^ *``` *$/gmsu, "")

/** The names that a browser knows a page's headings by: a second one of the same name gets a number. */
const anchorsOf = (text: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, title = ""] of proseOf(text).matchAll(/^#+ (.+)$/gmu)) {
    const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").toLowerCase()
    const slug = plain.replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-")
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** Finds the links of a page that lead nowhere. */
export const dead = (
  { path, text }: Page,
  pages: ReadonlyArray<Page>,
  isThere: (path: string) => boolean
): ReadonlyArray<string> =>
  Array.from(proseOf(text).matchAll(/\]\(([^()\s]+)\)/gu)).flatMap(([, target = ""]) => {
    if (/^[a-z]+:/iu.test(target)) return []
    const [file = "", anchor] = target.split("#")
    const to = file === "" ? path : posix.join(posix.dirname(path), file)
    if (!isThere(to)) return [`${path} links to ${target}, and there is no ${to}`]
    const page = pages.find((each) => each.path === to)
    return anchor === undefined || page === undefined || anchorsOf(page.text).has(anchor)
      ? []
      : [`${path} links to ${target}, and ${to} has no such heading`]
  })

/** Finds the commands that a page has one type, and that there are not. */
export const unknownCommands = (
  { path, text }: Page,
  commands: ReadonlySet<string>
): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\bpnpm@[\d.]+ ([a-z]+)/gu))
    .filter(([, command = ""]) => !commands.has(command))
    .map(([, command = ""]) => `${path} has one type ${command}, and there is no such command`)
