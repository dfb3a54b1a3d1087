/** An invalid field is 400 with its name, in the order of the checks. */
import { assert } from "vitest"
import { checksum, fields, payment } from "@pawl/test-support/TestGateway"
import {
  bodyFor,
  authenticate,
  create,
  it,
  type Json,
  opened,
  prepare,
  refused,
  send
} from "./contractService.ts"
import { creates, opening } from "@pawl/test-support/Creates"

const paths = Object.keys(creates)

const required: Readonly<Record<string, string>> = {
  "/payments/apm": "requestId accountId apmPayload amount currency checksum",
  "/payouts/apm": "requestId accountId apmPayload amount currency",
  "/payments/card": "requestId mid amount currency card card.number",
  "/payments/card/tokenize": "requestId mid card card.number",
  "/payments/card/charge": "requestId mid amount currency cardToken",
  "/payouts/card": "requestId mid amount card card.number card.expMonth card.expYear",
  "/refunds/card": "requestId mid transactionId amount reason",
  "/payments/intent": `type lang requestId mid billingDetails billingDetails.email order device
    callbackUrl successRedirectUrl failureRedirectUrl`,
  "/payments/card/recurring": `requestId mid cardToken callbackUrl successRedirectUrl
    failureRedirectUrl plan plan.amount plan.currency plan.frequency plan.interval plan.startDate`
}

const without = (body: Json, field: string): Json => {
  const [first = "", second] = field.split(".")
  const { [first]: taken, ...rest } = body
  return second === undefined ? rest : { ...rest, [first]: without(taken as Json, second) }
}

const elsewhere = [
  "file:///etc/passwd",
  "gopher://127.0.0.1:70/",
  "data:text/html,x",
  "javascript:alert(1)",
  "ftp://127.0.0.1/",
  "//127.0.0.1/cb",
  "/cb",
  "cb",
  "",
  "http://:99999",
  "http://127.0.0.1:99999/",
  "http://[",
  "http:",
  "https://",
  " http://127.0.0.1/",
  "https://shop.example/ x"
]

export const bodies = [
  it("a missing required field is named, and nothing is created", function* () {
    const resources = yield* prepare
    const before = yield* opened
    for (const path of paths) {
      const body = yield* bodyFor(path, {}, resources)
      for (const field of required[path]?.split(/\s+/u) ?? []) {
        assert.deepStrictEqual(yield* refused("POST", path, without(body, field)), [field], path)
      }
    }
    assert.strictEqual(yield* opened, before + 1)
  }),
  it("the field of an invalid value is named, and the value is not repeated", function* () {
    const resources = yield* prepare
    const token = yield* authenticate
    const canary = "k4n4ry"
    const wrong: ReadonlyArray<readonly [path: string, field: string, value: unknown]> = [
      ...paths.flatMap((path) => [
        [path, "requestId", 7] as const,
        [path, "requestId", ""] as const
      ]),
      ...opening.flatMap((path) => [
        [path, "amount", `1e${canary}`] as const,
        [path, "amount", "-1"] as const,
        [path, "amount", 10.5] as const,
        [path, "metadata", { a: { canary } }] as const,
        [path, "metadata", { "sandbox.scenario": canary }] as const
      ]),
      ["/payments/apm", "accountId", canary],
      ["/payouts/apm", "accountId", canary],
      ["/refunds/card", "transactionId", canary],
      ["/refunds/card", "transactionId", "7"],
      ["/payments/intent", "type", canary],
      ["/payments/intent", "lang", canary],
      ["/payments/intent", "kycVerified", canary],
      ["/payments/intent", "previousPaymentCount", 0.5],
      ["/payments/card/recurring", "skipFirstCharge", canary],
      ["/payments/card/recurring", "cardToken", canary],
      ["/payments/card/charge", "cardToken", canary]
    ]
    for (const [path, field, value] of wrong) {
      const body = yield* bodyFor(path, { [field]: value }, resources)
      const { body: text, json, status } = yield* send("POST", path, { token, body })
      assert.strictEqual(status, 400, `${path} ${field}: ${text}`)
      const named = new Set(fields(json).map((name) => name.split(".")[0]))
      assert.deepStrictEqual([...named], [field], path)
      assert.notInclude(text, canary)
    }
  }),
  it("D02, D03 a callback or redirect URL that is not an absolute http or https URL is 400 with the field name", function* () {
    const resources = yield* prepare
    const names = ["callbackUrl", "successRedirectUrl", "failureRedirectUrl"]
    for (const path of [
      "/payments/apm",
      "/payments/card",
      "/payments/intent",
      "/payments/card/recurring"
    ]) {
      for (const url of elsewhere) {
        for (const name of names) {
          const body = yield* bodyFor(path, { [name]: url }, resources)
          assert.deepStrictEqual(yield* refused("POST", path, body), [name], `${path} ${url}`)
        }
      }
    }
  }),
  it("the checksum of an APM payment and an APM payout is over the fields as sent, and is checked last", function* () {
    const signed = { accountId: "77", requestId: "r-1", amount: "10.505", currency: "EUR" }
    for (const path of ["/payments/apm", "/payouts/apm"]) {
      const rounded = payment({ ...signed, checksum: checksum({ ...signed, amount: "10.51" }) })
      assert.deepStrictEqual(yield* refused("POST", path, rounded), ["checksum"])
      const both = payment({ ...signed, accountId: "acc-7", checksum: "" })
      assert.deepStrictEqual(yield* refused("POST", path, both), ["accountId"])
      yield* create(path, { ...signed, checksum: checksum(signed) })
    }
    // Vector: HMAC-SHA256("sandbox-secret", "77|r-2|10.50|EUR"), computed with another program.
    const vector = "bb86c5965af88c1bf3038a974dc44d261ec11e87059d0c2953561cb35c98f4e0"
    yield* create("/payments/apm", { requestId: "r-2", checksum: vector })
  }),
  it("a body that is not JSON, or not declared as JSON, is 400", function* () {
    const token = yield* authenticate
    const good = JSON.stringify(yield* bodyFor("/payments/apm"))
    assert.deepStrictEqual(yield* refused("POST", "/payments/apm", "{"), ["body"])
    for (const contentType of ["text/plain", "application/jsonx", ""]) {
      const answer = yield* send("POST", "/payments/apm", { token, body: good, contentType })
      assert.deepStrictEqual(fields(answer.json), ["Content-Type"])
    }
    const contentType = "Application/JSON; charset=utf-8"
    const answer = yield* send("POST", "/payments/apm", { token, body: good, contentType })
    assert.strictEqual(answer.status, 200)
  })
]
