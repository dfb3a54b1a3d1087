/** The contract of every service is in `packages/sandbox/test/support/contract.ts`. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { test } from "@pawl/test-support/GatewayTests"
import { authenticate, send } from "@pawl/test-support/TestGateway"

test("a token is valid until the second in which it expires", function* () {
  const token = yield* authenticate
  const status = Effect.map(
    send("GET", "/payments/apm/status/1", { token }),
    ({ status }) => status
  )
  yield* TestClock.adjust("2591999 seconds")
  assert.strictEqual(yield* status, 404)
  yield* TestClock.adjust("1 second")
  assert.strictEqual(yield* status, 401)
})
