import { run } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"

const demo = new URL("../src/demo.ts", import.meta.url).pathname

it("ends every transaction right, exits with 0 and prints no colours into a pipe", async () => {
  const { code, stderr, stdout: out } = await Effect.runPromise(run(process.execPath, [demo]))
  expect(stderr).toBe("")
  expect(out.match(/✓ right/g)).toHaveLength(33)
  expect(out.trimEnd().split("\n").at(-1)).toBe("All 33 transactions ended right.")
  expect(out).toContain("A callback with a wrong checksum was refused with 401, as it has to be.")
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
  expect(out).toContain(
    "not sent     NEW, PENDING, PROCESSING, SUCCEED: the service was read instead"
  )
  // The scenario `succeed` of a card that is declined.
  expect(out).toMatch(/card-1 {2}is declined; callbacks: twice {2}✓ right/)
  // The usual handler; the other rows depend on the order of arrival.
  for (const row of [
    /^payment-1 +SUCCEED +SUCCEED +SUCCEED$/m,
    /^payment-5 +SUCCEED +SUCCEED +PROCESSING: never ships a paid order +10\.50 EUR$/m,
    /^payment-6 +SUCCEED +SUCCEED +nothing: never ships a paid order +10\.50 EUR$/m,
    /^The usual handler would have ended \d+ of 33 transactions wrong, at a cost of \d+\.\d\d EUR:$/m
  ])
    expect(out).toMatch(row)
  expect(out).toContain("SUCCEED (forged)")
  expect(out).not.toContain("\u001b")
  expect(code).toBe(0)
})
