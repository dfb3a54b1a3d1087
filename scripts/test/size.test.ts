import { expect, it } from "vitest"
import { objections, weigh } from "../size.ts"

const part = { name: "part", limit: 1000, alone: ["a.ts"] }

it("a part may weigh what it may weigh, and hold what it may hold", () => {
  expect(objections(part, { bytes: 1000, modules: ["a.ts"] })).toEqual([])
})

it("a byte too many is wrong, and so is a module from elsewhere", () => {
  expect(objections(part, { bytes: 1001, modules: ["a.ts", "b.ts"] })).toEqual([
    "part is 1 bytes over its 1000",
    "part is to import nothing, and has b.ts in it"
  ])
})

it("what is weighed is what a user imports, with all it brings", async () => {
  const status = await weigh('export { rank } from "@pawl/core/Status"')
  expect(status.modules).toEqual(["packages/core/src/Status.ts"])
  const evidence = await weigh('export { standing } from "@pawl/core/Evidence"')
  expect(evidence.modules).toHaveLength(2)
  expect(evidence.bytes).toBeGreaterThan(status.bytes)
})
