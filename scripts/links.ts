/**
 * The link check: relative links lead to files and headings that exist, named commands are scripts
 * of package.json, and a decision names only files that exist.
 */
import Slugger from "github-slugger"
import { posix } from "node:path"

export interface Page {
  readonly path: string
  readonly text: string
}

/** Returns a page without its code, which may look like headings and links. */
const proseOf = (text: string): string => text.replaceAll(/^ *```.*?^ *``` *$/gmsu, "")

/** As GitHub makes them. */
const anchorsOf = (text: string): ReadonlySet<string> => {
  const slugger = new Slugger()
  const headings = Array.from(proseOf(text).matchAll(/^#+ (.+)$/gmu), ([, title = ""]) => title)
  return new Set(headings.map((title) => slugger.slug(title.replaceAll(/\]\([^)]*\)/gu, ""))))
}

/** Pattern of a link, with or without a title, and of the target of a reference. */
const link = /\]\(([^()\s]+)(?: "[^"\n]*")?\)|^\[[^\]\n]+\]: *(\S+)/gmu

export const dead = (
  { path, text }: Page,
  pages: ReadonlyArray<Page>,
  isThere: (path: string) => boolean
): ReadonlyArray<string> =>
  Array.from(proseOf(text).matchAll(link)).flatMap(([, inline = "", target = inline]) => {
    if (/^[a-z]+:/iu.test(target)) return []
    const [file = "", anchor] = target.split("#")
    const to = file === "" ? path : posix.join(posix.dirname(path), file)
    if (!isThere(to)) return [`${path} links to ${target}, but ${to} does not exist`]
    const page = pages.find((each) => each.path === to)
    return anchor === undefined || page === undefined || anchorsOf(page.text).has(anchor)
      ? []
      : [`${path} links to ${target}, but ${to} has no such heading`]
  })

export const unknownFiles = ({ path, text }: Page, files: ReadonlyArray<string>) =>
  Array.from(proseOf(text).matchAll(/`([^`\n]+)`/gu), ([, code = ""]) => code)
    .filter(
      (code) =>
        /^\.?[\w-]+(?:\/[\w.-]+)*\.(?:ts|mjs|md|sql|yml|py|css)$/u.test(code) ||
        /^(?:internal|packages|docs|proof|scripts|examples|bench|runtimes|vectors|deploy)\//u.test(
          code
        )
    )
    .filter((code) => {
      const name = `/${code.replace(/\/$/u, "")}`
      const isNamed = (file: string) =>
        file.endsWith(name) || file.endsWith(`${name}.ts`) || file.includes(`${name}/`)
      return !files.some((file) => isNamed(`/${file}`))
    })
    .map((code) => `${path} names ${code}, which does not exist`)

export const unknownCommands = ({ path, text }: Page, commands: ReadonlySet<string>) =>
  Array.from(text.matchAll(/\bpnpm@[\d.]+ ([a-z][a-z-]*)/gu))
    .filter(([, command = ""]) => !commands.has(command))
    .map(([, command = ""]) => `${path} names the command ${command}, which does not exist`)
