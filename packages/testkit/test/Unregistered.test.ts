import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { ApmPayments } from "@pawl/http/ApmPayments"
import { ApmPayouts } from "@pawl/http/ApmPayouts"
import { CardPayments } from "@pawl/http/CardPayments"
import { CardPayouts } from "@pawl/http/CardPayouts"
import { Refunds } from "@pawl/http/Refunds"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as Fake from "../src/Fake.ts"

const card = { number: "4242424242424242", expMonth: "04", expYear: "2030" }
const byCard = { mid: "m-1", amount: "10.00", currency: "EUR" }
const byApm = {
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" }
}

const creates = {
  "apm-payment": (callbackUrl: string) =>
    ApmPayments.use(({ create }) => create({ ...byApm, callbackUrl })),
  "apm-payout": (callbackUrl: string) =>
    ApmPayouts.use(({ create }) => create({ ...byApm, callbackUrl })),
  "card-payment": (callbackUrl: string) =>
    CardPayments.use(({ create }) => create({ ...byCard, card, callbackUrl })),
  "card-payout": (callbackUrl: string) =>
    CardPayouts.use(({ create }) => create({ mid: "m-1", amount: "10.00", card, callbackUrl })),
  refund: Effect.fnUntraced(function* (callbackUrl: string) {
    const { transactionId } = yield* CardPayments.use(({ create }) => create({ ...byCard, card }))
    yield* TestClock.adjust("1 minute")
    const request = { mid: "m-1", amount: "10.00", reason: "duplicate", transactionId }
    yield* Refunds.use(({ create }) => create({ ...request, callbackUrl }))
  })
}

type Created = keyof typeof creates

const timeOf = (kind: Created, callbackUrl: string) => {
  let told: number | undefined
  const handler = Handler.layer((transition) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      if (transition.to === "SUCCEED" && transition.kind === kind) told = at
    })
  )
  const merchant = Fake.layerReceiver.pipe(
    Layer.provideMerge(Receiver.layer()),
    Layer.provide([
      Verifier.layer({ current: Redacted.make("sandbox-secret") }),
      Ledger.layerMemory,
      handler
    ]),
    Layer.provide(NodeHmac.layer),
    Layer.provideMerge(Fake.layer()),
    Layer.provideMerge(TestClock.layer())
  )
  return Effect.gen(function* () {
    yield* creates[kind](callbackUrl)
    const createdAt = yield* Clock.currentTimeMillis
    yield* TestClock.adjust("2 minutes")
    return (told ?? Infinity) - createdAt
  }).pipe(
    Effect.provide(merchant),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.scoped,
    Effect.runPromise
  )
}

const url = "https://shop.example/callback"

describe("a receiver that nobody registers with tells of", () => {
  it.each<[Created, string]>([
    ["apm-payout", "/payouts"],
    ["card-payout", "/payouts"],
    ["refund", "/refunds"],
    ["refund", ""]
  ])("a %s as fast as of a payment, with the path %j", async (kind, path) => {
    const payment = kind === "apm-payout" ? "apm-payment" : "card-payment"
    const time = await timeOf(payment, url)
    expect(time).toBeLessThan(1100)
    expect(await timeOf(kind, url + path)).toBe(time)
  })

  it.each<Created>(["apm-payout", "card-payout"])(
    "a %s without a path 60 seconds after its first callback, and the time of a read",
    async (kind) => {
      const time = await timeOf(kind, url)
      expect(time).toBeGreaterThanOrEqual(60_000)
      expect(time).toBeLessThan(60_100)
    }
  )
})
