import { Subscriptions } from "@pawl/http/Subscriptions"
import { live } from "@pawl/test-support/Tests"
import * as Fake from "@pawl/testkit/Fake"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import { subscribe } from "../src/subscribe.ts"

const test = live.with(() => Layer.provideMerge(Fake.layer(), TestClock.layer()))

const charges = Effect.flatMap(Gateway, ({ transactions }) =>
  Effect.map(transactions, (all) => all.map(({ amount }) => amount))
)

test("charges at once and each month at the current price, but not while paused or after the cancel", function* () {
  const { cancel, get, pause, resume, update } = yield* Subscriptions
  const { goTo, subscriptionId } = yield* subscribe("member-1-2030", "4242424242424242")
  expect(goTo).toBe("https://shop.example/welcome")
  expect(yield* charges).toEqual(["10.00"])
  yield* TestClock.adjust("93 days")
  expect(yield* charges).toEqual(["10.00", "10.00", "10.00", "10.00"])

  yield* pause(subscriptionId)
  yield* TestClock.adjust("93 days")
  expect(yield* charges).toHaveLength(4)

  yield* update(subscriptionId, { plan: { amount: "12.00" } })
  yield* resume(subscriptionId)
  yield* TestClock.adjust("31 days")
  expect(yield* charges).toEqual(["10.00", "10.00", "10.00", "10.00", "12.00"])

  yield* cancel(subscriptionId)
  yield* TestClock.adjust("180 days")
  expect(yield* charges).toHaveLength(5)
  expect((yield* get(subscriptionId)).status).toBe("CANCELED")
})

test("sends a member to the challenge of the bank, and becomes ACTIVE after it", function* () {
  const { get } = yield* Subscriptions
  const { checkout, transactions } = yield* Gateway
  const { goTo, subscriptionId } = yield* subscribe("member-1-2030", "4000000000003220")
  const [charge] = yield* transactions
  expect(goTo).toMatch(new RegExp(`/challenge/${charge?.transactionId}$`))
  expect((yield* get(subscriptionId)).status).toBe("PENDING")
  yield* checkout.decide(charge?.transactionId ?? "", true)
  expect((yield* get(subscriptionId)).status).toBe("ACTIVE")
})
