import { describe, expect, it } from "vitest"
import { candidatesOf, type CoveredFile } from "../../src/mutants/Job.ts"
import { testersOf, testsOf } from "../../src/mutants/Sources.ts"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")
const files = ["src/One.ts", "src/One.ts", "src/Two.ts"]

const covered = (path: string, parts: Partial<CoveredFile>): CoveredFile => ({
  path,
  loads: [],
  hooks: [],
  tests: [],
  failed: [],
  ...parts
})

const candidates = (covers: ReadonlyArray<CoveredFile>, id: number) =>
  candidatesOf({ files: covers, hits: [] }, { files }, id)

describe("a mutant is tried with", () => {
  it("the tests that reach it, the fastest file first, and those named for the source before", () => {
    const test = (id: string, milliseconds: number, ids: ReadonlyArray<number>) => ({
      id,
      milliseconds,
      ids
    })
    const covers = [
      covered("/slow.test.ts", { tests: [test("a_0", 20, [0]), test("a_1", 1, [1])] }),
      covered("/fast.test.ts", { tests: [test("b_0", 10, [0, 1])] }),
      covered("/One.test.ts", { tests: [test("c_0", 30, [0])] })
    ]
    expect(candidates(covers, 0).map(({ ids, path }) => [path, ...ids])).toEqual([
      ["/One.test.ts", "c_0"],
      ["/fast.test.ts", "b_0"],
      ["/slow.test.ts", "a_0"]
    ])
    expect(candidates(covers, 2)).toEqual([])
  })

  it("every test of a suite whose hooks reach it, whose time includes that of the hooks", () => {
    const covers = [
      covered("/laws.test.ts", {
        hooks: [{ id: "a_0", milliseconds: 1000, ids: [0] }],
        tests: ["a_0_0", "a_0_1", "a_1"].map((id) => ({
          id,
          milliseconds: 1,
          ids: id === "a_0_1" ? [1] : []
        }))
      })
    ]
    const [{ ids, milliseconds } = { ids: [], milliseconds: 0 }] = candidates(covers, 0)
    expect([ids, milliseconds]).toEqual([["a_0_0", "a_0_1"], 1002])
    // The hooks run before each choice of tests of the suite.
    expect(candidates(covers, 1)).toEqual([
      { path: "/laws.test.ts", ids: ["a_0_1"], milliseconds: 1001 }
    ])
  })

  it("the fast tests of a slow file, those with slow hooks together, and the fastest in any case", () => {
    const test = (id: string, milliseconds: number) => ({ id, milliseconds, ids: [0] })
    const [fast, slow] = [test("a_0_0", 5000), test("a_0_1", 26_000)]
    const hooked = ["a_1_0", "a_1_1"].map((id) => test(id, 10))
    const idsOf = (tests: CoveredFile["tests"], hook: number) => {
      const hooks = [{ id: "a_1", milliseconds: hook, ids: [] }]
      return candidates([covered("/laws.test.ts", { hooks, tests })], 0)
        .flatMap(({ ids }) => ids)
        .toSorted()
    }
    expect(idsOf([slow, fast], 0)).toEqual(["a_0_0"])
    expect(idsOf([slow], 0)).toEqual(["a_0_1"])
    expect(idsOf([slow, fast, ...hooked], 6000)).toEqual(["a_0_0", "a_1_0", "a_1_1"])
    expect(idsOf([slow, fast, ...hooked], 26_000)).toEqual(["a_0_0"])
    expect(idsOf([test("a_0_0", 29_000), ...hooked], 2000)).toEqual(["a_1_0", "a_1_1"])
  })
})

it("the mutants of webhook are tried with its own tests, then with the laws of stores", () => {
  const tests = testersOf("webhook").map((tester) => testsOf(root, tester, /Ledger|Receiver\./u))
  expect(tests[0]).toContain("packages/webhook/test/LedgerJoin.test.ts")
  expect(tests[1]).toEqual(["packages/testkit/test/Ledger.test.ts"])
})
