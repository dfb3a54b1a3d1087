/**
 * A generated client: types by openapi-typescript, HTTP by openapi-fetch. It calls every operation of
 * openapi.json on a sandbox.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import createClient from "openapi-fetch"
import { assert, it } from "vitest"
import * as Sandbox from "../src/Sandbox.ts"
import { checksum, credentials } from "@pawl/test-support/TestGateway"
import { card } from "@pawl/test-support/Creates"
import type { components, paths, webhooks } from "./support/openapi.d.ts"
import { control, run } from "./support/sandbox.ts"
import { receiver } from "./support/wire.ts"

type Schemas = components["schemas"]
type CardCallback = webhooks["cardCallback"]["post"]["requestBody"]["content"]["application/json"]

const at = (path: string): string => new URL(path, import.meta.url).pathname
const text = readFileSync(at("../openapi.json"), "utf8")
const document = JSON.parse(text) as { readonly paths: Readonly<Record<string, object>> }

const urls = {
  callbackUrl: "http://127.0.0.1:9/callback",
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry"
}
const money = { amount: "10.50", currency: "EUR" }
const common = { requestId: "r-1", mid: "m-1" }
const apm = {
  requestId: "r-1",
  accountId: "77",
  ...money,
  apmPayload: { paymentMethod: "WALLET" },
  ...urls
} satisfies Schemas["ApmPayoutRequest"]
const intent = {
  ...common,
  ...money,
  ...urls,
  type: "PAYMENT",
  lang: "en",
  billingDetails: { email: "ada@shop.example" },
  order: { title: "Tea" },
  device: {}
} satisfies Schemas["PaymentIntentRequest"]
const plan = {
  ...money,
  frequency: "MONTHLY",
  interval: 1,
  startDate: "2100-01-31"
} satisfies Schemas["SubscriptionPlan"]

/** Returns the data of a successful response. */
const taken = async <Answer extends { readonly data?: unknown; readonly response: Response }>(
  answering: Promise<Answer>
): Promise<NonNullable<Answer["data"]>> => {
  const { data, response } = await answering
  assert.strictEqual(response.status, 200, response.url)
  if (data === undefined || data === null) throw new Error(`${response.url} answered nothing`)
  return data
}

/** Calls every operation, and returns the names of the called operations in the document. */
const drive = async (origin: string, callbackUrl: string, pass: () => Promise<unknown>) => {
  const driven = new Set<string>()
  let token = ""
  const api = createClient<paths>({ baseUrl: origin })
  api.use({
    onRequest: ({ request, schemaPath }) => {
      driven.add(`${request.method} ${schemaPath}`)
      if (token !== "") request.headers.set("authorization", `Bearer ${token}`)
      return request
    }
  })
  const of = (id: string | undefined) => {
    assert.match(id ?? "", /^[0-9]+$/u)
    return { params: { path: { id: id ?? "" } } }
  }

  const issued = await taken(api.POST("/api/v1/auth", { body: credentials }))
  token = issued.accessToken

  const signed = { ...apm, checksum: checksum(apm) }
  const payment = of(
    (await taken(api.POST("/api/v1/payments/apm", { body: signed }))).transactionId
  )
  const payout = of((await taken(api.POST("/api/v1/payouts/apm", { body: apm }))).transactionId)
  const paid = await taken(
    api.POST("/api/v1/payments/card", { body: { ...common, ...money, card, callbackUrl } })
  )
  const { cardToken } = await taken(
    api.POST("/api/v1/payments/card/tokenize", { body: { ...common, card } })
  )
  const charge = await taken(
    api.POST("/api/v1/payments/card/charge", { body: { ...common, ...money, cardToken } })
  )
  const cardPayout = await taken(
    api.POST("/api/v1/payouts/card", { body: { ...common, amount: "5", card } })
  )
  await pass()
  const refund = await taken(
    api.POST("/api/v1/refunds/card", {
      body: {
        ...common,
        transactionId: Number(paid.transactionId),
        amount: "1.50",
        reason: "customer_request"
      }
    })
  )
  await pass()

  assert.strictEqual(await taken(api.GET("/api/v1/payments/apm/status/{id}", payment)), "SUCCEED")
  assert.strictEqual(await taken(api.GET("/api/v1/payouts/apm/status/{id}", payout)), "SUCCEED")
  const info = await taken(api.GET("/api/v1/payouts/apm/info/{id}", payout))
  assert.strictEqual(info.accountId, 77)
  assert.strictEqual(info.apmRequestPayload?.paymentMethod, "WALLET")
  const byCard = of(charge.transactionId)
  assert.strictEqual(await taken(api.GET("/api/v1/payments/card/status/{id}", byCard)), "SUCCEED")
  const toCard = of(cardPayout.transactionId)
  assert.strictEqual(await taken(api.GET("/api/v1/payouts/card/status/{id}", toCard)), "SUCCEED")
  const masked = await taken(api.GET("/api/v1/payouts/card/info/{id}", toCard))
  assert.strictEqual(masked.cardMask, "424242******4242")
  assert.strictEqual(masked.totalAmount, 5)
  const refunded = of(refund.refundId)
  assert.strictEqual(await taken(api.GET("/api/v1/refunds/card/status/{id}", refunded)), "SUCCEED")
  const { totalAmount, transactionId } = await taken(
    api.GET("/api/v1/refunds/card/info/{id}", refunded)
  )
  assert.deepStrictEqual([totalAmount, transactionId], [1.5, paid.transactionId])

  const page = await taken(api.POST("/api/v1/payments/intent", { body: intent }))
  assert.isNull(page.errorCode)
  const { subscriptionId } = await taken(
    api.POST("/api/v1/payments/card/recurring", { body: { ...common, ...urls, cardToken, plan } })
  )
  const subscription = { params: { path: { subscriptionId } } }
  const recurring = "/api/v1/payments/card/recurring/{subscriptionId}"
  assert.strictEqual((await taken(api.GET(recurring, subscription))).plan?.interval, 1)
  const paused = api.PUT(recurring, { ...subscription, body: { status: "PAUSED" } })
  assert.strictEqual((await taken(paused)).status, "PAUSED")
  assert.strictEqual((await api.DELETE(recurring, subscription)).response.status, 204)

  const refused = await api.POST("/api/v1/payouts/apm", { body: { ...apm, accountId: "me" } })
  assert.strictEqual(refused.response.status, 400)
  assert.include(JSON.stringify(refused.error), "accountId")
  return driven
}

it("a client generated from openapi.json calls every operation", () =>
  run(
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const { received, url } = yield* receiver(() => [200])
      const runPromise = Effect.runPromiseWith(yield* Effect.context<Sandbox.Sandbox>())
      const driven = yield* Effect.promise(() =>
        drive(new URL(baseUrl).origin, url, () =>
          runPromise(control("POST", "/clock", { advance: "1 day" }))
        )
      )
      const operations = Object.entries(document.paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
      )
      assert.isNotEmpty(operations)
      assert.sameMembers([...driven], operations)
      const callbacks = received.map(({ body }) => body as unknown as CardCallback)
      assert.strictEqual(callbacks.at(-1)?.transactionStatus, "REFUNDED")
      for (const callback of callbacks) assert.strictEqual(callback.orderAmount, money.amount)
    })
  ))

it("the generated client matches openapi.json; else run `node runtimes/openapi.ts`", () => {
  const generated = readFileSync(at("support/openapi.d.ts"), "utf8")
  assert.include(generated, createHash("sha256").update(text).digest("hex"))
})
