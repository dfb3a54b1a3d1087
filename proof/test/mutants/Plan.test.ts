import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Coverage, planOf } from "../../src/mutants/Plan.ts"
import * as Sources from "../../src/mutants/Sources.ts"

const files = ["src/One.ts", "src/One.ts", "src/Two.ts"]

/** The ids of steps begin with those of the steps around them. */
const test = (id: string, milliseconds: number): Coverage["tests"][number] => {
  const steps = Array.from(id, (_, at) => id.slice(0, at + 1))
  return { path: `/${id[0]}.test.ts`, steps, milliseconds }
}

const planned = (tests: Coverage["tests"], reached: Coverage["reached"], id: number) =>
  planOf({ tests, reached }, files, id).map(({ path, testIds }) => [path, ...testIds])

describe("a mutant is tried with", () => {
  it("the tests that it or a hook before them reaches, of the fastest file first", () => {
    const tests = [test("a0", 20), test("a1", 1), test("b0", 10), test("c00", 4), test("c01", 3)]
    expect(planned(tests, [["a0", "b0", "c0"], ["a1"], []], 0)).toEqual([
      ["/c.test.ts", "c00", "c01"],
      ["/b.test.ts", "b0"],
      ["/a.test.ts", "a0"]
    ])
    expect(planned(tests, [["a0"], ["a1"], []], 2)).toEqual([])
  })

  it("as many files as the budget allows, and at least the fastest", () => {
    const tests = [test("a0", 56_000), test("b0", 5000), test("b1", 90_000), test("c0", 10)]
    expect(planned(tests, [["a0", "b0", "c0"]], 0)).toEqual([
      ["/c.test.ts", "c0"],
      ["/b.test.ts", "b0"]
    ])
    expect(planned(tests, [["b1"]], 0)).toEqual([["/b.test.ts", "b1"]])
  })

  it("a slower file before, if it found more mutants of the source", () => {
    const coverage = { tests: [test("a0", 100), test("b0", 1000)], reached: [["a0", "b0"]] }
    const foundBy = (finds: number) => (path: string) => (path === "/b.test.ts" ? finds : 0)
    const orders = [0, 1, 2].map((finds) =>
      planOf(coverage, files, 0, foundBy(finds)).map(({ path }) => path)
    )
    expect(orders).toEqual([
      ["/a.test.ts", "/b.test.ts"],
      ["/a.test.ts", "/b.test.ts"],
      ["/b.test.ts", "/a.test.ts"]
    ])
  })

  it("all tests of a file that reaches it while it loads, first where one reaches its source", () => {
    const tests = [test("a0", 9), test("a1", 1), test("b0", 1)]
    expect(planned(tests, [["a", "b"], ["a0"], []], 0)).toEqual([
      ["/a.test.ts", "a0", "a1"],
      ["/b.test.ts", "b0"]
    ])
  })
})

it("the mutants of webhook are tried with its tests and the laws, then with the packages on it", () => {
  const groups = Sources.testers["webhook"] ?? []
  const paths = [
    ["webhook/test/LedgerSql.test.ts", "testkit/test/Ledger.test.ts"],
    ["receiver/test/Admin.test.ts"]
  ]
  expect(groups).toHaveLength(paths.length)
  for (const [at, group] of groups.entries())
    expect(Sources.testsOf(group, /Ledger|Admin/u)).toEqual(
      expect.arrayContaining((paths[at] ?? []).map((path) => join(Sources.root, "packages", path)))
    )
})
