import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Fake from "@pawl/testkit/Fake"
import { Gateway } from "@pawl/testkit/Gateway"
import type { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"
import { checkout } from "../src/checkout.ts"
import * as TestRequests from "./requests.ts"

const layer = TestRequests.layer.pipe(
  Layer.provideMerge(Fake.layer()),
  Layer.provideMerge(TestClock.layer())
)

/** Replaces one layer: the real client runs over the in-memory service, in virtual time. */
const test = <A, E>(effect: Effect.Effect<A, E, ApmPayments | Gateway | Requests>) =>
  Effect.runPromise(Effect.provide(effect, layer))

it("returns the next page for the customer", async () => {
  expect(await test(checkout("order-1", "10.00"))).toEqual({
    goTo: "https://pay.invalid/apm/100001"
  })
})

it("returns an apology when the payment is declined", async () => {
  expect(await test(checkout("order-1", "10.00", { "sandbox.scenario": "decline:51" }))).toEqual({
    sorry: "Declined with code 51"
  })
})

it("pays once when the customer presses the button ten times", async () => {
  const pay = Effect.gen(function* () {
    const presses = yield* Effect.forkChild(
      Effect.replicateEffect(checkout("order-1", "10.00"), 10, { concurrency: "unbounded" }),
      { startImmediately: true }
    )
    yield* TestClock.adjust("1 second")
    const gateway = yield* Gateway
    return [yield* Fiber.join(presses), yield* gateway.transactions]
  })
  const [pages, transactions] = await test(pay)
  expect(new Set(pages?.map((page) => JSON.stringify(page))).size).toBe(1)
  expect(transactions).toHaveLength(1)
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
