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

/** What the customer is told, in the end, and how many payouts there are. */
const told = (...asked: ReadonlyArray<Withdrawal>) =>
  Effect.gen(function* () {
    const { transactions } = yield* Gateway
    const fiber = yield* Effect.forkChild(Effect.forEach(asked, payOut), {
      startImmediately: true
    })
    yield* TestClock.adjust("1 hour")
    return [...(yield* Fiber.join(fiber)), (yield* transactions).length]
  }).pipe(Effect.provide(Layer.provideMerge(Fake.layer(), TestClock.layer())), Effect.runPromise)

it("sends money to the card", async () => {
  expect(await told(withdrawal)).toEqual(["25.00 sent to 555555******4444", 1])
})

it("sends it once, though it is asked for twice", async () => {
  const words = "25.00 sent to 555555******4444"
  expect(await told(withdrawal, withdrawal)).toEqual([words, words, 1])
})

it("says so when the card takes none", async () => {
  const metadata = { "sandbox.scenario": "decline:14" }
  expect(await told({ ...withdrawal, metadata })).toEqual(["The card takes no payout (code 14)", 1])
})

it("says so when it is cancelled", async () => {
  const metadata = { "sandbox.scenario": "cancel" }
  expect(await told({ ...withdrawal, metadata })).toEqual(["It ended CANCELLED", 1])
})
