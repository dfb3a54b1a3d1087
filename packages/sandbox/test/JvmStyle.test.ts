/** Answers with nulls and epoch times. */
import * as ApmPayments from "@pawl/http/ApmPayments"
import * as ApmPayouts from "@pawl/http/ApmPayouts"
import * as CardPayments from "@pawl/http/CardPayments"
import * as Refunds from "@pawl/http/Refunds"
import * as Subscriptions from "@pawl/http/Subscriptions"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { assert, it } from "vitest"
import * as Fake from "@pawl/testkit/Fake"
import * as Readings from "../src/Readings.ts"

const amount = { amount: "10.50", currency: "EUR" }
const apm = { ...amount, accountId: "77", apmPayload: { paymentMethod: "WALLET" } }
const urls = {
  callbackUrl: "https://shop.example/callback",
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry"
}
const card = { number: "4242424242424242", expMonth: "04", expYear: "2030", cvv: "737" }
const epoch = /^[0-9]+$/u

it("the client bears a service in the style of a JVM: every operation succeeds, and times are text", () =>
  Effect.gen(function* () {
    const payments = yield* ApmPayments.ApmPayments
    const payouts = yield* ApmPayouts.ApmPayouts
    const cards = yield* CardPayments.CardPayments
    const refunds = yield* Refunds.Refunds
    const subscriptions = yield* Subscriptions.Subscriptions

    const paid = yield* payments.create(apm)
    assert.match(paid.createdTime ?? "", epoch)
    assert.notExists(paid.declineCode)
    const { transactionId } = yield* payouts.create(apm)
    assert.match((yield* payouts.info(transactionId)).createdAt ?? "", epoch)
    const declined = yield* Effect.flip(
      payments.create({ ...apm, metadata: { "sandbox.scenario": "decline:51" } })
    )
    if (declined._tag !== "Declined") return assert.fail(declined._tag)
    assert.deepInclude(declined.response, { declineCode: 51, declineSubReason: "DECLINED" })

    const bought = yield* cards.create({ ...amount, mid: "m-1", card })
    const cardToken = Redacted.value((yield* cards.tokenize({ mid: "m-1", card })).cardToken)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* cards.status(bought.transactionId), "SUCCEED")
    const { refundId } = yield* refunds.create({
      mid: "m-1",
      transactionId: bought.transactionId,
      amount: "1",
      reason: "duplicate"
    })
    assert.match((yield* refunds.info(refundId)).createdAt ?? "", epoch)

    const plan = { ...amount, frequency: "DAILY", interval: 1, startDate: "1970-01-01" }
    const subscribed = yield* subscriptions.create({ ...urls, mid: "m-1", cardToken, plan })
    const subscription = yield* subscriptions.get(subscribed.subscriptionId)
    assert.strictEqual(subscription.status, "ACTIVE")
    assert.match(subscription.nextChargeDate ?? "", epoch)
    assert.notExists(subscription.billingDetails)
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        Fake.layer({ behaviour: Readings.behaviour({}, "jvm") }),
        TestClock.layer()
      )
    ),
    Effect.runPromise
  ))
