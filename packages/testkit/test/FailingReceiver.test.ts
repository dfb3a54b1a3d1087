import * as ApmPayments from "@pawl/http/ApmPayments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Fake from "../src/Fake.ts"

describe("a receiver of the fake that fails", () => {
  for (const [failure, receive] of [
    ["throws", () => assert.fail("failed")],
    ["dies", () => Effect.die("failed")],
    ["rejects", () => Effect.promise(() => Promise.reject(new Error("failed")))],
    ["is interrupted", () => Effect.interrupt],
    ["returns no status", () => Effect.succeed(99)]
  ] satisfies ReadonlyArray<readonly [string, Fake.Receive]>) {
    it(`has answered 500, and gets the callback again, when it ${failure}`, () =>
      Effect.gen(function* () {
        yield* (yield* Fake.Fake).deliverTo(receive)
        const metadata = { "sandbox.scenario": "steps:NEW,NEW" }
        const callbackUrl = "https://shop.example/callback"
        yield* ApmPayments.ApmPayments.use(({ create }) =>
          create({
            accountId: "77",
            amount: "10.50",
            currency: "EUR",
            apmPayload: { paymentMethod: "WALLET" },
            callbackUrl,
            metadata
          })
        )
        yield* TestClock.adjust("1 hour")
        const { deliveries } = yield* Courier.Courier
        assert.deepStrictEqual(
          (yield* deliveries).map(({ answer }) => answer),
          [500, 500, 500, 500, 500]
        )
      }).pipe(
        Effect.provide(Layer.provideMerge(Fake.layer(), TestClock.layer())),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.runPromise
      ))
  }
})
