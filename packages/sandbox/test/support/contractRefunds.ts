import * as Effect from "effect/Effect"
import { assert } from "vitest"
import { fields } from "@pawl/test-support/TestGateway"
import {
  ask,
  bodyFor,
  authenticate,
  create,
  ServiceUnderTest,
  idOf,
  it,
  type Json,
  type noResources,
  prepare,
  refused,
  send,
  steps,
  callbackStatuses
} from "./contractService.ts"
import { card, scenario } from "@pawl/test-support/Creates"

const path = "/refunds/card"

const pay = Effect.fnUntraced(function* (story = "succeed", over: Json = {}) {
  const paid = { requestId: `${story}-paid`, amount: "100", ...scenario(story), ...over }
  const { transactionId } = yield* create("/payments/card", paid)
  return { cardToken: "", paymentId: Number(transactionId) }
})

const fault = Effect.fnUntraced(function* (resources: typeof noResources, over: Json) {
  const token = yield* authenticate
  const { json, status } = yield* send("POST", path, {
    token,
    body: yield* bodyFor(path, over, resources)
  })
  return status === 200 ? undefined : fields(json).join()
})

const statusOf = (id: number) =>
  Effect.map(ask("GET", `/payments/card/status/${id}`), (json): unknown => json)

export const refunds = [
  it("a refund returns every field of the specification, and its info names the payment", function* () {
    const resources = yield* prepare
    const { callbackUrl } = yield* ServiceUnderTest
    const answer = yield* create(path, { amount: "10.005", metadata: { a: "b" } }, resources)
    assert.deepStrictEqual(answer, {
      refundId: "100002",
      transactionStatus: "NEW",
      paymentType: "CARD",
      metadata: { a: "b" }
    })
    yield* steps(9)
    const { createdAt, ...info } = yield* ask("GET", "/refunds/card/info/100002")
    assert.isString(createdAt)
    assert.deepStrictEqual<unknown>(info, {
      transactionId: "100001",
      refundId: "100002",
      requestId: "r-1",
      mid: "m-1",
      transactionStatus: "SUCCEED",
      totalAmount: 10.01,
      callbackUrl,
      metadata: { a: "b" }
    })
  }),
  it("only a card payment in SUCCEED or REFUNDED is refunded, under its own mid", function* () {
    for (const story of ["stuck", "decline:51", "cancel", "chargeback"]) {
      const resources = yield* pay(story)
      yield* steps(9)
      assert.strictEqual(yield* fault(resources, { amount: "1" }), "transactionId", story)
    }
    for (const other of ["/payments/apm", "/payouts/apm", "/payouts/card"]) {
      const paymentId = Number(idOf(yield* create(other)))
      yield* steps(9)
      const resources = { cardToken: "", paymentId }
      assert.strictEqual(yield* fault(resources, { amount: "1" }), "transactionId", other)
    }
    for (const story of ["succeed", "refund"]) {
      const resources = yield* pay(story)
      yield* steps(1)
      assert.strictEqual(yield* fault(resources, { amount: "1" }), "transactionId", "too early")
      yield* steps(9)
      assert.strictEqual(yield* fault(resources, { amount: "1", mid: "m-2" }), "mid")
      // The refunds of one payment take nothing from another.
      yield* create(path, { requestId: story, amount: "100" }, resources)
    }
    const nothing = { cardToken: "", paymentId: 7 }
    assert.strictEqual(yield* fault(nothing, {}), "transactionId")
  }),
  it("the refunds of a payment never exceed it, and a failed refund frees its amount", function* () {
    const resources = yield* pay()
    yield* steps(9)
    assert.strictEqual(yield* fault(resources, { amount: "100.01" }), "amount")
    assert.strictEqual(yield* fault(resources, { amount: "100.005" }), "amount")
    const first = yield* create(path, { requestId: "a", amount: "60" }, resources)
    assert.strictEqual(first["transactionStatus"], "NEW")
    // A refund in progress counts.
    assert.strictEqual(yield* fault(resources, { amount: "40.01" }), "amount")
    for (const story of ["decline:51", "cancel"]) {
      yield* create(path, { requestId: story, amount: "40", ...scenario(story) }, resources)
      yield* steps(2)
    }
    // A refund in FAILED counts while it may still succeed.
    yield* create(path, { requestId: "c", amount: "40", ...scenario("conflict") }, resources)
    yield* steps(3)
    assert.strictEqual(yield* fault(resources, { amount: "0.01" }), "amount")
    yield* steps(9)
    assert.strictEqual(yield* statusOf(resources.paymentId), "REFUNDED")
    assert.strictEqual(yield* fault(resources, { amount: "0.01" }), "amount")
    // A repeated one does not count again.
    assert.deepStrictEqual(yield* create(path, { requestId: "a", amount: "60" }, resources), first)
  }),
  it("a refund does not move its payment out of CHARGEBACK", function* () {
    const resources = yield* pay("chargeback")
    yield* steps(3)
    yield* create(path, { amount: "1" }, resources)
    yield* steps(9)
    assert.strictEqual(yield* statusOf(resources.paymentId), "CHARGEBACK")
  }),
  it("a refund of the largest possible payment is refused the second time", function* () {
    const amount = "999999999999999999.99"
    const resources = yield* pay("succeed", { amount })
    yield* steps(9)
    yield* create(path, { requestId: "a", amount }, resources)
    assert.strictEqual(yield* fault(resources, { requestId: "b", amount }), "amount")
  }),
  it("a refund that succeeds moves its payment to REFUNDED, once and with a callback", function* () {
    const resources = yield* pay()
    yield* steps(9)
    const ids: Array<string> = []
    for (const amount of ["1", "99"]) {
      ids.push(idOf(yield* create(path, { requestId: amount, amount }, resources)))
      yield* steps(2)
      const before = ids.length === 1 ? "SUCCEED" : "REFUNDED"
      assert.strictEqual(yield* statusOf(resources.paymentId), before)
      yield* steps(1)
      assert.strictEqual(yield* statusOf(resources.paymentId), "REFUNDED")
    }
    assert.deepStrictEqual(yield* callbackStatuses(String(resources.paymentId)), [
      "NEW",
      "PENDING",
      "PROCESSING",
      "SUCCEED",
      "REFUNDED"
    ])
    for (const id of ids) {
      assert.strictEqual((yield* callbackStatuses(id)).at(-1), "SUCCEED")
    }
  }),
  it("a refund names its payment by an integer, whatever its size", function* () {
    const resources = yield* prepare
    const text = JSON.stringify(yield* bodyFor(path, {}, resources))
    for (const id of ["100001.0", "1e5", "-1", "9007199254740993", "100001000000000000000000"]) {
      const body = text.replace(String(resources.paymentId), id)
      assert.deepStrictEqual(yield* refused("POST", path, body), ["transactionId"], id)
    }
    yield* ask("POST", path, text)
  }),
  it("a payment with the declining card cannot be refunded", function* () {
    const declining = { card: { ...card, number: "4000000000000002" } }
    assert.strictEqual(yield* fault(yield* pay("succeed", declining), {}), "transactionId")
  })
]
