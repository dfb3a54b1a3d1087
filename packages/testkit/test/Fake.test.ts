import type { Transition } from "@pawl/core/Handler"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import { StatusReader } from "@pawl/core/StatusReader"
import { ApmPayments } from "@pawl/http/ApmPayments"
import { ApmPayouts } from "@pawl/http/ApmPayouts"
import { CardPayments } from "@pawl/http/CardPayments"
import { CardPayouts } from "@pawl/http/CardPayouts"
import { PaymentIntents } from "@pawl/http/PaymentIntents"
import { Refunds } from "@pawl/http/Refunds"
import { Subscriptions } from "@pawl/http/Subscriptions"
import { Transport } from "@pawl/http/Transport"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Fake from "../src/Fake.ts"
import { Faults } from "../src/Faults.ts"
import { Gateway } from "../src/Gateway.ts"
import { type Test, toEffect } from "@pawl/test-support/TestGateway"

type Services = Layer.Success<ReturnType<typeof Fake.layer>>

const run = <A>(test: Test<A, Services | Scope.Scope>): Promise<A> =>
  toEffect(test).pipe(
    Effect.provide(Layer.provideMerge(Fake.layer(), TestClock.layer())),
    Effect.scoped,
    Effect.runPromise
  )

const callbackUrl = "https://shop.example/callback"
const apm = {
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" },
  callbackUrl
}
const card = { number: "4242424242424242", expMonth: "04", expYear: "2030" }
const paid = { mid: "m-1", amount: "10.00", currency: "EUR" }
const urls = { callbackUrl, successRedirectUrl: callbackUrl, failureRedirectUrl: callbackUrl }

const minutes = (all: ReadonlyArray<Courier.Delivery>) =>
  all.map(({ at }) => Date.parse(at) / 60_000)

describe("the client over a fake", () => {
  it("pays and pays out, by card and by other methods, refunds and subscribes", () =>
    run(function* () {
      const { status } = yield* ApmPayments
      const payment = yield* ApmPayments.use(({ create }) => create(apm))
      const payout = yield* ApmPayouts.use(({ create }) => create(apm))
      const cards = yield* CardPayments
      const byCard = yield* cards.create({ ...paid, card })
      const { cardToken } = yield* cards.tokenize({ mid: "m-1", card })
      const charge = yield* cards.charge({ ...paid, cardToken: Redacted.value(cardToken) })
      const cardPayout = yield* CardPayouts.use(({ create }) =>
        create({ mid: "m-1", amount: "5", card })
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* status(payment.transactionId), "SUCCEED")
      const { transactionId } = byCard
      const refunds = yield* Refunds
      const refund = yield* refunds.create({
        mid: "m-1",
        amount: "10",
        reason: "x",
        transactionId
      })
      const subscriptions = yield* Subscriptions
      const { subscriptionId } = yield* subscriptions.create({
        mid: "m-1",
        cardToken: Redacted.value(cardToken),
        plan: { ...paid, frequency: "MONTHLY", interval: 1, startDate: "1970-01-31" },
        ...urls
      })
      yield* subscriptions.pause(subscriptionId)
      yield* subscriptions.resume(subscriptionId)
      yield* TestClock.adjust("365 days")
      assert.strictEqual((yield* subscriptions.get(subscriptionId)).lastChargeStatus, "SUCCEED")
      yield* subscriptions.cancel(subscriptionId)
      assert.strictEqual((yield* subscriptions.get(subscriptionId)).status, "CANCELED")

      assert.strictEqual((yield* refunds.info(refund.refundId)).totalAmount, "10")
      const { info } = yield* ApmPayouts
      assert.strictEqual((yield* info(payout.transactionId)).accountId, "4711")
      const { info: cardInfo } = yield* CardPayouts
      assert.strictEqual((yield* cardInfo(cardPayout.transactionId)).cardMask, "424242******4242")
      assert.strictEqual(yield* cards.status(charge.transactionId), "SUCCEED")
      const { read } = yield* StatusReader
      assert.deepStrictEqual(yield* read("card", transactionId), {
        kind: "card-payment",
        status: "REFUNDED"
      })
      const transactions = yield* (yield* Gateway).transactions
      assert.lengthOf(
        transactions.filter((transaction) => transaction.subscriptionId === subscriptionId),
        13
      )
    }))

  it("gets declines, validation errors, and the page address of an intent", () =>
    run(function* () {
      const payments = yield* ApmPayments
      const metadata = { "sandbox.scenario": "decline:51" }
      const declined = yield* Effect.flip(payments.create({ ...apm, metadata }))
      assert.strictEqual(declined._tag, "Declined")
      const wrong = yield* Effect.flip(
        payments.create({ ...apm, metadata: { "sandbox.scenario": "none" } })
      )
      assert.strictEqual(wrong._tag, "ValidationFailed")
      const missing = yield* Effect.flip(payments.status("7"))
      assert.strictEqual(missing._tag, "NotFound")
      const page = yield* PaymentIntents.use(({ create }) =>
        create({
          type: "PAYMENT",
          lang: "en",
          mid: "m-1",
          billingDetails: { email: "ada@shop.example" },
          order: {},
          device: {},
          ...urls
        })
      )
      assert.strictEqual(page.iframeUrl, `${page.redirectUrl}?frame=1`)
    }))

  it("renews its token over 300 days that pass in one adjust", () =>
    run(function* () {
      const payments = yield* ApmPayments
      const { transactionId } = yield* payments.create(apm)
      yield* TestClock.adjust("300 days")
      assert.strictEqual(yield* payments.status(transactionId), "SUCCEED")
    }))
})

