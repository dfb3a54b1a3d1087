/** The index of the decision pages. A line `Group: …` below the title names the group. */
import { basename } from "node:path"
import type { Page } from "./links.ts"

/** The headings of the index, in order. */
const groups = [
  "Where the specification is silent",
  "Architecture",
  "The test service and the proof"
]

export const index = (pages: ReadonlyArray<Page>): string => {
  const entries = pages.map(({ path, text }) => {
    const [, title = ""] = /^# (.+)$/mu.exec(text) ?? []
    const [, group = ""] = /^Group: (.+)$/mu.exec(text) ?? []
    if (!groups.includes(group))
      throw new Error(`${path} has no line "Group: …" with a known group`)
    const file = basename(path)
    return { group, line: `- [${file.slice(0, 4)}](${file}): ${title}\n` }
  })
  const sections = groups.map((group) => {
    const lines = entries.filter((entry) => entry.group === group).map(({ line }) => line)
    return `## ${group}\n\n${lines.join("")}`
  })
  return `# The decisions\n\nThe title of a page is the decision.\n\n${sections.join("\n")}`
}
