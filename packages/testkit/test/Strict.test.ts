/** The client refuses a format before it sends a request. */
import * as ApmPayments from "@pawl/http/ApmPayments"
import * as ApmPayouts from "@pawl/http/ApmPayouts"
import * as PaymentIntents from "@pawl/http/PaymentIntents"
import * as Subscriptions from "@pawl/http/Subscriptions"
import * as Effect from "effect/Effect"
import { assert, it } from "vitest"
import * as Fake from "../src/Fake.ts"

const apm = { accountId: "77", amount: "10.50", currency: "EUR", apmPayload: {} }
const urls = {
  callbackUrl: "https://shop.example/callback",
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry"
}
const plan = {
  amount: "10.50",
  currency: "EUR",
  frequency: "MONTHLY",
  interval: 1,
  startDate: "2026-11-20"
}

const wrong = {
  billingDetails: { email: "ada@shop.example", country: "Latvia", dateOfBirth: "1985-02-30" },
  order: { date: "20.11.2026" }
}

it("a country, a date of birth and the date of an order are refused by the client, naming the fields", () =>
  Effect.gen(function* () {
    const payments = yield* ApmPayments.ApmPayments
    const payouts = yield* ApmPayouts.ApmPayouts
    const intents = yield* PaymentIntents.PaymentIntents
    const subscriptions = yield* Subscriptions.Subscriptions
    const intent = { ...urls, type: "PAYMENT", lang: "en", mid: "m-1", device: {} } as const
    const subscription = { ...urls, mid: "m-1", cardToken: "card-token-1", plan }
    for (const error of [
      yield* Effect.flip(payments.create({ ...apm, ...wrong })),
      yield* Effect.flip(payouts.create({ ...apm, ...wrong })),
      yield* Effect.flip(intents.create({ ...intent, ...wrong })),
      yield* Effect.flip(subscriptions.create({ ...subscription, ...wrong }))
    ]) {
      if (error._tag !== "ValidationFailed") return assert.fail(error._tag)
      assert.isFalse(error.sent)
      assert.sameMembers(
        error.fields.map(({ path }) => path),
        ["billingDetails.country", "billingDetails.dateOfBirth", "order.date"]
      )
      assert.notInclude(JSON.stringify(error), "Latvia")
    }
  }).pipe(Effect.provide(Fake.layer()), Effect.runPromise))
