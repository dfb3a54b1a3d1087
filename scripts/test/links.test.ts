import { expect, it } from "vitest"
import { dead, unknownCommands } from "../links.ts"

const there = {
  path: "docs/there.md",
  text: "# A title: `code`, and more\n\n## Twice\n\n## Twice\n"
}
const links = (...targets: ReadonlyArray<string>) => {
  const page = { path: "docs/here.md", text: targets.map((each) => `[a](${each})`).join(" ") }
  const isThere = (path: string) => ["docs/there.md", "docs/here.md", "packages"].includes(path)
  return dead(page, [page, there], isThere)
}

it("a link leads to a file, a folder, a heading, or out of the repository", () => {
  expect(
    links(
      "there.md",
      "../packages",
      "there.md#a-title-code-and-more",
      "there.md#twice-1",
      "https://example.com/gone"
    )
  ).toEqual([])
})

it("a link to what is not there is dead", () => {
  expect(links("their.md", "there.md#thrice", "#here", "there.md#twice-2")).toEqual([
    "docs/here.md links to their.md, and there is no docs/their.md",
    "docs/here.md links to there.md#thrice, and docs/there.md has no such heading",
    "docs/here.md links to #here, and docs/here.md has no such heading",
    "docs/here.md links to there.md#twice-2, and docs/there.md has no such heading"
  ])
})

it("what looks like a link or a heading in code is none", () => {
  const text = "```ts\nconst a = all[0](gone)\n# one\n```\n[a](#one)"
  expect(dead({ path: "a.md", text }, [{ path: "a.md", text }], () => true)).toEqual([
    "a.md links to #one, and a.md has no such heading"
  ])
})

it("a command that a page has one type is there", () => {
  const text = "npx -y pnpm@12.18.0 demo\nnpx -y pnpm@12.18.0 dmeo --fast"
  expect(unknownCommands({ path: "a.md", text }, new Set(["demo"]))).toEqual([
    "a.md has one type dmeo, and there is no such command"
  ])
})
