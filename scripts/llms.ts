/**
 * `llms.txt`, the index for language models (https://llmstxt.org): the first paragraph of the
 * README, and the links of `docs/README.md` by paths from the root.
 */
import { posix } from "node:path"

export const llms = (readme: string, documentation: string): string => {
  const [, title = "", summary = ""] = /^# (.+?)\n\n(.+?)\n\n/su.exec(readme) ?? []
  const sections = documentation
    .replace(/^# .+\n/u, "")
    .replaceAll(/\n {2,}/gu, " ")
    .split("\n\n")
    .map((paragraph) => section(paragraph.trim()))
  return `# ${title}\n\n> ${summary.replaceAll("\n", " ")}\n\n${sections.join("")}`
}

/** A paragraph that ends with a colon is the heading of the list below it. */
const section = (paragraph: string): string => {
  if (paragraph.endsWith(":")) return `## ${paragraph.slice(0, -1)}\n\n`
  const text = paragraph
    .replaceAll(/^\d+\. /gmu, "- ")
    .replaceAll(/\]\(([^)]+)\)/gu, (_, target: string) => `](${posix.join("docs", target)})`)
  return `${text}\n\n`
}
