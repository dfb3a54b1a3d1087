import * as Profile from "@pawl/core/Profile"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Gateway from "../src/Gateway.ts"
import {
  authenticate,
  testGateway,
  fields,
  Receiver,
  run,
  send
} from "@pawl/test-support/TestGateway"
import { ask, body, callbackUrl, card, type Resources, scenario } from "@pawl/test-support/Creates"

const pay = Effect.fnUntraced(function* (over: Readonly<Record<string, unknown>> = {}) {
  const { transactionId } = yield* ask("POST", "/payments/card", {
    requestId: `p-${JSON.stringify(over).replaceAll(/\W/gu, "")}`,
    mid: "m-1",
    amount: "100",
    currency: "USD",
    card,
    ...over
  })
  return Number(transactionId)
})

const refund = Effect.fnUntraced(function* (
  paymentId: number,
  over: Readonly<Record<string, unknown>> = {}
) {
  const resources: Resources = { cardToken: "", paymentId }
  const token = yield* authenticate
  return yield* send("POST", "/refunds/card", {
    token,
    body: body("/refunds/card", resources, over)
  })
})

const statusOf = (id: number | string, of = "payments") =>
  Effect.map(ask("GET", `/${of}/card/status/${id}`), (json): unknown => json)

describe("a refund", () => {
  it("full or partial, moves its payment to REFUNDED once when it succeeds, with a callback", () =>
    run(
      Effect.gen(function* () {
        const paymentId = yield* pay({ callbackUrl })
        yield* TestClock.adjust("1 second")
        yield* refund(paymentId, { requestId: "a", amount: "1" })
        yield* TestClock.adjust("400 millis")
        assert.strictEqual(yield* statusOf(paymentId), "SUCCEED")
        yield* TestClock.adjust("200 millis")
        assert.strictEqual(yield* statusOf(paymentId), "REFUNDED")
        yield* refund(paymentId, { requestId: "b", amount: "99" })
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(
          (yield* Receiver).received
            .filter(({ body }) => body["transactionId"] === String(paymentId))
            .map(({ body }) => body["transactionStatus"]),
          ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED"]
        )
      })
    ))

  it("that does not succeed leaves its payment unchanged and its amount refundable", () =>
    run(
      Effect.gen(function* () {
        const paymentId = yield* pay()
        yield* TestClock.adjust("1 second")
        const all = { amount: "100" }
        const declined = yield* refund(paymentId, { ...all, ...scenario("decline:51") })
        assert.include(declined.json, { transactionStatus: "FAILED", declineCode: 51 })
        yield* refund(paymentId, { requestId: "b", ...all, ...scenario("cancel") })
        // A refund in progress counts.
        const early = yield* refund(paymentId, { requestId: "c", ...all })
        assert.strictEqual(early.status, 400)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* statusOf(paymentId), "SUCCEED")
        assert.strictEqual((yield* refund(paymentId, { requestId: "c", ...all })).status, 200)
      })
    ))

  it("that fails and then succeeds counts all the time", () =>
    run(
      Effect.gen(function* () {
        const paymentId = yield* pay()
        yield* TestClock.adjust("1 second")
        yield* refund(paymentId, { amount: "60", ...scenario("conflict") })
        yield* TestClock.adjust("600 millis")
        assert.strictEqual(yield* statusOf("100002", "refunds"), "FAILED")
        const second = yield* refund(paymentId, { requestId: "b", amount: "60" })
        assert.strictEqual(second.status, 400)
      })
    ))

  it("does not move a payment out of CHARGEBACK, and is refused in it", () =>
    run(
      Effect.gen(function* () {
        const paymentId = yield* pay(scenario("chargeback"))
        yield* TestClock.adjust("600 millis")
        assert.strictEqual((yield* refund(paymentId)).status, 200)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* statusOf(paymentId), "CHARGEBACK")
        assert.deepStrictEqual(fields((yield* refund(paymentId, { requestId: "b" })).json), [
          "transactionId"
        ])
      })
    ))

  it("of the largest possible payment is refused the second time", () =>
    run(
      Effect.gen(function* () {
        const amount = "999999999999999999.99"
        const paymentId = yield* pay({ amount })
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* refund(paymentId, { requestId: "a", amount })).status, 200)
        const twice = yield* refund(paymentId, { requestId: "b", amount })
        assert.deepStrictEqual(fields(twice.json), ["amount"])
      })
    ))
})

describe("refundCallbackId", () => {
  it("selects the identifier that the callback of a refund contains and signs; the log has the refund's", async () => {
    for (const named of ["refund", "payment"] as const) {
      await Effect.gen(function* () {
        const paymentId = yield* pay()
        yield* TestClock.adjust("1 second")
        yield* refund(paymentId, { amount: "10", ...scenario("succeed+shuffle") })
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
    }
  })
})
