import * as Fake from "@pawl/testkit/Fake"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"
import { payOut, type Withdrawal } from "../src/payOut.ts"

const withdrawal: Withdrawal = {
  id: "withdrawal-1",
  amount: "25.00",
  card: { number: "5555555555554444", expMonth: "04", expYear: "2030" }
}

const messages = (...withdrawals: ReadonlyArray<Withdrawal>) =>
  Effect.gen(function* () {
    const { transactions } = yield* Gateway
    const fiber = yield* Effect.forkChild(Effect.forEach(withdrawals, payOut), {
      startImmediately: true
    })
    yield* TestClock.adjust("1 hour")
    return [...(yield* Fiber.join(fiber)), (yield* transactions).length]
  }).pipe(Effect.provide(Layer.provideMerge(Fake.layer(), TestClock.layer())), Effect.runPromise)

it("sends money to the card", async () => {
  expect(await messages(withdrawal)).toEqual(["25.00 sent to 555555******4444", 1])
})

it("sends money once for two calls with the same withdrawal", async () => {
  const message = "25.00 sent to 555555******4444"
  expect(await messages(withdrawal, withdrawal)).toEqual([message, message, 1])
})

it("reports a declined payout", async () => {
  const metadata = { "sandbox.scenario": "decline:14" }
  expect(await messages({ ...withdrawal, metadata })).toEqual([
    "The card takes no payout (code 14)",
    1
  ])
})

it("reports a cancelled payout", async () => {
  const metadata = { "sandbox.scenario": "cancel" }
  expect(await messages({ ...withdrawal, metadata })).toEqual(["It ended CANCELLED", 1])
})
