import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Fake from "@pawl/testkit/Fake"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"
import { checkout } from "../src/checkout.ts"

/** Replaces one layer: the real client runs over the in-memory service, in virtual time. */
const test = <A, E>(effect: Effect.Effect<A, E, ApmPayments | Gateway>) =>
  Effect.runPromise(
    effect.pipe(Effect.provide(Layer.provideMerge(Fake.layer(), TestClock.layer())))
  )

it("returns the next page for the customer", async () => {
  expect(await test(checkout("order-1", "10.00"))).toEqual({
    goTo: "https://shop.example/thanks"
  })
})

it("returns an apology when the payment is declined", async () => {
  expect(await test(checkout("order-1", "10.00", { "sandbox.scenario": "decline:51" }))).toEqual({
    sorry: "Declined with code 51"
  })
})

it("pays once when the customer presses the button ten times", async () => {
  const pay = Effect.gen(function* () {
    yield* Effect.replicateEffect(checkout("order-1", "10.00"), 10, { concurrency: "unbounded" })
    const gateway = yield* Gateway
    return yield* gateway.transactions
  })
  expect(await test(pay)).toHaveLength(1)
})

it("has the final status after a minute of virtual time", async () => {
  const follow = Effect.gen(function* () {
    yield* checkout("order-1", "10.00")
    const payments = yield* ApmPayments
    const before = yield* payments.status("100001")
    yield* TestClock.adjust("1 minute")
    return [before, yield* payments.status("100001")]
  })
  expect(await test(follow)).toEqual(["NEW", "SUCCEED"])
})
