import { CardPayments } from "@pawl/http/CardPayments"
import * as Fake from "@pawl/testkit/Fake"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"
import { refund, type Return } from "../src/refund.ts"

const messages = (...parts: ReadonlyArray<Omit<Return, "transactionId">>) =>
  Effect.gen(function* () {
    const payments = yield* CardPayments
    const { transactionId } = yield* payments.create({
      mid: "shop-1",
      amount: "10.00",
      currency: "EUR",
      card: { number: "4242424242424242" }
    })
    yield* TestClock.adjust("1 minute")
    const fiber = yield* Effect.forkChild(
      Effect.forEach(parts, (part) => refund({ ...part, transactionId })),
      { startImmediately: true }
    )
    yield* TestClock.adjust("1 hour")
    return [...(yield* Fiber.join(fiber)), yield* payments.status(transactionId)]
  }).pipe(Effect.provide(Layer.provideMerge(Fake.layer(), TestClock.layer())), Effect.runPromise)

it("refunds in parts, each once, and no more than was paid", async () => {
  const [first, again, second, third, status] = await messages(
    { id: "return-1", amount: "4.00" },
    { id: "return-1", amount: "4.00" },
    { id: "return-2", amount: "6.00" },
    { id: "return-3", amount: "0.01" }
  )
  expect([first, again, second]).toEqual(["4.00 refunded", "4.00 refunded", "6.00 refunded"])
  expect(third).toContain("Expected at most the amount left of the payment")
  expect(status).toBe("REFUNDED")
})

it("leaves the payment unchanged when the refund is declined", async () => {
  const metadata = { "sandbox.scenario": "decline:51" }
  expect(await messages({ id: "return-1", amount: "10.00", metadata })).toEqual([
    "The card takes no refund (code 51)",
    "SUCCEED"
  ])
})
