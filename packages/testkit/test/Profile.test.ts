import * as Profile from "@pawl/core/Profile"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { createHmac } from "node:crypto"
import { assert } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Gateway from "../src/Gateway.ts"
import {
  testGateway,
  Receiver,
  authenticate,
  fields,
  payment,
  send
} from "@pawl/test-support/TestGateway"
import { test } from "@pawl/test-support/Tests"
import { ask, body, callbackUrl, card, scenario } from "@pawl/test-support/Creates"

const withProfile = (switches: Partial<Profile.Switches>) =>
  test.with(() => Layer.provide(testGateway(), Profile.layer(switches)))

for (const named of ["refund", "payment"] as const) {
  withProfile({ refundCallbackId: named })(
    `refundCallbackId: the callback of a refund contains and signs the identifier of the ${named}; the log has the refund's`,
    function* () {
      const paid = { requestId: "r-1", mid: "m-1", amount: "100", currency: "USD", card }
      const { transactionId: paymentId } = yield* ask("POST", "/payments/card", paid)
      yield* TestClock.adjust("1 second")
      const resources = { cardToken: "", paymentId: Number(paymentId) }
      const over = { amount: "10", ...scenario("succeed+shuffle") }
      yield* ask("POST", "/refunds/card", body("/refunds/card", resources, over))
      yield* TestClock.adjust("1 minute")
      const { received } = yield* Receiver
      assert.lengthOf(received, 4)
      const transactionId = named === "refund" ? "100002" : "100001"
      for (const { body, checksum, url } of received) {
        const { transactionStatus: _, ...rest } = body
        assert.deepStrictEqual(rest, {
          transactionId,
          refundId: "100002",
          mid: "m-1",
          orderAmount: "10",
          orderCurrency: "USD",
          ...scenario("succeed+shuffle")
        })
        assert.strictEqual(url, `${callbackUrl}?paymentMethod=card`)
        const signed = `m-1|10|USD|${transactionId}`
        assert.strictEqual(
          checksum,
          createHmac("sha256", "sandbox-secret").update(signed).digest("base64")
        )
      }
      const log = yield* (yield* Courier.Courier).deliveries
      assert.deepStrictEqual(
        [...new Set(log.map(({ transactionId }) => transactionId))],
        ["100002"]
      )
      const truth = yield* (yield* Gateway.Gateway).transaction("100002")
      assert.strictEqual(truth?.paymentId, "100001")
    }
  )
}

const separators = ["|", "", ":"]

for (const expected of separators) {
  withProfile({ requestChecksumSeparator: expected })(
    `requestChecksumSeparator ${JSON.stringify(expected)} is the only separator that the gateway accepts`,
    function* () {
      const token = yield* authenticate
      for (const [at, used] of separators.entries()) {
        const order = payment({ requestId: `r-${at}` })
        const signed = [order.accountId, order.requestId, order.amount, order.currency].join(used)
        const checksum = createHmac("sha256", "sandbox-secret").update(signed).digest("hex")
        const body = { ...order, checksum }
        const { json, status } = yield* send("POST", "/payments/apm", { token, body })
        assert.strictEqual(status, expected === used ? 200 : 400)
        if (status === 400) assert.deepStrictEqual(fields(json), ["checksum"])
      }
    }
  )
}
