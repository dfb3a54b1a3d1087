import * as Effect from "effect/Effect"
import { assert } from "vitest"
import {
  type Json,
  arrived,
  ask,
  authenticate,
  bodyFor,
  callbacksOf,
  create,
  it,
  pass,
  prepare,
  refused,
  reset,
  send,
  steps
} from "./contractService.ts"
import { card, scenario } from "@pawl/test-support/Creates"

const path = "/payments/card/recurring"

/** Returns the time of the service some days from now; its clock may differ from the wall clock. */
const timeIn = Effect.fnUntraced(function* (days: number) {
  const { createdTime } = yield* create("/payments/apm", {
    requestId: crypto.randomUUID(),
    callbackUrl: undefined
  })
  const then = Date.parse(String(createdTime)) + days * 86_400_000
  return new Date(then).toISOString()
})

const daily = Effect.map(timeIn(2), (startDate) => ({
  amount: "9.99",
  currency: "EUR",
  frequency: "DAILY",
  interval: 1,
  startDate
}))

const tokenOf = Effect.fnUntraced(function* (number = card.number) {
  const request = { requestId: number, mid: "m-1", card: { ...card, number } }
  return String((yield* ask("POST", "/payments/card/tokenize", request))["cardToken"])
})

const subscribe = Effect.fnUntraced(function* (over: Json = {}, number = card.number) {
  const resources = { cardToken: yield* tokenOf(number), paymentId: 0 }
  const answer = yield* create(path, { plan: yield* daily, ...over }, resources)
  return { answer, at: `${path}/${String(answer["subscriptionId"])}` }
})

/** Returns the number of charges, the only callbacks in these cases. */
const charges = Effect.map(
  arrived,
  (all) => new Set(all.map(({ body }) => body["transactionId"])).size
)

