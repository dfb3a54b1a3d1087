import { forAll } from "@pawl/test-support/Properties"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import type { Form } from "../src/internal/gateway/PayForm.ts"
import { test } from "@pawl/test-support/GatewayTests"
import { Receiver, run } from "@pawl/test-support/TestGateway"
import { ask, body, type Resources } from "@pawl/test-support/Creates"
import { settled } from "@pawl/test-support/World"
import { repeats } from "@pawl/test-support/Repeats"

const noResources: Resources = { cardToken: "", paymentId: 0 }
const card = { act: "card", expiry: "04 / 30", cvc: "123", name: "Ada Lovelace" }
const good = { ...card, number: "4242 4242 4242 4242" }
const declines = { ...card, number: "4000000000000002" }
const challenges = { ...card, number: "4000-0000-0000-3220" }

const create = Effect.fnUntraced(function* (over: Readonly<Record<string, unknown>> = {}) {
  const { redirectUrl } = yield* ask(
    "POST",
    "/payments/intent",
    body("/payments/intent", noResources, over)
  )
  return String(redirectUrl).split("/").at(-1) ?? ""
})

const look = Effect.fnUntraced(function* (id: string) {
  const { checkout, transactions } = yield* Gateway.Gateway
  const intent = yield* checkout.intent(id)
  if (intent === undefined) return yield* Effect.die("the intent is gone")
  const all = (yield* transactions).filter(({ intentId }) => intentId === id)
  return { intent, all }
})

/** Submits a form as the page shows it, or as it was `ago` attempts before. */
const submit = Effect.fnUntraced(function* (id: string, form: Form, ago = 0) {
  const { intent } = yield* look(id)
  const { checkout } = yield* Gateway.Gateway
  const submitted = yield* checkout.submit(id, {
    ...form,
    attempts: String(intent.attempts.length - ago)
  })
  return submitted ?? (yield* Effect.die("the intent is gone"))
})

const decide = Effect.fnUntraced(function* (id: string, isApproved: boolean) {
  const { intent } = yield* look(id)
  const { checkout } = yield* Gateway.Gateway
  const [last = ""] = intent.attempts.slice(-1)
  yield* checkout.challenge(last)
  yield* checkout.decide(last, isApproved)
})

const statuses = (history: ReadonlyArray<{ readonly status: string }>) =>
  history.map(({ status }) => status)

