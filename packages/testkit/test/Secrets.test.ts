/** Secrets are card numbers, security codes and identity numbers. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { inspect } from "node:util"
import { assert, it } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Gateway from "../src/Gateway.ts"
import { authenticate, testGateway, Receiver, send } from "@pawl/test-support/TestGateway"
import { body, creates, prepare } from "@pawl/test-support/Creates"

const ssn = "078-05-1120"
const cvv = "9137"
const numbers = [
  "4242424242424242",
  "5555555555554444",
  "4000000000000002",
  "4000000000003220",
  "4000056655665556",
  "4242424242424243",
  "424242424242424"
]

it("no card number, security code or identity number is in any response, callback, log or stored value", () => {
  const texts: Array<string> = []
  const collect = (thing: unknown) =>
    texts.push(JSON.stringify(thing) ?? "", inspect(thing, { depth: 20 }))
  const logger = Logger.make(({ cause, message }) => collect([message, cause]))
  return Effect.gen(function* () {
    const resources = yield* prepare
    const token = yield* authenticate
    for (const number of numbers) {
      for (const path of Object.keys(creates)) {
        const card = { number, expMonth: "04", expYear: "2030", cvv, cardHolderName: "Ada" }
        const request = body(path, resources, { requestId: `${path} ${number.slice(-4)}` })
        for (const more of [
          { card, billingDetails: { email: "a@b.example", ssn } },
          { card: { ...card, cvv: `${cvv}7` } },
          { card: number },
          { cardNumber: number, mid: "|" }
        ]) {
          collect(yield* send("POST", path, { token, body: { ...request, ...more } }))
          collect(yield* send("POST", path, { body: { ...request, ...more } }))
        }
      }
    }
    yield* TestClock.adjust("1 day")
    const transactions = yield* (yield* Gateway.Gateway).transactions
    assert.isAbove(transactions.length, 20)
    for (const transaction of transactions) {
      collect(transaction)
      for (const path of ["/payouts/card/info", "/refunds/card/info", "/payments/card/recurring"]) {
        collect(yield* send("GET", `${path}/${transaction.transactionId}`, { token }))
      }
    }
    collect(yield* (yield* Courier.Courier).deliveries)
    collect((yield* Receiver).received)
    const all = texts.join("\n")
    assert.include(all, "424242******4242")
    for (const secret of [...numbers, cvv, ssn]) assert.notInclude(all, secret)
  }).pipe(
    Effect.provideService(References.MinimumLogLevel, "All"),
    Effect.provide(Layer.mergeAll(testGateway(), Logger.layer([logger]))),
    Effect.scoped,
    Effect.runPromise
  )
})
