/** The index of the decision pages. A line `Group: …` below the title names the group. */
import { basename } from "node:path"
import type { Page } from "./links.ts"

/** The headings of the index by group, in order. */
const headings = new Map([
  ["Specification", "Where the specification is silent"],
  ["Architecture", "Architecture"],
  ["Proof", "The test service and the proof"]
])

export const index = (pages: ReadonlyArray<Page>): string => {
  const entries = pages.map(({ path, text }) => {
    const [, title = ""] = /^# (.+)$/mu.exec(text) ?? []
    const [, group = ""] = /^Group: (.+)$/mu.exec(text) ?? []
    if (!headings.has(group)) throw new Error(`${path} has no line "Group: …" with a known group`)
    const file = basename(path)
    return { group, line: `- [${file.slice(0, 4)}](${file}): ${title}\n` }
  })
  const sections = Array.from(headings, ([group, heading]) => {
    const lines = entries.filter((entry) => entry.group === group).map(({ line }) => line)
    return `## ${heading}\n\n${lines.join("")}`
  })
  return `# The decisions\n\nThe title of a page is the decision.\n\n${sections.join("\n")}`
}