describe("an intent", () => {
  test("is paid by card in one transaction with the data of the intent and its callbacks", function* () {
    const { received } = yield* Receiver
    const metadata = { cart: "7" }
    const id = yield* create({ metadata, order: { orderId: "o-1" } })
    const { errors, intent } = yield* submit(id, good)
    assert.isEmpty(errors)
    assert.strictEqual(intent.state, "underway")
    yield* settled
    yield* TestClock.adjust("1 minute")
    const { all, intent: after } = yield* look(id)
    assert.strictEqual(after.state, "paid")
    assert.lengthOf(all, 1)
    assert.include(all[0], {
      kind: "card-payment",
      requestId: "r-1",
      mid: "m-1",
      amount: "10.50",
      currency: "EUR",
      cardMask: "424242******4242",
      cardHolder: "Ada Lovelace"
    })
    assert.deepStrictEqual(all[0]?.order, { orderId: "o-1" })
    assert.deepStrictEqual(
      received.map(({ body }) => [body["transactionStatus"], body["mid"], body["metadata"]]),
      ["NEW", "PENDING", "PROCESSING", "SUCCEED"].map((status) => [status, "m-1", metadata])
    )
    assert.match(received[0]?.url ?? "", /[?&]paymentMethod=card$/u)
  })

  test("of a payout pays to a card or an account, and stores the last four characters of the account", function* () {
    const payout = { type: "PAYOUT", mid: "77" }
    const first = yield* create({ ...payout, requestId: "card" })
    yield* submit(first, { ...good, cvc: undefined })
    assert.include((yield* look(first)).all[0], {
      kind: "card-payout",
      mid: "77",
      cardMask: "424242******4242"
    })
    const second = yield* create({ ...payout, requestId: "account" })
    const { errors } = yield* submit(second, { act: "WALLET", account: " " })
    assert.deepStrictEqual(errors, [{ field: "account", reason: "account" }])
    yield* submit(second, { act: "WALLET", account: "DE89 3704 0044 0532 0130 00" })
    const { all } = yield* look(second)
    assert.include(all[0], { kind: "apm-payout", accountId: "77", apmType: "WALLET" })
    assert.deepStrictEqual(all[0]?.apmPayload, {
      paymentMethod: "WALLET",
      unknownFields: { account: "****3000" }
    })
    const info = yield* ask("GET", `/payouts/apm/info/${all[0]?.transactionId}`)
    assert.include(info, { accountId: 77, requestId: "account" })
    const third = yield* create({ ...payout, mid: "m-1", requestId: "text" })
    yield* submit(third, { act: "WALLET", account: "DE89 3704 0044 0532 0130 00" })
    const { transactionId } = (yield* look(third)).all[0] ?? assert.fail()
    assert.notProperty(yield* ask("GET", `/payouts/apm/info/${transactionId}`), "accountId")
  })

  test("without an amount asks for it once, in EUR by default", function* () {
    const id = yield* create({ amount: undefined, currency: undefined })
    for (const amount of [undefined, "", "0", "0,00", "-1", "1e2", "10.505", "much"]) {
      const { errors } = yield* submit(id, { act: "amount", amount })
      assert.deepStrictEqual(errors, [{ field: "amount", reason: "amount" }])
    }
    yield* submit(id, { ...good, amount: undefined })
    assert.isEmpty((yield* look(id)).all)
    yield* submit(id, { act: "amount", amount: " 12,50 " })
    yield* submit(id, { ...good, amount: "1" })
    assert.include((yield* look(id)).all[0], { amount: "12.50", currency: "EUR" })
  })

  test("returns an error for every wrong field, and accepts only test cards (D08)", function* () {
    yield* TestClock.setTime(Date.UTC(2026, 10, 30, 23))
    const id = yield* create()
    const errors = (over: Form) =>
      Effect.map(submit(id, { ...good, ...over }), ({ errors }) =>
        errors.map(({ field, reason }) => `${field} ${reason}`)
      )
    assert.deepStrictEqual(yield* errors({ number: "", expiry: "", cvc: "", name: "" }), [
      "number number",
      "expiry expiry",
      "cvc cvc",
      "name name"
    ])
    for (const number of ["4111111111111111", "4242424242424243", "378282246310005"]) {
      assert.deepStrictEqual(yield* errors({ number }), ["number testCards"])
    }
    for (const number of ["4242", "4242x4242424242424", "4".repeat(20)]) {
      assert.deepStrictEqual(yield* errors({ number }), ["number number"])
    }
    for (const expiry of [
      "13/30",
      "00/30",
      "4",
      "04/3",
      "04/1930",
      "2030-04",
      `4${" ".repeat(300_000)}x`
    ]) {
      assert.deepStrictEqual(yield* errors({ expiry }), ["expiry expiry"])
    }
    for (const expiry of ["10/26", "12/25", "0120"]) {
      assert.deepStrictEqual(yield* errors({ expiry }), ["expiry expired"])
    }
    for (const cvc of ["12", "12345", "abc"]) {
      assert.deepStrictEqual(yield* errors({ cvc }), ["cvc cvc"])
    }
    assert.deepStrictEqual(yield* errors({ act: "BITCOIN", number: undefined }), ["number number"])
    assert.isEmpty((yield* look(id)).all)
    for (const [at, expiry] of ["11/26", "1 / 2027", "0430", "04.30", " 12-2099 "].entries()) {
      const other = yield* create({ requestId: `e-${at}` })
      assert.isEmpty((yield* submit(other, { ...good, expiry })).errors, expiry)
    }
  })

  test("follows its metadata after a success, and delivers its callbacks by the suffixes", function* () {
    const { received } = yield* Receiver
    for (const [scenario, form, expected] of [
      ["refund", good, "NEW PENDING PROCESSING SUCCEED REFUNDED"],
      ["stuck", good, "NEW PENDING PROCESSING"],
      ["decline:51", good, "NEW PENDING PROCESSING SUCCEED"],
      ["challenge", good, "NEW PENDING PROCESSING SUCCEED"],
      ["chargeback", declines, "NEW FAILED"],
      ["succeed+silent", declines, ""]
    ] as const) {
      received.length = 0
      const metadata = { "sandbox.scenario": scenario }
      const id = yield* create({ requestId: scenario, metadata })
      yield* submit(id, form)
      yield* settled
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(
        received.map(({ body }) => body["transactionStatus"]).join(" "),
        expected,
        scenario
      )
    }
  })

  it("redirects some customers early, and the same ones for the same seed", async () => {
    const early = (seed: number) =>
      run(
        function* () {
          const drawn: Array<boolean> = []
          for (let n = 0; n < 20; n++) {
            drawn.push((yield* look(yield* create({ requestId: `r-${n}` }))).intent.isEarly)
          }
          return drawn
        },
        { seed }
      )
    const [one, again, two] = [await early(1), await early(1), await early(2)]
    assert.deepStrictEqual(one, again)
    assert.notDeepEqual(one, two)
    assert.sameMembers([...new Set(one)], [true, false])
  })
})

