import { expect, it } from "vitest"
import { dead, unknownCommands, unknownFiles } from "../links.ts"

const there = {
  path: "docs/there.md",
  text: "# A title: `code`, and more\n\n## Twice\n\n## Twice\n"
}
const links = (...targets: ReadonlyArray<string>) => {
  const page = { path: "docs/here.md", text: targets.map((each) => `[a](${each})`).join(" ") }
  const isThere = (path: string) => ["docs/there.md", "docs/here.md", "packages"].includes(path)
  return dead(page, [page, there], isThere)
}

it("accepts a link to a file, a folder, a heading, or a website", () => {
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

it("reports a link whose target does not exist", () => {
  expect(links("their.md", "there.md#thrice", "#here", "there.md#twice-2")).toEqual([
    "docs/here.md links to their.md, but docs/their.md does not exist",
    "docs/here.md links to there.md#thrice, but docs/there.md has no such heading",
    "docs/here.md links to #here, but docs/here.md has no such heading",
    "docs/here.md links to there.md#twice-2, but docs/there.md has no such heading"
  ])
})

it("reports a dead link with a title, and a dead reference", () => {
  const text = '[a](gone.md "a title"), [b][c]\n\n[c]: away.md\n[d]: https://example.com/gone\n'
  expect(dead({ path: "a.md", text }, [], () => false)).toEqual([
    "a.md links to gone.md, but gone.md does not exist",
    "a.md links to away.md, but away.md does not exist"
  ])
})

it("ignores code that looks like a link or a heading", () => {
  const text = "```ts\nconst a = all[0](gone)\n# one\n```\n[a](#one)"
  expect(dead({ path: "a.md", text }, [{ path: "a.md", text }], () => true)).toEqual([
    "a.md links to #one, but a.md has no such heading"
  ])
})

it("reports a command that does not exist", () => {
  const text = "npx -y pnpm@12.18.0 demo\nnpx -y pnpm@12.18.0 dmeo --fast"
  expect(unknownCommands({ path: "a.md", text }, new Set(["demo"]))).toEqual([
    "a.md names the command dmeo, which does not exist"
  ])
})

it("reports a file of the repository that does not exist", () => {
  const files = ["packages/core/src/internal/Json.ts", "scripts/docs.ts"]
  const text =
    "`Json.ts`, `internal/Json`, `packages/core/`, `effect/Json`, `text/plain`, `Jason.ts`, `internal/Jason`"
  expect(unknownFiles({ path: "a.md", text }, files)).toEqual([
    "a.md names Jason.ts, which does not exist",
    "a.md names internal/Jason, which does not exist"
  ])
})
