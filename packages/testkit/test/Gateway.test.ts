/** The contract of every service is in `packages/sandbox/test/support/contract.ts`. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import {
  authenticate,
  create,
  type Created,
  fields,
  payment,
  Receiver,
  run,
  send
} from "@pawl/test-support/TestGateway"

it("a token is valid until the second in which it expires", () =>
  run(function* () {
    const token = yield* authenticate
    const status = Effect.map(
      send("GET", "/payments/apm/status/1", { token }),
      ({ status }) => status
    )
    yield* TestClock.adjust("2591999 seconds")
    assert.strictEqual(yield* status, 404)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* status, 401)
  }))

it("an unknown scenario is named, before the checksum is checked", () =>
  run(function* () {
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
  }))

it("a reset removes and stops the transactions, and tokens stay valid", () =>
  run(
    function* () {
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
    },
    { seed: 1 }
  ))
