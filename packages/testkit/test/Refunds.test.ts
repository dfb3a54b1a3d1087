import * as Profile from "@pawl/core/Profile"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { createHmac } from "node:crypto"
import { assert, it } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Gateway from "../src/Gateway.ts"
import { testGateway, Receiver } from "@pawl/test-support/TestGateway"
import { ask, body, callbackUrl, card, scenario } from "@pawl/test-support/Creates"

it.for(["refund", "payment"] as const)(
  "refundCallbackId: the callback of a refund contains and signs the identifier of the %s; the log has the refund's",
  (named) =>
    Effect.gen(function* () {
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
    }).pipe(
      Effect.provide(Layer.provide(testGateway(), Profile.layer({ refundCallbackId: named }))),
      Effect.scoped,
      Effect.runPromise
    )
)
