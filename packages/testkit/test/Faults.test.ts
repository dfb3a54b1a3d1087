import * as ApmPayments from "@pawl/http/ApmPayments"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "vitest"
import * as Fake from "../src/Fake.ts"
import * as Faults from "../src/Faults.ts"
import * as Gateway from "../src/Gateway.ts"
import { test as virtual } from "@pawl/test-support/Tests"

const endpoint = "POST /v1/payments/apm"

const unsigned = {
  accountId: "77",
  amount: "10.50",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" }
}

const transactions = Effect.flatMap(Gateway.Gateway, (gateway) => gateway.transactions)

describe("a fault in memory", () => {
  const test = virtual.with(() => Fake.layer({ seed: 1 }))

  const create = ApmPayments.ApmPayments.use(({ create }) => create(unsigned)).pipe(
    Effect.andThen(Clock.currentTimeMillis),
    Effect.forkChild({ startImmediately: true }),
    Effect.flatMap((fiber) => Effect.andThen(TestClock.adjust("1 minute"), Fiber.join(fiber)))
  )

  test("a delay is 5 seconds of virtual time, and the client recovers from any other fault by a retry", function* () {
    const faults = yield* Faults.Faults
    for (const [at, fault] of Faults.kinds.entries()) {
      const before = yield* Clock.currentTimeMillis
      yield* faults.add({ endpoint, fault, times: 1 })
      const answered = yield* create
      if (fault === "delay") assert.strictEqual(answered - before, 5000)
      assert.deepStrictEqual(yield* faults.list, [])
      assert.lengthOf(yield* transactions, at + 1)
    }
  })

  virtual("a fault strikes at its rate, and a seed repeats the strikes", function* () {
    const strikes = (seed: number) =>
      Effect.gen(function* () {
        const faults = yield* Faults.Faults
        yield* faults.add({ endpoint, fault: "500", rate: 0.3 })
        return yield* Effect.forEach(Array.from({ length: 2000 }), () =>
          faults.strike("POST", "/api/v1/payments/apm")
        )
      }).pipe(Effect.provide(Fake.layer({ seed }), { local: true }))
    const [one, again, other] = [yield* strikes(1), yield* strikes(1), yield* strikes(2)]
    assert.deepStrictEqual(one, again)
    assert.notDeepEqual(one, other)
    assert.closeTo(one.filter((fault) => fault === "500").length / one.length, 0.3, 0.05)
  })
})
