import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { find, read, root } from "../repository.ts"

const commentsOf = (source: string): ReadonlyArray<string> =>
  Array.from(source.matchAll(/\/\*\*[^]*?\*\/|\/\/.*(?:\n\s*\/\/.*)*/gu), ([comment]) =>
    comment.replaceAll(/\n\s*(?:\*|\/\/)\s*/gu, " ")
  )

const comments = find("packages/*/src/**/*.ts").flatMap((path) =>
  commentsOf(read(path)).map((comment) => ({ path, comment }))
)

/** The headings of the specification, without brackets at their ends. */
const sections = new Set(
  Array.from(
    read("docs/spec.md").matchAll(/^#+ (.+?)(?: \(.*)?$/gmu),
    ([, heading = ""]) => heading
  )
)

it("a cited section is a heading of the specification", () => {
  const cited = comments.flatMap(({ comment, path }) =>
    Array.from(comment.matchAll(/`spec\.md`((?:, "[^"]+")+)/gu)).flatMap(([, list = ""]) =>
      Array.from(list.matchAll(/"([^"]+)"/gu), ([, section = ""]) => ({ path, section }))
    )
  )
  expect(cited.length).toBeGreaterThan(200)
  expect(cited.filter(({ section }) => !sections.has(section))).toEqual([])
})

it("a cited file is the specification or a decision, which `build` puts into the package", () => {
  const cited = comments.flatMap(({ comment, path }) =>
    Array.from(
      comment.matchAll(/`([\w./-]+\.md|(?:examples|docs|packages|scripts|proof)\/[\w./-]+)`/gu),
      ([, file = ""]) => ({ path, file })
    )
  )
  const shipped = ({ file }: { readonly file: string }) =>
    file === "spec.md" || (file.startsWith("docs/decisions/") && existsSync(join(root, file)))
  expect(cited.length).toBeGreaterThan(200)
  expect(cited.filter((each) => !shipped(each))).toEqual([])
  const { scripts } = JSON.parse(read("package.json")) as {
    readonly scripts: { readonly build: string }
  }
  expect(scripts.build).toContain("cp -R docs/spec.md docs/decisions packages/core/dist/docs")
})

it("a test that a page names by its id is in the named file", () => {
  const tests = find("packages/*/test/**/*.test.ts")
  const named = find("docs/**/*.md").flatMap((path) =>
    Array.from(
      read(path).matchAll(/\[?`(\w[\w.]*\.test\.ts)`(?:\]\([^)]*\))?((?:,? [A-Z]\d\d)+)/gu),
      ([, file = "", ids = ""]) => (ids.match(/\w+/gu) ?? []).map((id) => ({ path, file, id }))
    ).flat()
  )
  const has = ({ file, id }: { readonly file: string; readonly id: string }) =>
    tests.some(
      (path) => path.endsWith(`/${file}`) && new RegExp(`\\b${id}\\b`, "u").test(read(path))
    )
  expect(named.length).toBeGreaterThan(9)
  expect(named.filter((each) => !has(each))).toEqual([])
})
