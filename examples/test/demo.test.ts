import { run } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"

const demo = new URL("../src/demo.ts", import.meta.url).pathname

it("ends every transaction right, exits with 0 and prints no colours into a pipe", async () => {
  const { code, stderr, stdout: out } = await Effect.runPromise(run(process.execPath, [demo]))
  expect(stderr).toBe("")
  expect(out.match(/✓ right/g)).toHaveLength(33)
  expect(out.trimEnd().split("\n").at(-1)).toBe("All 33 transactions ended right.")
  expect(out).toContain("The response to a callback with a wrong checksum was 401.")
  for (const heading of [
    "Payments: 14 of 14 right",
    "Card payments: 3 of 3 right",
    "Refunds: 3 of 3 right",
    "Payouts: 5 of 5 right",
    "On the hosted page: 6 of 6 right",
    "Charges of a subscription: 2 of 2 right"
  ])
    expect(out.split("\n")).toContain(heading)
  // Callbacks that arrived twice, did not arrive, and were forged.
  expect(out).toMatch(/callbacks .* NEW ×2/)
  expect(out).toContain("no callback  NEW, PENDING, PROCESSING, SUCCEED")
  expect(out).toContain("SUCCEED (forged)")
  expect(out).not.toContain("\u001b")
  expect(code).toBe(0)
})
