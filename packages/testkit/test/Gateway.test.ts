import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import {
  authenticate,
  create,
  type Created,
  credentials,
  fields,
  payment,
  Receiver,
  run,
  send
} from "@pawl/test-support/TestGateway"

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    readonly iat: number
    readonly exp: number
  }

const statusOf = (token: string) =>
  Effect.map(send("GET", "/payments/apm/status/1", { token }), ({ status }) => status)

describe("tokens", () => {
  it("valid credentials get a JWT that expires in 30 days", () =>
    run(
      Effect.gen(function* () {
        const { exp, iat } = claimsOf(yield* authenticate)
        assert.strictEqual(exp - iat, 30 * 24 * 3600)
      })
    ))

  it("wrong credentials are 401; missing ones are 400 with the field name", () =>
    run(
      Effect.gen(function* () {
        for (const over of [{ merchantKey: "sandbox-kez" }, { merchantSecret: "sandbox-secres" }]) {
          const { body, status } = yield* send("POST", "/auth", {
            body: { ...credentials, ...over }
          })
          assert.strictEqual(status, 401)
          for (const value of Object.values(over)) assert.notInclude(body, value)
          assert.include(body, "the defaults are sandbox-key and sandbox-secret, unless")
        }
        const { json, status } = yield* send("POST", "/auth", { body: { merchantKey: 1 } })
        assert.strictEqual(status, 400)
        assert.sameMembers([...fields(json)], ["merchantKey", "merchantSecret"])
      })
    ))

  it("a token is valid until the second in which it expires", () =>
    run(
      Effect.gen(function* () {
        const token = yield* authenticate
        yield* TestClock.adjust("2591999 seconds")
        assert.strictEqual(yield* statusOf(token), 404)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* statusOf(token), 401)
      })
    ))

  it("a token of another environment or secret, a changed one, and an unsigned one are refused", async () => {
    const strangers = await Promise.all([
      run(authenticate, { environment: "production" }),
      run(
        Effect.map(
          send("POST", "/auth", { body: { ...credentials, merchantSecret: "other" } }),
          ({ json }) => (json as { readonly accessToken: string }).accessToken
        ),
        { merchantSecret: Redacted.make("other") }
      )
    ])
    await run(
      Effect.gen(function* () {
        const own = yield* authenticate
        const [header = "", claims = "", signature = ""] = own.split(".")
        const none = Buffer.from(`{"alg":"none","typ":"JWT"}`).toString("base64url")
        const later = Buffer.from(
          JSON.stringify({ ...claimsOf(own), exp: claimsOf(own).exp + 1 })
        ).toString("base64url")
        const forged = [
          `${none}.${claims}.`,
          `${none}.${claims}.${signature}`,
          `${header}.${later}.${signature}`,
          `${header}.${claims}`,
          `${header}.${claims}.${signature}=`,
          `${own}x`,
          "",
          "."
        ]
        assert.strictEqual(yield* statusOf(own), 404)
        for (const token of [...strangers, ...forged]) {
          assert.strictEqual(yield* statusOf(token), 401, token)
        }
      })
    )
  })
})

describe("creating a payment", () => {
  it("returns the transaction with every field of the specification", () =>
    run(
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 20, 12, 30))
        const created = yield* create({
          metadata: { orderRef: "A-1" },
          successRedirectUrl: "https://shop.example/thanks"
        })
        assert.deepStrictEqual(created, {
          requestId: "r-1",
          transactionId: "100001",
          transactionStatus: "NEW",
          apmResponseData: {
            providerTransactionId: "provider-100001",
            paymentMethod: "WALLET",
            paymentType: "WALLET",
            actionType: "REDIRECTION",
            redirectUrl: "https://pay.invalid/apm/100001",
            iframeUrl: "https://pay.invalid/apm/100001?frame=1"
          },
          createdTime: "2026-11-20T12:30:00.000Z",
          paymentType: "APM",
          metadata: { orderRef: "A-1" }
        })
        assert.strictEqual((yield* create({ requestId: "r-2" })).transactionId, "100002")
      })
    ))

  it("an unknown scenario is named, before the checksum is checked", () =>
    run(
      Effect.gen(function* () {
        const token = yield* authenticate
        for (const [over, named] of [
          [{ scenario: "succeed+twice" }, ["metadata.sandbox.scenario"]],
          [{ scenario: "", checksum: "" }, ["metadata.sandbox.scenario"]]
        ] as const) {
          const { json, status } = yield* send("POST", "/payments/apm", {
            token,
            body: payment(over)
          })
          assert.strictEqual(status, 400)
          assert.deepStrictEqual(fields(json), [...named])
        }
      })
    ))
})

