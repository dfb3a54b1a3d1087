/**
 * The check of the built files: every link within the site leads to a file and an anchor, and nothing is requested from another
 * host.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"

const decode = (text: string): string =>
  decodeURIComponent(
    text.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&")
  )

const valuesOf = (html: string, pattern: RegExp): Array<string> =>
  Array.from(html.matchAll(pattern), ([, value = ""]) => decode(value))

const isElsewhere = (url: string): boolean => /^(?:https?:)?\/\//iu.test(url)

export interface Built {
  readonly pages: number
  readonly links: number
  readonly faults: ReadonlyArray<string>
}

export const check = (site: string): Built => {
  const files = new Set(readdirSync(site, { recursive: true, encoding: "utf8" }))
  const pages = Array.from(files)
    .filter((path) => path.endsWith(".html"))
    .map((path) => {
      const html = readFileSync(join(site, path), "utf8")
      return {
        path,
        anchors: new Set(valuesOf(html, /\sid="([^"]+)"/gu)),
        links: valuesOf(html, /<a\s[^>]*?href="([^"]+)"/gu).filter((url) => !isElsewhere(url)),
        requests: [
          ...valuesOf(html, /\s(?:src|srcset|poster|data)="([^"]+)"/gu),
          ...valuesOf(html, /<link\s[^>]*?href="([^"]+)"/gu)
        ]
      }
    })
  const anchorsOf = new Map(pages.map(({ anchors, path }) => [path, anchors]))

  const faultOf = (from: string, link: string): ReadonlyArray<string> => {
    if (/^(?:mailto|data):/u.test(link)) return []
    const [path = "", anchor] = link.split("#")
    const folder = path.startsWith("/") ? "" : posix.dirname(from)
    const to = path === "" ? from : posix.join("/", folder, path).slice(1)
    const file = to.replace(/(^|\/)$/u, "$1index.html")
    if (!files.has(file)) return [`${from} links to ${link}, but the site has no ${file}`]
    return anchor === undefined || anchor === "" || anchorsOf.get(file)?.has(anchor) === true
      ? []
      : [`${from} links to ${link}, but ${file} has no such anchor`]
  }

  const styles = Array.from(files)
    .filter((path) => path.endsWith(".css"))
    .flatMap((path) =>
      valuesOf(readFileSync(join(site, path), "utf8"), /(?:url\(|@import\s*)["']?([^"')]+)/gu).map(
        (url) => ({ path, url })
      )
    )
  const requests = [
    ...pages.flatMap(({ path, requests }) => requests.map((url) => ({ path, url }))),
    ...styles
  ]
  return {
    pages: pages.length,
    links: pages.reduce((sum, { links }) => sum + links.length, 0),
    faults: [
      ...pages.flatMap(({ links, path }) => links.flatMap((link) => faultOf(path, link))),
      ...requests
        .filter(({ url }) => isElsewhere(url))
        .map(({ path, url }) => `${path} requests ${url}`)
    ]
  }
}
