/** A test that fails before it closes its `Pawl`, for `testing.test.ts`. */
import assert from "node:assert"
import { test } from "node:test"
import { open } from "../src/testing.ts"

void test("fails", async () => {
  const pawl = await open()
  await pawl.apmPayments.create({
    requestId: "order-17",
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    apmPayload: { paymentMethod: "WALLET" }
  })
  assert.equal(pawl.transitions.at(-1)?.to, "SUCCEED")
  await pawl.close()
})
