import { describe, expect, it } from "vitest"
import { findings } from "../prose.ts"

const found = (path: string, text: string): ReadonlyArray<string> =>
  findings(path, text).map((finding) => finding.replace(/ names no subject: .*$/u, ""))

describe("the prose check", () => {
  it.each([
    ["a line comment", "// What fails is retried.\nexport {}", 1],
    ["a doc comment", "/**\n * Retries. What hangs is interrupted.\n */\nexport {}", 2],
    [
      "a sentence over two lines",
      "/**\n * Retries.\n *\n * Who waits\n * gives up.\n */\nexport {}",
      4
    ],
    ["a list in a comment", "/**\n * - Whoever waits gives up.\n */\nexport {}", 2],
    ["the name of a test", 'it("What fails is retried", () => {})', 1],
    ["a template", "const text = `Whatever failed ${1} is retried`", 1],
    ["a second half", "// It is retried; what hangs is interrupted.\nexport {}", 1]
  ])("finds a clause in the place of a subject in %s", (_, source, line) => {
    expect(found("a.ts", source)).toEqual([`a.ts:${line}`])
  })

  it.each([
    ["a heading", "# What pawl is\n"],
    ["a paragraph", "Some text. That which fails is retried.\n"],
    ["a cell of a table", "| a | What fails is retried |\n"],
    ["a list item", "- Who waits gives up\n"]
  ])("finds one in %s of a page", (_, page) => {
    expect(found("a.md", page)).toEqual(["a.md:1"])
  })

  it.each([
    ["a question", "a.ts", "// What fails?\nexport {}"],
    ["a clause that is an object", "a.ts", "// Says what failed.\nexport {}"],
    ["code in a page", "a.md", "```text\nWhat fails is retried.\n```\n"],
    ["a single word", "a.ts", 'export const word = "What"'],
    ["another word", "a.ts", "// Whole rows are retried.\nexport {}"]
  ])("leaves %s alone", (_, path, source) => {
    expect(found(path, source)).toEqual([])
  })
})
