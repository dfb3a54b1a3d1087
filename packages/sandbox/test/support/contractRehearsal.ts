import * as Readings from "../../src/Readings.ts"
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import {
  type Json,
  arrived,
  ask,
  begin,
  callbackStatuses,
  callbacksOf,
  create,
  idOf,
  it,
  itWith,
  prepare,
  press,
  steps
} from "./contractService.ts"
import { scenario } from "@pawl/test-support/Creates"

/** Makes cases of a service in the style of a JVM. */
const test = itWith({ behaviour: Readings.behaviour({}, "jvm") })

const subscriptions = "/payments/card/recurring"

const subscribe = Effect.fnUntraced(function* (story: string) {
  const plan = { amount: "5", currency: "EUR", frequency: "DAILY", interval: 1 }
  return yield* create(
    subscriptions,
    { plan: { ...plan, startDate: "1970-01-01" }, ...scenario(story) },
    yield* prepare
  )
})

/** The members of an apmResponseData that tell a customer what to do. */
const nextStep = (answer: Json) => {
  const { paymentMethod: _, providerTransactionId: __, ...step } = answer["apmResponseData"] as Json
  return step
}

const good = { act: "card", attempts: "0", number: "4242424242424242", expiry: "04/99" }

export const rehearsal = [
  it("a declined APM payment or payout has a declineSubReason, in its response and its info; a card has none", function* () {
    for (const path of ["/payments/apm", "/payouts/apm"]) {
      for (const [story, declineSubReason] of [
        ["decline:51", "DECLINED"],
        ["decline:51:LIMIT_EXCEEDED", "LIMIT_EXCEEDED"]
      ] as const) {
        const { answer, id } = yield* begin(path, story)
        const expected = { transactionStatus: "FAILED", declineCode: 51, declineSubReason }
        assert.deepInclude(answer, expected)
        if (path === "/payouts/apm") {
          assert.deepInclude(yield* ask("GET", `/payouts/apm/info/${id}`), expected)
        }
      }
      assert.notProperty((yield* begin(path, "succeed")).answer, "declineSubReason")
    }
    const { answer } = yield* begin("/payments/card", "decline:51:LIMIT_EXCEEDED")
    assert.notProperty(answer, "declineSubReason")
    assert.strictEqual(answer["declineCode"], 51)
  }),
  it("the payment method selects the next step of the customer: a page, a page in a frame, or a QR code", function* () {
    const requested = Effect.fnUntraced(function* (apmPayload: Json) {
      const over = { requestId: JSON.stringify(apmPayload).slice(2, 40), apmPayload }
      return yield* create("/payments/apm", over)
    })
    for (const [paymentMethod, paymentType, actionType, names] of [
      ["WALLET", "WALLET", "REDIRECTION", ["iframeUrl"]],
      ["SEPA_TRANSFER", "BANK_TRANSFER", "REDIRECTION", []],
      ["PROMPTPAY_QR", "QR_CODE", "QR_CODE", ["iframeUrl", "qrData", "qrDeepLink"]]
    ] as const) {
      const answer = yield* requested({ paymentMethod })
      const { redirectUrl: page, ...step } = nextStep(answer)
      const redirectUrl = String(page)
      assert.match(redirectUrl, new RegExp(`^https?://[^/]+/apm/${idOf(answer)}$`, "u"))
      assert.sameMembers(Object.keys(step), ["paymentType", "actionType", ...names])
      assert.include(step, { paymentType, actionType })
      const addresses = names.map((name) => String(step[name]))
      assert.lengthOf([...new Set(addresses)], names.length)
      for (const address of addresses) assert.isTrue(address.startsWith(`${redirectUrl}?`))
      yield* steps(1)
      const [callback] = yield* callbacksOf(idOf(answer))
      assert.deepStrictEqual(callback?.body["apmResponseData"], answer["apmResponseData"])
    }
    const named = { paymentMethod: "WALLET", paymentType: "EWALLET" }
    assert.include(nextStep(yield* requested(named)), { paymentType: "EWALLET" })
    const payout = yield* create("/payouts/apm", { successRedirectUrl: undefined })
    assert.deepStrictEqual(nextStep(payout), { paymentType: "WALLET" })
  }),
  it("the customer decides on the page of the method, once; a bank's payment is pending for 10 paces after that", function* () {
    const begun = ["NEW", "PENDING"]
    for (const [paymentMethod, act, told, later] of [
      ["WALLET", "approve", ["PROCESSING"], ["SUCCEED"]],
      ["WALLET", "decline", ["FAILED"], []],
      ["WALLET", "cancel", ["CANCELLED"], []],
      ["QR", "approve", ["PROCESSING"], ["SUCCEED"]],
      ["BANK", "approve", ["PROCESSING"], ["SUCCEED"]]
    ] as const) {
      const over = { requestId: `${paymentMethod} ${act}`, apmPayload: { paymentMethod } }
      const { answer, id } = yield* begin("/payments/apm", "customer", over)
      yield* steps(9)
      assert.deepStrictEqual(yield* callbackStatuses(id), begun)
      const page = String(nextStep(answer)["redirectUrl"])
      yield* press(page, { act })
      // The first decision stands.
      for (const act of ["cancel", "approve"]) yield* press(page, { act })
      yield* steps(paymentMethod === "BANK" ? 9 : 0.5)
      assert.deepStrictEqual(yield* callbackStatuses(id), [...begun, ...told])
      yield* steps(1)
      assert.deepStrictEqual(yield* callbackStatuses(id), [...begun, ...told, ...later])
    }
  }),
  it("a scenario needs no customer; a customer who approves while it moves pays once, and its later statuses follow", function* () {
    const { answer, id } = yield* begin("/payments/apm", "refund")
    yield* steps(0.5)
    yield* press(String(nextStep(answer)["redirectUrl"]), { act: "approve" })
    // The move that was due before the approval is not made.
    yield* steps(0.75)
    assert.deepStrictEqual(yield* callbackStatuses(id), ["NEW", "PROCESSING"])
    yield* steps(9)
    const approved = ["NEW", "PROCESSING", "SUCCEED", "REFUNDED"]
    assert.deepStrictEqual(yield* callbackStatuses(id), approved)
    const alone = yield* begin("/payments/apm", "succeed")
    yield* steps(3)
    yield* press(String(nextStep(alone.answer)["redirectUrl"]), { act: "cancel" })
    const all = ["NEW", "PENDING", "PROCESSING", "SUCCEED"]
    assert.deepStrictEqual(yield* callbackStatuses(alone.id), all)
  }),
  ...(
    [
      [{}, 24],
      [{ intentLifetime: "3 hours" }, 3]
    ] as const
  ).map(([options, hours]) =>
    itWith(options)(
      `an intent that nobody has paid expires after ${hours} hours: its page takes no payment`,
      function* () {
        const pay = { ...good, cvc: "737", name: "Ada Lovelace" }
        const inTime = yield* create("/payments/intent", { requestId: "in time" })
        const late = yield* create("/payments/intent", { requestId: "late" })
        yield* steps(hours - 1)
        yield* press(String(inTime["redirectUrl"]), pay)
        yield* steps(9)
        assert.lengthOf(yield* arrived, 4)
        yield* press(String(late["redirectUrl"]), pay)
        yield* steps(9)
        assert.lengthOf(yield* arrived, 4)
      }
    )
  ),
  test("in the style of a JVM a callback has null for the absent fields that may be null, and verifies", function* () {
    const paid = idOf(yield* create("/payments/apm"))
    const bought = idOf(yield* create("/payments/card"))
    yield* steps(1)
    const [apm] = yield* callbacksOf(paid)
    assert.isNull(apm?.body["metadata"])
    const data = apm?.body["apmResponseData"] as Json
    assert.include(data, { qrData: null, qrDeepLink: null, actionType: "REDIRECTION" })
    const [card] = yield* callbacksOf(bought)
    assert.isNull(card?.body["metadata"])
    assert.isString(card?.checksum)
    assert.notInclude(Object.values({ ...card?.body, metadata: "" }), null)
  }),
  test("in the style of a JVM a response has null for absent fields and epoch milliseconds for times", function* () {
    const answer = yield* create("/payments/apm")
    assert.deepInclude(answer, { declineCode: null, declineSubReason: null, metadata: null })
    assert.strictEqual((answer["apmResponseData"] as Json)["qrData"], null)
    const started = Number(answer["createdTime"])
    assert.strictEqual(answer["createdTime"], started)
    const id = idOf(yield* create("/payouts/apm", { requestId: "payout" }))
    const info = yield* ask("GET", `/payouts/apm/info/${id}`)
    assert.deepInclude(info, { billingDetails: null, order: null })
    assert.closeTo(Number(info["createdAt"]), started, 60_000)
    const subscription = yield* subscribe("succeed")
    assert.isNumber(subscription["nextChargeDate"])
    const read = yield* ask("GET", `${subscriptions}/${idOf(subscription)}`)
    for (const name of ["createdAt", "nextChargeDate", "lastChargeDate"]) {
      assert.isNumber(read[name], name)
    }
    assert.strictEqual((read["plan"] as Json)["endDate"], null)
    assert.strictEqual(read["billingDetails"], null)
    const status = yield* ask("GET", `/payouts/apm/status/${id}`)
    assert.strictEqual<unknown>(typeof status, "string")
  })
]
