import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { candidatesOf, type CoveredTest } from "../../src/mutants/Job.ts"
import * as Sources from "../../src/mutants/Sources.ts"

const root = join(import.meta.dirname, "../../..")
const files = ["src/One.ts", "src/One.ts", "src/Two.ts"]

const test = (
  path: string,
  id: string,
  milliseconds: number,
  ids: ReadonlyArray<number>,
  hooks: CoveredTest["hooks"] = []
): CoveredTest => ({ path, id, milliseconds, ids, hooks })

const candidates = (
  tests: ReadonlyArray<CoveredTest>,
  id: number,
  budget = 30_000,
  loads: Readonly<Record<string, ReadonlyArray<number>>> = {}
) => candidatesOf({ tests, loads }, { files, budget }, id).map(({ ids, path }) => [path, ...ids])

describe("a mutant is tried with", () => {
  it("the tests that reach it: those named for the source, then the fastest", () => {
    const tests = [
      test("/slow.test.ts", "a_0", 20, [0]),
      test("/slow.test.ts", "a_1", 1, [1]),
      test("/fast.test.ts", "b_0", 10, [0, 1]),
      test("/One.test.ts", "c_0", 30, [0])
    ]
    expect(candidates(tests, 0)).toEqual([
      ["/One.test.ts", "c_0"],
      ["/fast.test.ts", "b_0"],
      ["/slow.test.ts", "a_0"]
    ])
    expect(candidates(tests, 2)).toEqual([])
  })

  it("as many as the budget allows, whose hooks count once, and at least the fastest", () => {
    const hooks = [{ id: "a_1", milliseconds: 6000 }]
    const tests = [
      test("/One.test.ts", "c_0", 26_000, [0]),
      test("/laws.test.ts", "a_0", 5000, [0]),
      test("/laws.test.ts", "a_1_0", 10, [0], hooks),
      test("/laws.test.ts", "a_1_1", 10, [0], hooks)
    ]
    expect(candidates(tests, 0, 40_000)).toEqual([
      ["/One.test.ts", "c_0"],
      ["/laws.test.ts", "a_0", "a_1_0", "a_1_1"]
    ])
    expect(candidates(tests, 0, 32_000)).toEqual([
      ["/One.test.ts", "c_0"],
      ["/laws.test.ts", "a_0"]
    ])
    expect(candidates(tests, 0, 7000)).toEqual([["/laws.test.ts", "a_0"]])
    expect(candidates(tests, 0, 1500)).toEqual([["/laws.test.ts", "a_0"]])
  })

  it("the tests that reach its source, if it is reached while a file loads", () => {
    const tests = [test("/any.test.ts", "a_0", 1, [1]), test("/any.test.ts", "a_1", 1, [])]
    const loads = { "/any.test.ts": [0, 2] }
    expect(candidates(tests, 0, 1500, loads)).toEqual([["/any.test.ts", "a_0"]])
    expect(candidates(tests, 2, 1500, loads)).toEqual([["/any.test.ts", "a_0", "a_1"]])
  })
})

it("the mutants of webhook are tried with its own tests, then with those of the packages on it", () => {
  expect(Sources.testers["webhook"]).toEqual(["webhook", "testkit", "receiver", "pawl"])
  const testsOf = (name: string) => Sources.testsOf(root, name, /Ledger|Admin/u)
  expect(testsOf("webhook")).toContain(join(root, "packages/webhook/test/LedgerSql.test.ts"))
  expect(testsOf("testkit")).toEqual([join(root, "packages/testkit/test/Ledger.test.ts")])
  expect(testsOf("receiver")).toContain(join(root, "packages/receiver/test/Admin.test.ts"))
})
