/**
 * Shows tests with `@effect/vitest`: `it.layer` builds one merchant for a group of tests, in
 * virtual time.
 *
 * The tests of a group share the merchant, its transactions and its clock, so each has its own
 * order.
 */
import { expect, it } from "@effect/vitest"
import type { Transition } from "@pawl/core/Handler"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Merchant from "@pawl/testkit/Merchant"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

const told: Array<Transition> = []
const merchant = Merchant.layer({
  handle: (transition) => Effect.sync(() => told.push(transition))
})

const statusesOf = (orderId: string) =>
  told.filter(({ requestId }) => requestId === orderId).map(({ to }) => to)

const pay = Effect.fn("pay")(function* (orderId: string, scenario: string) {
  const { send } = yield* Requests
  return yield* send("apm-payment", {
    requestId: orderId,
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    apmPayload: { paymentMethod: "WALLET" },
    metadata: { "sandbox.scenario": scenario }
  })
})

it.layer(merchant)("an order", (it) => {
  it.effect("is paid once, however often it is sent and its callbacks are repeated", () =>
    Effect.gen(function* () {
      const first = yield* pay("order-1", "succeed+duplicate")
      expect(yield* pay("order-1", "succeed+duplicate")).toEqual(first)
      yield* TestClock.adjust("1 minute")
      expect(statusesOf("order-1").filter((to) => to === "SUCCEED")).toHaveLength(1)
      expect(yield* Gateway.use(({ transactions }) => transactions)).toHaveLength(1)
    })
  )

  it.effect("is refunded although its callbacks arrive out of order", () =>
    Effect.gen(function* () {
      yield* pay("order-2", "refund+shuffle")
      yield* TestClock.adjust("2 hours")
      expect(statusesOf("order-2").at(-1)).toBe("REFUNDED")
    })
  )

  it.effect("fails with a typed error when it is declined", () =>
    Effect.gen(function* () {
      const declined = yield* Effect.flip(pay("order-3", "decline:51"))
      expect(declined).toMatchObject({ _tag: "Declined", declineCode: 51 })
    })
  )
})
