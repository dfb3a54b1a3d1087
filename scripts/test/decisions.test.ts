import { describe, expect, it } from "vitest"
import { index } from "../decisions.ts"

const page = (file: string, title: string, group: string) => ({
  path: `docs/decisions/${file}`,
  text: `# ${title}\n\nGroup: ${group}\n\nText.\n`
})

describe("the index of the decisions", () => {
  it("lists each page under the heading of its group", () => {
    const pages = [
      page("0001-one.md", "One", "Where the specification is silent"),
      page("0002-two.md", "Two", "The test service and the proof"),
      page("0003-three.md", "Three", "Architecture"),
      page("0004-four.md", "Four", "Architecture")
    ]
    expect(index(pages)).toBe(
      [
        "# The decisions",
        "",
        "The title of a page is the decision.",
        "",
        "## Where the specification is silent",
        "",
        "- [0001](0001-one.md): One",
        "",
        "## Architecture",
        "",
        "- [0003](0003-three.md): Three",
        "- [0004](0004-four.md): Four",
        "",
        "## The test service and the proof",
        "",
        "- [0002](0002-two.md): Two",
        ""
      ].join("\n")
    )
  })

  it("rejects a page without a known group", () => {
    expect(() => index([page("0001-one.md", "One", "Maxims")])).toThrow(
      'docs/decisions/0001-one.md has no line "Group: …" with a known group'
    )
    expect(() => index([{ path: "docs/decisions/0001-one.md", text: "# One\n" }])).toThrow(
      "0001-one.md"
    )
  })
})