const isLegal = (history: ReadonlyArray<string>): boolean =>
  [
    "NEW FAILED",
    "NEW CANCELLED",
    "NEW CUSTOMER_VERIFICATION",
    "NEW CUSTOMER_VERIFICATION SUCCEED",
    "NEW CUSTOMER_VERIFICATION FAILED",
    "NEW PENDING PROCESSING FAILED SUCCEED",
    "NEW PENDING PROCESSING SUCCEED REFUNDED"
  ].some((legal) => `${legal} `.startsWith(`${history.join(" ")} `))

it("an intent is paid at most once by any actions of customers, and the callbacks state its history", async () => {
  const states = new Set<string>()
  const step = fc.oneof(
    fc.record({
      form: fc.constantFrom<Form>(
        good,
        declines,
        challenges,
        { ...good, number: "4111111111111111" },
        { act: "WALLET" },
        { act: "cancel" },
        { act: "amount", amount: "7" },
        {}
      ),
      ago: fc.constantFrom(0, 0, 0, 1, -1)
    }),
    fc.record({ isApproved: fc.boolean() }),
    fc.record({ paces: fc.integer({ min: 1, max: 4 }) })
  )
  const scenario = fc.constantFrom("succeed", "conflict", "refund", "stuck", "decline:51")
  await forAll(
    [fc.array(step, { maxLength: 14 }), scenario],
    {
      numRuns: repeats(400),
      // One of each end.
      examples: [
        [[], "succeed"],
        [[{ form: declines, ago: 0 }], "succeed"],
        [[{ form: challenges, ago: 0 }], "succeed"],
        [[{ form: good, ago: 0 }], "stuck"],
        [[{ form: good, ago: 0 }], "succeed"],
        // Paid again after FAILED, which becomes SUCCEED.
        [[{ form: good, ago: 0 }, { paces: 3 }, { form: good, ago: 0 }], "conflict"],
        [[{ form: { act: "cancel" }, ago: 0 }], "succeed"]
      ]
    },
    (steps, scenario) =>
      run(function* () {
        const { received } = yield* Receiver
        const id = yield* create({ metadata: { "sandbox.scenario": scenario } })
        for (const step of steps) {
          if ("form" in step) yield* submit(id, step.form, step.ago)
          else if ("isApproved" in step) yield* decide(id, step.isApproved)
          else {
            yield* settled
            yield* TestClock.adjust(step.paces * 200)
          }
        }
        yield* settled
        yield* TestClock.adjust("1 minute")
        const { all, intent } = yield* look(id)
        assert.deepStrictEqual(
          all.map(({ transactionId }) => transactionId),
          [...intent.attempts]
        )
        const paid = all.filter(({ history }) => statuses(history).includes("SUCCEED"))
        assert.isAtMost(paid.length, 1)
        assert.strictEqual(intent.state === "paid", paid.length === 1)
        for (const { history, transactionId } of all) {
          assert.isTrue(isLegal(statuses(history)), statuses(history).join(" "))
          assert.deepStrictEqual(
            received
              .filter(({ body }) => body["transactionId"] === transactionId)
              .map(({ body }) => body["transactionStatus"]),
            statuses(history)
          )
        }
        if (intent.state === "open") assert.isEmpty(all)
        states.add(intent.state)
      })
  )
  assert.sameMembers(
    [...states],
    ["open", "declined", "challenged", "underway", "paid", "cancelled"]
  )
})