describe("the callbacks of a fake", () => {
  it("make all their retries over 62 minutes in one adjust", () =>
    run(function* () {
      const { deliverTo } = yield* Fake.Fake
      const callbacks: Array<Verifier.Incoming> = []
      yield* deliverTo((incoming) =>
        Effect.sync(() => {
          callbacks.push(incoming)
          return 503
        })
      )
      const metadata = { "sandbox.scenario": "decline:51" }
      yield* Effect.flip(ApmPayments.use(({ create }) => create({ ...apm, metadata })))
      yield* TestClock.adjust("62 minutes")
      const deliveries = yield* (yield* Courier.Courier).deliveries
      const failed = deliveries.filter(({ status }) => status === "FAILED")
      assert.deepStrictEqual(minutes(failed), [0, 2, 6, 14, 30, 62])
      assert.lengthOf(callbacks, 12)
      assert.include(callbacks[0], {
        method: "POST",
        search: "?paymentMethod=apm&apmType=WALLET",
        contentType: "application/json"
      })
    }))

  it("reach no receiver before deliverTo, and the last one after it", () =>
    run(function* () {
      const { deliverTo } = yield* Fake.Fake
      yield* ApmPayments.use(({ create }) => create(apm))
      yield* TestClock.adjust("1 minute")
      const { deliveries } = yield* Courier.Courier
      assert.deepStrictEqual(
        (yield* deliveries).map(({ answer }) => answer),
        ["unreachable", "unreachable", "unreachable", "unreachable"]
      )
      yield* deliverTo(() => Effect.die("nobody asks this one any more"))
      yield* deliverTo(() => Effect.succeed(202))
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(
        (yield* deliveries).slice(4).map(({ answer }) => answer),
        [202, 202, 202, 202]
      )
    }))

  it("reach a real receiver, which reads the status from the fake and calls its handler", async () => {
    const transitions: Array<string> = []
    const handler = Handler.layer(({ confirmed, kind, to }: Transition) =>
      Effect.sync(() => {
        transitions.push(`${kind} ${to}${confirmed ? " confirmed" : ""}`)
      })
    )
    const secret = { current: Redacted.make("sandbox-secret") }
    const merchant = Fake.layerReceiver.pipe(
      Layer.provideMerge(Receiver.layer()),
      Layer.provide([Verifier.layer(secret), Ledger.layerMemory, handler]),
      Layer.provide(NodeHmac.layer),
      Layer.provideMerge(Fake.layer()),
      Layer.provideMerge(TestClock.layer())
    )
    await Effect.gen(function* () {
      yield* ApmPayments.use(({ create }) =>
        create({ ...apm, metadata: { "sandbox.scenario": "succeed+forged+shuffle" } })
      )
      yield* CardPayments.use(({ create }) => create({ ...paid, card, callbackUrl }))
      yield* TestClock.adjust("1 hour")
      assert.include(transitions, "apm-payment SUCCEED confirmed")
      assert.include(transitions, "card-payment SUCCEED confirmed")
      assert.isEmpty(transitions.filter((line) => line.includes("FAILED")))
    }).pipe(
      Effect.provide(merchant),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.scoped,
      Effect.runPromise
    )
  })
})

