/**
 * A strict service refuses formats that the specification does not allow; a lenient one accepts
 * them.
 */
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import { creates } from "@pawl/test-support/Creates"
import { authenticateBy, credentials, fields, sender } from "@pawl/test-support/TestGateway"
import {
  ask,
  authenticate,
  bodyFor,
  create,
  idOf,
  it,
  itWith,
  prepare,
  refused,
  send,
  ServiceUnderTest,
  steps
} from "./contractService.ts"

const test = itWith({ isLenient: true })

const wrong: ReadonlyArray<readonly [field: string, values: ReadonlyArray<string>]> = [
  ["billingDetails.country", ["LVA", "lv", "Latvia", "", "L1"]],
  [
    "billingDetails.dateOfBirth",
    ["26.10.1985", "1985-13-01", "1985-02-29", "1985-10-26T00:00Z", ""]
  ],
  [
    "order.date",
    ["20.11.2026", "2026-02-30", "2026-11-20 09:30", "1700000000000", "2026-11-20T24:30", ""]
  ]
]

const right: ReadonlyArray<readonly [field: string, values: ReadonlyArray<string>]> = [
  ["billingDetails.country", ["LV"]],
  ["billingDetails.dateOfBirth", ["1985-10-26", "2000-02-29"]],
  ["order.date", ["2026-11-20", "2026-11-20T09:30Z", "2026-11-20T09:30:00.123+02:00"]]
]

const paths = ["/payments/apm", "/payouts/apm", "/payments/intent", "/payments/card/recurring"]

const over = (field: string, value: string) => {
  const [object = "", name = ""] = field.split(".")
  const email = object === "billingDetails" ? { email: "ada@shop.example" } : {}
  return { requestId: crypto.randomUUID(), [object]: { ...email, [name]: value } }
}

const refundPath = "/refunds/card"

const refundById = Effect.fnUntraced(function* () {
  const resources = yield* prepare
  const transactionId = String(resources.paymentId)
  return yield* bodyFor(refundPath, { transactionId }, resources)
})

const subscribe = Effect.gen(function* () {
  const path = "/payments/card/recurring"
  return `${path}/${idOf(yield* create(path, {}, yield* prepare))}`
})

export const strictness = [
  test("a lenient service takes the transactionId of a refund as text", function* () {
    yield* ask("POST", refundPath, yield* refundById())
  }),
  it("a country is two capital letters, a date is on the calendar; else 400 with the field name", function* () {
    const resources = yield* prepare
    for (const path of paths) {
      for (const [field, values] of wrong) {
        for (const value of values) {
          const body = yield* bodyFor(path, over(field, value), resources)
          assert.deepStrictEqual(yield* refused("POST", path, body), [field], value)
        }
      }
      for (const [field, values] of right) {
        for (const value of values) yield* create(path, over(field, value), resources)
      }
    }
  }),
  test("a lenient service takes any country and any date, and returns them as they were sent", function* () {
    const resources = yield* prepare
    for (const path of paths) {
      for (const [field, values] of wrong) {
        for (const value of values) yield* create(path, over(field, value), resources)
      }
      for (const bad of [{ billingDetails: { email: 7 } }, { order: { title: 7 } }, { order: 7 }]) {
        assert.lengthOf(yield* refused("POST", path, yield* bodyFor(path, bad, resources)), 1)
      }
    }
    const sent = {
      billingDetails: { country: "Latvia", dateOfBirth: "26.10.1985" },
      order: { date: "20.11.2026", title: "Tea" }
    }
    const id = idOf(yield* create("/payouts/apm", { requestId: "echo", ...sent }, resources))
    yield* steps(9)
    const info = yield* ask("GET", `/payouts/apm/info/${id}`)
    assert.deepInclude(info, sent)
  }),
  it("the cancellation of a subscription has no other content type than JSON, and may have none", function* () {
    const path = yield* subscribe
    const token = yield* authenticate
    const plain = yield* send("DELETE", path, { token, contentType: "text/plain" })
    assert.deepStrictEqual([plain.status, [...fields(plain.json)]], [400, ["Content-Type"]])
    assert.strictEqual((yield* ask("GET", path))["status"], "ACTIVE")
    assert.strictEqual((yield* send("DELETE", path, { token, contentType: "" })).status, 204)
    assert.strictEqual((yield* ask("GET", path))["status"], "CANCELED")
  }),
  test("a lenient service cancels a subscription with any content type", function* () {
    const path = yield* subscribe
    const token = yield* authenticate
    assert.strictEqual(
      (yield* send("DELETE", path, { token, contentType: "text/plain" })).status,
      204
    )
  }),
  it("X08 another service shares no transaction, and its access token is 401, even under equal credentials and an equal seed", function* () {
    const { another } = yield* ServiceUnderTest
    const sendToAnother = sender((yield* another).handle)
    const path = `/payments/apm/status/${idOf(yield* create("/payments/apm"))}`
    const token = yield* authenticate
    const other = yield* authenticateBy(sendToAnother)
    assert.strictEqual((yield* sendToAnother("GET", path, { token })).status, 401)
    assert.strictEqual((yield* sendToAnother("GET", path, { token: other })).status, 404)
    assert.strictEqual((yield* send("GET", path, { token: other })).status, 401)
    assert.strictEqual((yield* send("GET", path, { token })).status, 200)
    assert.strictEqual((yield* sendToAnother("POST", "/auth", { body: credentials })).status, 200)
  }),
  it("a JSON number in the place of a text is 400 with the field name, in every spelling", function* () {
    const resources = yield* prepare
    const token = yield* authenticate
    for (const path of Object.keys(creates)) {
      const known = Object.keys(yield* bodyFor(path, {}, resources))
      const names = ["requestId", "accountId", "mid", "amount", "reason"].filter((name) =>
        known.includes(name)
      )
      const over = Object.fromEntries(names.map((name) => [name, "1050"]))
      const text = JSON.stringify(yield* bodyFor(path, over, resources))
      for (const name of names) {
        for (const number of ["10.50", "1050", "12345678901234567890"]) {
          const body = text.replace(`"${name}":"1050"`, `"${name}":${number}`)
          const { json, status } = yield* send("POST", path, { token, body })
          assert.strictEqual(status, 400, `${path} ${name} ${number}`)
          assert.deepStrictEqual(fields(json), [name])
        }
      }
    }
  }),
  it("a body of 64 KiB is accepted; one byte more is 413", function* () {
    const token = yield* authenticate
    const text = JSON.stringify(yield* bodyFor("/payments/apm"))
    for (const [length, status] of [
      [65_537, 413],
      [65_536, 200]
    ] as const) {
      const answer = yield* send("POST", "/payments/apm", { token, body: text.padEnd(length) })
      assert.strictEqual(answer.status, status)
    }
  })
]