describe("a repeated requestId", () => {
  it("X04: gets the same bytes a hundred times at once, and opens one transaction", () =>
    run(
      Effect.gen(function* () {
        const token = yield* authenticate
        const body = payment({ scenario: "decline:51" })
        const answers = yield* Effect.forEach(
          Array.from({ length: 100 }),
          () => send("POST", "/payments/apm", { token, body }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(answers.map(({ body }) => body)).size, 1)
        assert.strictEqual(answers[0]?.status, 200)
        assert.lengthOf(yield* (yield* Gateway.Gateway).transactions, 1)
        yield* TestClock.adjust("1 second")
        assert.lengthOf((yield* Receiver).received, 2)
      })
    ))
})

describe("the status of a payment", () => {
  it("is a bare JSON string, and 404 for an unknown id", () =>
    run(
      Effect.gen(function* () {
        const { transactionId } = yield* create()
        const token = yield* authenticate
        const found = yield* send("GET", `/payments/apm/status/${transactionId}`, { token })
        assert.strictEqual(found.body, `"NEW"`)
        assert.strictEqual(found.headers["content-type"], "application/json")
        const escaped = yield* send("GET", "/payments/apm/status/%310%30001?x=1", { token })
        assert.strictEqual(escaped.body, found.body)
        for (const id of ["100002", "1", "constructor", "7?x=1"]) {
          const { body, status } = yield* send("GET", `/payments/apm/status/${id}`, { token })
          assert.strictEqual(status, 404)
          assert.strictEqual(body, `{"message":"The requested resource does not exist"}`)
        }
      })
    ))

  it("an invalid id is 400, and a path or method that is not in the contract is 404", () =>
    run(
      Effect.gen(function* () {
        const token = yield* authenticate
        for (const id of ["..", "%2e%2e", "%00", "", "x".repeat(129)]) {
          const { json, status } = yield* send("GET", `/payments/apm/status/${id}`, { token })
          assert.strictEqual(status, 400, id)
          assert.deepStrictEqual(fields(json), ["id"])
        }
        for (const [method, path] of [
          ["GET", "/payments/apm"],
          ["DELETE", "/payments/apm/status/1"],
          ["GET", "/payments/apm/status"],
          ["GET", "/payments/apm/status/1/"],
          ["GET", "/nothing"]
        ] as const) {
          assert.strictEqual((yield* send(method, path, { token })).status, 404, path)
          assert.strictEqual((yield* send(method, path)).status, 401, path)
        }
      })
    ))
})

it("a reset removes and stops the transactions, and tokens stay valid", () =>
  run(
    Effect.gen(function* () {
      const gateway = yield* Gateway.Gateway
      const token = yield* authenticate
      yield* create()
      yield* TestClock.adjust("200 millis")
      yield* gateway.reset
      assert.lengthOf(yield* gateway.transactions, 0)
      const { received } = yield* Receiver
      assert.deepStrictEqual(
        received.map(({ body }) => body["transactionStatus"]),
        ["NEW", "PENDING"]
      )
      yield* TestClock.adjust("100 millis")
      const again = yield* send("POST", "/payments/apm", { token, body: payment({ amount: "7" }) })
      assert.strictEqual((again.json as Created).transactionId, "100001")
      const fresh = yield* gateway.transaction("100001")
      assert.isDefined(fresh)
      assert.strictEqual(fresh.amount, "7")
      assert.deepStrictEqual(
        fresh.history.map(({ status }) => status),
        ["NEW"]
      )
      // The removed transaction does not move the new one with the same id.
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(yield* gateway.transaction("100001"), fresh)
    }),
    { seed: 1 }
  ))
