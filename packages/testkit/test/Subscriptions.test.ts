import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import { authenticate, fields, Receiver, run, send } from "@pawl/test-support/TestGateway"
import { ask, body, card, scenario } from "@pawl/test-support/Creates"

const path = "/payments/card/recurring"
const start = Date.UTC(2027, 0, 31, 12)
const plan = {
  amount: "9.99",
  currency: "EUR",
  frequency: "MONTHLY",
  interval: 1,
  startDate: "2027-01-31T12:00:00Z"
}

type Json = Readonly<Record<string, unknown>>

const tokenOf = (number: string) =>
  Effect.map(
    ask("POST", "/payments/card/tokenize", {
      requestId: number,
      mid: "m-1",
      card: { ...card, number }
    }),
    ({ cardToken }) => String(cardToken)
  )

const subscribe = Effect.fnUntraced(function* (over: Json = {}, number = card.number) {
  yield* TestClock.setTime(start)
  const cardToken = yield* tokenOf(number)
  return yield* ask("POST", path, body(path, { cardToken, paymentId: 0 }, { plan, ...over }))
})

const read = (id: unknown) => ask("GET", `${path}/${String(id)}`)

const put = Effect.fnUntraced(function* (id: unknown, update: unknown) {
  const token = yield* authenticate
  return yield* send("PUT", `${path}/${String(id)}`, { token, body: update })
})

const charges = Effect.gen(function* () {
  const transactions = yield* (yield* Gateway.Gateway).transactions
  return transactions
    .filter(({ subscriptionId }) => subscriptionId !== undefined)
    .map(({ createdTime, status }) => `${createdTime.slice(0, 10)} ${status}`)
})

describe("a subscription", () => {
  it("is charged at once, and its read has every field of the specification", () =>
    run(
      Effect.gen(function* () {
        const billingDetails = { email: "ada@shop.example", city: "Riga" }
        const created = yield* subscribe({ billingDetails, metadata: { a: "b" } })
        assert.deepStrictEqual(created, {
          subscriptionId: "100001",
          transactionId: "100002",
          transactionStatus: "NEW",
          nextChargeDate: "2027-02-28T12:00:00.000Z",
          metadata: { a: "b" }
        })
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* read("100001"), {
          subscriptionId: "100001",
          status: "ACTIVE",
          nextChargeDate: "2027-02-28T12:00:00.000Z",
          createdAt: "2027-01-31T12:00:00.000Z",
          plan,
          billingDetails,
          metadata: { a: "b" },
          failureCount: 0,
          lastChargeDate: "2027-01-31T12:00:00.000Z",
          lastChargeStatus: "SUCCEED"
        })
        assert.deepStrictEqual(
          (yield* Receiver).received.map(({ body, url }) => [body["transactionStatus"], url]),
          ["NEW", "PENDING", "PROCESSING", "SUCCEED"].map((status) => [
            status,
            "http://127.0.0.1:4020/callback?paymentMethod=card"
          ])
        )
      })
    ))

  it("whose first charge is skipped is TRIALING until its first charge date, and then ACTIVE", () =>
    run(
      Effect.gen(function* () {
        const later = { ...plan, startDate: "2027-02-14" }
        const created = yield* subscribe({ skipFirstCharge: true, plan: later })
        assert.deepStrictEqual(created, {
          subscriptionId: "100001",
          nextChargeDate: "2027-02-14T00:00:00.000Z"
        })
        const trial = yield* read("100001")
        assert.include(trial, {
          status: "TRIALING",
          failureCount: 0,
          lastChargeDate: null,
          lastChargeStatus: null
        })
        yield* TestClock.setTime(Date.UTC(2027, 1, 14) - 1)
        assert.isEmpty(yield* charges)
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* charges, ["2027-02-14 NEW"])
        assert.include(yield* read("100001"), {
          status: "ACTIVE",
          nextChargeDate: "2027-03-14T00:00:00.000Z",
          lastChargeStatus: "NEW"
        })
      })
    ))

  it("that starts later is charged now and on its start date", () =>
    run(
      Effect.gen(function* () {
        yield* subscribe({ plan: { ...plan, frequency: "WEEKLY", startDate: "2027-02-14" } })
        yield* TestClock.setTime(Date.UTC(2027, 1, 22))
        assert.deepStrictEqual(yield* charges, [
          "2027-01-31 SUCCEED",
          "2027-02-14 SUCCEED",
          "2027-02-21 SUCCEED"
        ])
      })
    ))

  it("of a challenged card is PENDING until the challenge ends, and is not challenged again", () =>
    run(
      Effect.gen(function* () {
        const created = yield* subscribe({}, "4000000000003220")
        assert.include(created, { transactionStatus: "CUSTOMER_VERIFICATION" })
        assert.strictEqual((yield* read("100001"))["status"], "PENDING")
        yield* TestClock.adjust("200 millis")
        assert.include(yield* read("100001"), { status: "ACTIVE", lastChargeStatus: "SUCCEED" })
        yield* TestClock.setTime(Date.UTC(2027, 2, 1))
        const transactions = yield* (yield* Gateway.Gateway).transactions
        assert.deepStrictEqual(
          transactions.map(({ history }) => history.map(({ status }) => status)),
          [
            ["NEW", "CUSTOMER_VERIFICATION", "SUCCEED"],
            ["NEW", "PENDING", "PROCESSING", "SUCCEED"]
          ]
        )
      })
    ))

  it("that is changed while the challenge is open keeps its new status", () =>
    run(
      Effect.gen(function* () {
        yield* subscribe({}, "4000000000003220")
        yield* put("100001", { status: "PAUSED" })
        yield* TestClock.adjust("1 minute")
        assert.include(yield* read("100001"), { status: "PAUSED", lastChargeStatus: "SUCCEED" })
      })
    ))

  it("counts consecutive failed charges", () =>
    run(
      Effect.gen(function* () {
        const declined = yield* subscribe(scenario("decline:51"))
        assert.include(declined, { transactionStatus: "FAILED", declineCode: 51 })
        assert.include(yield* read("100001"), { status: "ACTIVE", failureCount: 1 })
        yield* TestClock.setTime(Date.UTC(2027, 3, 1))
        assert.include(yield* read("100001"), {
          status: "ACTIVE",
          failureCount: 3,
          lastChargeDate: "2027-03-31T12:00:00.000Z",
          lastChargeStatus: "FAILED"
        })
      })
    ))

  it("whose failed charge succeeds later has no failures", () =>
    run(
      Effect.gen(function* () {
        yield* subscribe(scenario("conflict"))
        yield* TestClock.adjust("600 millis")
        assert.include(yield* read("100001"), { failureCount: 0, lastChargeStatus: "FAILED" })
        yield* TestClock.adjust("200 millis")
        assert.include(yield* read("100001"), { failureCount: 0, lastChargeStatus: "SUCCEED" })
      })
    ))

  it("is not charged after its end date, and keeps its status", () =>
    run(
      Effect.gen(function* () {
        const daily = { ...plan, frequency: "DAILY", endDate: "2027-02-02" }
        yield* subscribe({ plan: daily })
        yield* TestClock.adjust("30 days")
        assert.lengthOf(yield* charges, 3)
        assert.include(yield* read("100001"), { status: "ACTIVE", nextChargeDate: null })
        // A later end date resumes the charges.
        yield* put("100001", { plan: { endDate: "2027-03-04" } })
        yield* TestClock.adjust("30 days")
        assert.lengthOf(yield* charges, 5)
      })
    ))
})