it("a fake follows its profile", async () => {
  const fake = Layer.provide(Fake.layer(), Profile.layer({ refundCallbackId: "payment" }))
  await Effect.gen(function* () {
    const { deliverTo } = yield* Fake.Fake
    const bodies: Array<string> = []
    yield* deliverTo(({ body }) =>
      Effect.sync(() => {
        bodies.push(new TextDecoder().decode(body))
        return 200
      })
    )
    const { transactionId } = yield* CardPayments.use(({ create }) => create({ ...paid, card }))
    yield* TestClock.adjust("1 second")
    const request = { mid: "m-1", amount: "10", reason: "x", transactionId, callbackUrl }
    yield* Refunds.use(({ create }) => create(request))
    yield* TestClock.adjust("1 second")
    assert.lengthOf(bodies, 4)
    for (const body of bodies) assert.include(body, `"transactionId":"${transactionId}"`)
  }).pipe(
    Effect.provide(Layer.provideMerge(fake, TestClock.layer())),
    Effect.scoped,
    Effect.runPromise
  )
})

class Other extends Context.Service<Other, { readonly gateway: Gateway["Service"] }>()(
  "test/Other"
) {}

const other = Layer.effect(
  Other,
  Effect.map(Gateway, (gateway) => ({ gateway }))
)

describe("two fakes", () => {
  it("share nothing, even in one program", () =>
    run(function* () {
      const own = yield* Gateway
      const { gateway } = yield* Effect.provide(
        Other,
        Layer.provide(other, Fake.layer({ merchantKey: "another" }))
      )
      assert.notStrictEqual(gateway, own)
    }))

  it("are the same fake if one layer value is used twice", async () => {
    const fake = Fake.layer()
    const both = Layer.merge(fake, Layer.provide(other, fake))
    await Effect.gen(function* () {
      assert.strictEqual((yield* Other).gateway, yield* Gateway)
    }).pipe(Effect.provide(both), Effect.runPromise)
  })
})

it("a delayed response fails at the time limit of its request", () =>
  run(function* () {
    yield* (yield* Faults).add({ endpoint: "*", fault: "delay" })
    const path = "/api/v1/payments/apm/status/100001"
    const request = { method: "GET", url: `http://localhost${path}`, headers: {} } as const
    const { send } = yield* Transport
    const sent = yield* send({ ...request, body: undefined }, Duration.seconds(2)).pipe(
      Effect.flip,
      Effect.forkChild({ startImmediately: true })
    )
    yield* TestClock.adjust("1999 millis")
    assert.isUndefined(sent.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    const exit = sent.pollUnsafe()
    assert.include(exit && Exit.isSuccess(exit) ? exit.value : undefined, {
      _tag: "Unreachable",
      reason: "no response in time",
      sent: true
    })
  }))
