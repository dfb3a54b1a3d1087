import { expect, it } from "vitest"
import { objections, weigh } from "../size.ts"

const part = { name: "part", limit: 1000, alone: ["a.ts"] }

it("accepts a part of exactly its limit", () => {
  expect(objections(part, { bytes: 1000, modules: ["a.ts"] })).toEqual([])
})

it("reports one byte above the limit, and a module that may not be there", () => {
  expect(objections(part, { bytes: 1001, modules: ["a.ts", "b.ts"] })).toEqual([
    "part is 1 bytes over its 1000",
    "part must import nothing, but its bundle contains b.ts"
  ])
})

it("measures the imports of an application with everything they need", async () => {
  const status = await weigh('export { rank } from "@pawl/core/Status"')
  expect(status.modules).toEqual(["packages/core/src/Status.ts"])
  const evidence = await weigh('export { standing } from "@pawl/core/Evidence"')
  expect(evidence.modules).toHaveLength(2)
  expect(evidence.bytes).toBeGreaterThan(status.bytes)
})