describe("a PUT", () => {
  it("merges the plan member by member, and the next charge follows the new plan", () =>
    run(
      Effect.gen(function* () {
        yield* subscribe()
        const { json } = yield* put("100001", { plan: { amount: "5.005", interval: 2 } })
        assert.deepInclude(json, {
          plan: { ...plan, amount: "5.01", interval: 2 },
          status: "ACTIVE",
          nextChargeDate: "2027-03-31T12:00:00.000Z"
        })
        yield* put("100001", { plan: { frequency: "CUSTOM", interval: 10 } })
        yield* TestClock.adjust("25 days")
        assert.lengthOf(yield* charges, 3)
        const last = (yield* (yield* Gateway.Gateway).transactions).at(-1)
        assert.deepStrictEqual(
          [last?.amount, last?.createdTime],
          ["5.01", "2027-02-20T12:00:00.000Z"]
        )
        const same = yield* put("100001", {})
        assert.deepStrictEqual(same.json, yield* read("100001"))
      })
    ))

  it("pauses and resumes; charges that fell due in between are skipped", () =>
    run(
      Effect.gen(function* () {
        yield* subscribe()
        const paused = yield* put("100001", { status: "PAUSED" })
        assert.include(paused.json, { status: "PAUSED", nextChargeDate: null })
        yield* TestClock.setTime(Date.UTC(2027, 3, 15))
        assert.deepStrictEqual(yield* charges, ["2027-01-31 SUCCEED"])
        const resumed = yield* put("100001", { status: "ACTIVE" })
        assert.include(resumed.json, {
          status: "ACTIVE",
          nextChargeDate: "2027-04-30T12:00:00.000Z"
        })
        yield* TestClock.setTime(Date.UTC(2027, 4, 1))
        assert.deepStrictEqual(yield* charges, ["2027-01-31 SUCCEED", "2027-04-30 SUCCEED"])
      })
    ))

  it("to PENDING stops the charges, and to TRIALING makes those that fall due", () =>
    run(
      Effect.gen(function* () {
        yield* subscribe()
        yield* put("100001", { status: "PENDING" })
        yield* TestClock.setTime(Date.UTC(2027, 2, 1))
        assert.lengthOf(yield* charges, 1)
        yield* put("100001", { status: "TRIALING" })
        yield* TestClock.setTime(Date.UTC(2027, 3, 1))
        assert.deepStrictEqual(yield* charges, ["2027-01-31 SUCCEED", "2027-03-31 SUCCEED"])
        assert.strictEqual((yield* read("100001"))["status"], "ACTIVE")
      })
    ))
})

it("a reset removes the subscriptions and stops their charges", () =>
  run(
    Effect.gen(function* () {
      yield* subscribe()
      yield* (yield* Gateway.Gateway).reset
      yield* TestClock.adjust("365 days")
      assert.isEmpty(yield* charges)
      const token = yield* authenticate
      assert.strictEqual((yield* send("GET", `${path}/100001`, { token })).status, 404)
      // The card token is removed as well.
      const again = yield* send("POST", path, {
        token,
        body: body(path, { cardToken: "card-token-1", paymentId: 0 })
      })
      assert.deepStrictEqual(fields(again.json), ["cardToken"])
    })
  ))
