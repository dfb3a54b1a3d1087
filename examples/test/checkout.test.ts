import { ApmPayments } from "@pawl/http/ApmPayments"
import { live } from "@pawl/test-support/Tests"
import * as Fake from "@pawl/testkit/Fake"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import { checkout } from "../src/checkout.ts"
import * as TestRequests from "./requests.ts"

/** Replaces one layer: the real client runs over the in-memory service, in virtual time. */
const test = live.with(() =>
  TestRequests.layer.pipe(Layer.provideMerge(Fake.layer()), Layer.provideMerge(TestClock.layer()))
)

test("returns the next page for the customer", function* () {
  expect(yield* checkout("order-1", "10.00")).toEqual({ goTo: "https://pay.invalid/apm/100001" })
})

test("returns an apology when the payment is declined", function* () {
  expect(yield* checkout("order-1", "10.00", { "sandbox.scenario": "decline:51" })).toEqual({
    sorry: "Declined with code 51"
  })
})

test("pays once when the customer presses the button ten times", function* () {
  const presses = yield* Effect.forkChild(
    Effect.replicateEffect(checkout("order-1", "10.00"), 10, { concurrency: "unbounded" }),
    { startImmediately: true }
  )
  yield* TestClock.adjust("1 second")
  const pages = yield* Fiber.join(presses)
  expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1)
  expect(yield* (yield* Gateway).transactions).toHaveLength(1)
})

test("has the final status after a minute of virtual time", function* () {
  yield* checkout("order-1", "10.00")
  const { status } = yield* ApmPayments
  expect(yield* status("100001")).toBe("NEW")
  yield* TestClock.adjust("1 minute")
  expect(yield* status("100001")).toBe("SUCCEED")
})
