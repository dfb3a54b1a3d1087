/**
 * Drives `openapi-typescript` and `openapi-fetch` through every operation, and reads the callbacks
 * with their types.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import createClient from "openapi-fetch"
import type { components, paths, webhooks } from "./dist/openapiTypescript"
import { card, type IsListed, origin, paymentOf, subscriptionId, token, urls } from "./inputs"

type Schemas = components["schemas"]
type CardCallback = webhooks["cardCallback"]["post"]["requestBody"]["content"]["application/json"]

const isListed: IsListed<CardCallback["transactionStatus"]> = true
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

const driven = new Set<string>()
const api = createClient<paths>({ baseUrl: origin })
api.use({
  onRequest: ({ request, schemaPath }) => {
    driven.add(`${request.method} ${schemaPath}`)
    request.headers.set("authorization", `Bearer ${token}`)
    return request
  }
})

const callbacks: Array<CardCallback> = []
const receiver = createServer(async (request, response) => {
  callbacks.push(JSON.parse(await text(request)) as CardCallback)
  response.end()
})
await once(receiver.listen(0, "127.0.0.1"), "listening")
const callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const taken = async <Answer extends { readonly data?: unknown; readonly response: Response }>(
  answering: Promise<Answer>
): Promise<NonNullable<Answer["data"]>> => {
  const { data, response } = await answering
  assert.equal(response.status, 200, response.url)
  assert(data !== undefined && data !== null, response.url)
  return data
}
const of = (id: string) => ({ params: { path: { id } } })
const pass = async () => {
  const body = JSON.stringify({ advance: "1 day" })
  assert.equal((await fetch(`${origin}/sandbox/clock`, { method: "POST", body })).status, 200)
}

const issued = await taken(
  api.POST("/api/v1/auth", {
    body: { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" }
  })
)
assert(issued.accessToken.length > 0)

const byApm = of(
  (await taken(api.POST("/api/v1/payments/apm", { body: paymentOf("r-1") }))).transactionId
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

assert.equal(await taken(api.GET("/api/v1/payments/apm/status/{id}", byApm)), "SUCCEED")
assert.equal(await taken(api.GET("/api/v1/payouts/apm/status/{id}", payout)), "SUCCEED")
const info = await taken(api.GET("/api/v1/payouts/apm/info/{id}", payout))
assert.equal(info.accountId, 77)
assert.equal(info.apmRequestPayload?.paymentMethod, "WALLET")
const status = await taken(api.GET("/api/v1/payments/card/status/{id}", of(charge.transactionId)))
assert.equal(status, "SUCCEED")
const toCard = of(cardPayout.transactionId)
assert.equal(await taken(api.GET("/api/v1/payouts/card/status/{id}", toCard)), "SUCCEED")
const masked = await taken(api.GET("/api/v1/payouts/card/info/{id}", toCard))
assert.equal(masked.cardMask, "424242******4242")
assert.equal(masked.totalAmount, 5)
const refunded = of(refund.refundId)
assert.equal(await taken(api.GET("/api/v1/refunds/card/status/{id}", refunded)), "SUCCEED")
const { totalAmount, transactionId } = await taken(
  api.GET("/api/v1/refunds/card/info/{id}", refunded)
)
assert.deepEqual([totalAmount, transactionId], [1.5, paid.transactionId])

const page = await taken(api.POST("/api/v1/payments/intent", { body: intent }))
assert.equal(page.errorCode, null)
const subscribed = await taken(
  api.POST("/api/v1/payments/card/recurring", { body: { ...common, ...urls, cardToken, plan } })
)
assert(subscribed.subscriptionId.length > 0)
const subscription = { params: { path: { subscriptionId } } }
const recurring = "/api/v1/payments/card/recurring/{subscriptionId}"
assert.equal((await taken(api.GET(recurring, subscription))).plan?.interval, 1)
const paused = api.PUT(recurring, { ...subscription, body: { status: "PAUSED" } })
assert.equal((await taken(paused)).status, "PAUSED")
assert.equal((await api.DELETE(recurring, subscription)).response.status, 204)

const refused = await api.POST("/api/v1/payouts/apm", { body: { ...apm, accountId: "acc-7" } })
assert.equal(refused.response.status, 400)
assert.match(JSON.stringify(refused.error), /accountId/u)

assert.equal(callbacks.at(-1)?.transactionStatus, "REFUNDED")
for (const { orderAmount } of callbacks) assert.equal(orderAmount, money.amount)
const document = JSON.parse(
  readFileSync(new URL("../../../../packages/sandbox/openapi.json", import.meta.url), "utf8")
) as { readonly paths: Readonly<Record<string, object>> }
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
)
assert.deepEqual([...driven].toSorted(), operations.toSorted())
receiver.close()
console.log(JSON.stringify({ id: charge.transactionId, isListed, status }))