export const subscriptions = [
  it("a subscription is charged at once, and its read has every field of the specification", function* () {
    const billingDetails = { email: "ada@shop.example", city: "Riga" }
    const plan = yield* daily
    const { answer, at } = yield* subscribe({ plan, billingDetails, metadata: { a: "b" } })
    const { nextChargeDate, subscriptionId, transactionId, ...rest } = answer
    assert.deepStrictEqual(rest, { transactionStatus: "NEW", metadata: { a: "b" } })
    assert.strictEqual(nextChargeDate, plan.startDate)
    yield* steps(9)
    const { createdAt, lastChargeDate, ...read } = yield* ask("GET", at)
    // On a wall clock a millisecond may have passed between the two.
    assert.isTrue(String(createdAt) <= String(lastChargeDate))
    assert.deepStrictEqual<unknown>(read, {
      subscriptionId,
      status: "ACTIVE",
      nextChargeDate,
      plan,
      billingDetails,
      metadata: { a: "b" },
      failureCount: 0,
      lastChargeStatus: "SUCCEED"
    })
    const callbacks = yield* callbacksOf(String(transactionId))
    assert.deepStrictEqual(
      callbacks.map(({ body }) => [body["transactionStatus"], body["orderAmount"], body["mid"]]),
      ["NEW", "PENDING", "PROCESSING", "SUCCEED"].map((status) => [status, "9.99", "m-1"])
    )
    const status: unknown = yield* ask("GET", `/payments/card/status/${String(transactionId)}`)
    assert.strictEqual(status, "SUCCEED")
  }),
  it("a subscription whose first charge is skipped is TRIALING until its first charge date, and then ACTIVE", function* () {
    const { answer, at } = yield* subscribe({ skipFirstCharge: true })
    assert.sameMembers(Object.keys(answer), ["subscriptionId", "nextChargeDate"])
    assert.strictEqual(answer["nextChargeDate"], (yield* ask("GET", at))["nextChargeDate"])
    assert.include(yield* ask("GET", at), {
      status: "TRIALING",
      failureCount: 0,
      lastChargeDate: null,
      lastChargeStatus: null
    })
    yield* steps(9)
    assert.strictEqual(yield* charges, 0)
    yield* pass("2 days")
    assert.strictEqual(yield* charges, 1)
    assert.include(yield* ask("GET", at), { status: "ACTIVE" })
  }),
  it("a subscription is charged until its end date, and keeps its status", function* () {
    const plan = { ...(yield* daily), endDate: yield* timeIn(4) }
    const { at } = yield* subscribe({ plan })
    yield* pass("30 days")
    // At once, and on three days.
    assert.strictEqual(yield* charges, 4)
    assert.include(yield* ask("GET", at), { status: "ACTIVE", nextChargeDate: null })
    // A later end date resumes the charges.
    yield* ask("PUT", at, { plan: { endDate: yield* timeIn(1.5) } })
    yield* pass("30 days")
    assert.strictEqual(yield* charges, 5)
  }),
  it("a subscription counts consecutive failed charges, and has a declineCode only with FAILED", function* () {
    const { answer, at } = yield* subscribe(scenario("decline:51"))
    assert.include(answer, { transactionStatus: "FAILED", declineCode: 51 })
    assert.include(yield* ask("GET", at), { status: "ACTIVE", failureCount: 1 })
    yield* pass("3 days")
    const { failureCount, lastChargeStatus } = yield* ask("GET", at)
    assert.deepStrictEqual([failureCount, lastChargeStatus], [3, "FAILED"])
  }),
  it("a challenged card keeps a subscription PENDING until the challenge ends", function* () {
    const { answer, at } = yield* subscribe({}, "4000000000003220")
    assert.strictEqual(answer["transactionStatus"], "CUSTOMER_VERIFICATION")
    for (const name of ["challengeUrl", "challengeUrlIframe"]) {
      assert.isTrue(URL.canParse(String(answer[name])), name)
    }
    assert.strictEqual((yield* ask("GET", at))["status"], "PENDING")
    yield* steps(1)
    assert.include(yield* ask("GET", at), { status: "ACTIVE", lastChargeStatus: "SUCCEED" })
    // No later charge is challenged.
    yield* pass("2 days")
    yield* steps(4)
    const told = (yield* arrived).map(({ body }) => body["transactionStatus"])
    const challenged = ["NEW", "CUSTOMER_VERIFICATION", "SUCCEED"]
    assert.deepStrictEqual(told, [...challenged, "NEW", "PENDING", "PROCESSING", "SUCCEED"])
  }),
  it("a subscription that is changed while the challenge is open keeps its new status", function* () {
    const { at } = yield* subscribe({}, "4000000000003220")
    yield* ask("PUT", at, { status: "PAUSED" })
    yield* steps(9)
    assert.include(yield* ask("GET", at), { status: "PAUSED", lastChargeStatus: "SUCCEED" })
  }),
  it("a subscription whose failed charge succeeds later has no failures", function* () {
    const { at } = yield* subscribe(scenario("conflict"))
    yield* steps(3)
    assert.include(yield* ask("GET", at), { failureCount: 0, lastChargeStatus: "FAILED" })
    yield* steps(1)
    assert.include(yield* ask("GET", at), { failureCount: 0, lastChargeStatus: "SUCCEED" })
  }),
  it("a reset removes subscriptions and card tokens, and no charge is made after it", function* () {
    const { at } = yield* subscribe()
    const cardToken = yield* tokenOf()
    yield* reset
    yield* pass("30 days")
    assert.strictEqual(yield* charges, 1)
    const token = yield* authenticate
    assert.strictEqual((yield* send("GET", at, { token })).status, 404)
    const body = yield* bodyFor(path, {}, { cardToken, paymentId: 0 })
    assert.deepStrictEqual(yield* refused("POST", path, body), ["cardToken"])
  }),
  it("a PUT merges the plan member by member, and the next charge follows the new plan", function* () {
    const plan = yield* daily
    const { at } = yield* subscribe({ plan })
    const startDate = yield* timeIn(5)
    for (const [update, merged] of [
      [{ amount: "5.005" }, { amount: "5.01" }],
      [
        { interval: 2, frequency: "CUSTOM" },
        { amount: "5.01", interval: 2, frequency: "CUSTOM" }
      ],
      [{ startDate }, { amount: "5.01", interval: 2, frequency: "CUSTOM", startDate }]
    ] as const) {
      const answer = yield* ask("PUT", at, { plan: update })
      assert.deepStrictEqual<unknown>(answer["plan"], { ...plan, ...merged })
      assert.deepStrictEqual(yield* ask("GET", at), answer)
    }
    assert.deepStrictEqual(yield* ask("PUT", at, {}), yield* ask("GET", at))
    yield* pass("8 days")
    // At once, in five days and in seven.
    assert.strictEqual(yield* charges, 3)
    const last = (yield* arrived).at(-1)
    assert.strictEqual(last?.body["orderAmount"], "5.01")
  }),
  it("a PUT takes every status of the specification, except from CANCELED, where it is 400", function* () {
    const { at } = yield* subscribe()
    for (const status of ["PENDING", "TRIALING", "PAUSED", "ACTIVE", "CANCELED"]) {
      assert.include(yield* ask("PUT", at, { status }), { status })
    }
    for (const update of [{ status: "ACTIVE" }, { status: "CANCELED" }, {}]) {
      assert.deepStrictEqual(yield* refused("PUT", at, update), ["status"])
    }
  }),
  it("a PUT checks for 400 before 404, and names the members of the plan", function* () {
    const { at } = yield* subscribe()
    for (const [update, named] of [
      [{ status: "FOO" }, ["status"]],
      [{ plan: { frequency: "YEARLY", amount: "-1" } }, ["plan.amount", "plan.frequency"]],
      [{ plan: { interval: -1, endDate: "never" } }, ["plan.interval", "plan.endDate"]],
      [{ plan: { amount: "-1" } }, ["plan.amount"]],
      [{ plan: null }, ["plan"]]
    ] as const) {
      for (const place of [at, `${path}/7`]) {
        assert.deepStrictEqual(yield* refused("PUT", place, update), [...named])
      }
    }
    const token = yield* authenticate
    const missing = yield* send("PUT", `${path}/7`, { token, body: {} })
    assert.strictEqual(missing.status, 404)
  }),
  it("a subscription needs a card token of this service and a valid plan", function* () {
    const resources = yield* prepare
    const plan = yield* daily
    for (const [over, named] of [
      [{ cardToken: "card-token-0" }, ["cardToken"]],
      [{ plan: { ...plan, endDate: "1970-01-01" } }, ["plan.endDate"]],
      [{ plan: { ...plan, interval: 0 } }, ["plan.interval"]],
      [{ plan: { ...plan, interval: 1.5 } }, ["plan.interval"]],
      [
        { plan: { ...plan, frequency: "YEARLY", currency: "eur" } },
        ["plan.currency", "plan.frequency"]
      ],
      [{ plan: { ...plan, startDate: "2027-02-30" } }, ["plan.startDate"]]
    ] as const) {
      const body = yield* bodyFor(path, over, resources)
      assert.deepStrictEqual(yield* refused("POST", path, body), [...named])
    }
  }),
  it("a DELETE cancels at once from every status, is 204 without a body, and can be repeated", function* () {
    const token = yield* authenticate
    const resources = { cardToken: yield* tokenOf(), paymentId: 0 }
    const plan = yield* daily
    const statuses = ["PENDING", "TRIALING", "ACTIVE", "PAUSED", "CANCELED"]
    for (const status of statuses) {
      const { subscriptionId } = yield* create(path, { requestId: status, plan }, resources)
      const at = `${path}/${String(subscriptionId)}`
      yield* ask("PUT", at, { status })
      const gone = yield* send("DELETE", at, { token })
      assert.deepStrictEqual([gone.status, gone.body], [204, ""])
      assert.include(yield* ask("GET", at), { status: "CANCELED", nextChargeDate: null })
    }
    yield* pass("25 days")
    assert.strictEqual(yield* charges, statuses.length)
    assert.strictEqual((yield* send("DELETE", `${path}/7`, { token })).status, 404)
  })
]
