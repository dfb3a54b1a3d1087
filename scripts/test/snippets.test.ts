import { describe, expect, it } from "vitest"
import { snippets, toModule } from "../snippets.ts"

const code = (...lines: ReadonlyArray<string>) =>
  toModule({ path: "docs/page.md", line: 3, code: lines.join("\n") })

const body = (...lines: ReadonlyArray<string>) =>
  code(...lines)
    .text.split("\n")
    .slice(2, -1)

describe("a block", () => {
  it("is found in a doc comment, without its margin, and in a page", () => {
    const source = [
      "/**",
      " * Adds.",
      " *",
      " * ```ts",
      " * if (true) {",
      " *   add(1, 1) // => 2",
      " *",
      " * }",
      " * ```",
      " */",
      "export const add = 1"
    ]
    const found = "if (true) {\n  add(1, 1) // => 2\n\n}"
    expect(snippets("a.ts", source.join("\n"))).toEqual([{ path: "a.ts", line: 5, code: found }])
    const page = ["# Adding", "```ts", found, "```", "and", "```ts", "2", "```"].join("\n")
    expect(snippets("a.md", page)).toEqual([
      { path: "a.md", line: 3, code: found },
      { path: "a.md", line: 10, code: "2" }
    ])
  })

  it("is ignored in another language, and in code or text that looks like a block", () => {
    expect(snippets("a.md", "```sh\npnpm test\n```\n```tsx\n1\n```\n`ts`\n")).toEqual([])
    expect(snippets("a.ts", "const a = `\n```ts\n1\n```\n`")).toEqual([])
  })

  it("that does not end is an error", () => {
    expect(() => snippets("a.md", "```ts\n1")).toThrow("a.md:2 begins a block that does not end")
    expect(() => snippets("a.ts", "/**\n * ```ts\n * 1\n */\n/**\n * ```\n */")).toThrow(
      "a.ts:3 begins a block that does not end"
    )
  })

  it("keeps its lines of the documentation in its module", () => {
    const lines = code("one()", "two()").text.split("\n")
    expect(lines.slice(1)).toEqual(["", "one()", "two()", ""])
  })

  it("is run, unless it is a whole program", () => {
    expect(code('import * as Effect from "effect/Effect"').runs).toBe(true)
    const runtime = 'import * as NodeRuntime from "@effect/platform-node/NodeRuntime"'
    expect(code(runtime).runs).toBe(false)
    expect(() => code(runtime, "1 // => 1")).toThrow("docs/page.md:4 asserts a value in a program")
  })

  it("that cannot be parsed is an error on its line", () => {
    expect(() => code("one()", "two(")).toThrow(/^docs\/page\.md:4 /u)
  })
})

describe("an assertion", () => {
  it("is compiled in its place", () => {
    expect(body("add(1, 1) // => 2", "add(2, 2); // => 4")).toEqual([
      "__expect(add(1, 1)).toStrictEqual(2)",
      "__expect(add(2, 2)).toStrictEqual(4)"
    ])
    expect(body('const euro = "€ 💶"', "euro // => euro")).toEqual([
      'const euro = "€ 💶"',
      "__expect(euro).toStrictEqual(euro)"
    ])
    expect(body("await add(", "  1,", "  1", ") // => { sum: [2] }")).toEqual([
      "__expect(await add(",
      "  1,",
      "  1",
      ")).toStrictEqual({ sum: [2] })"
    ])
  })

  it("is only a comment that begins with an arrow", () => {
    const lines = ["const f = () => 2 // a function", '"// => 3"', "f() // returns => 2"]
    expect(body(...lines)).toEqual(lines)
  })

  it("on a line that is no expression is an error, because it would not be checked", () => {
    const reason = "asserts a value on a line that is no expression"
    expect(() => code("const sum = 1 + 1 // => 2")).toThrow(`docs/page.md:3 ${reason}`)
    expect(() => code("one()", "// => 1")).toThrow(`docs/page.md:4 ${reason}`)
    expect(() => code("{ one() // => 1", "}")).toThrow(`docs/page.md:3 ${reason}`)
  })
})
