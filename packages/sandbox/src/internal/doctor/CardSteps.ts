/**
 * The steps about card payments, refunds, card payouts and subscriptions.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Probe } from "./Probe.ts"
import { find, isSuccess, json, member, statusIn, text } from "./Recording.ts"
import { read } from "./StatusRead.ts"

const cardOf = ({ settings }: Probe) => ({
  number: Redacted.value(settings.card),
  expMonth: "12",
  expYear: "2035",
  cvv: "123",
  cardHolderName: "Ada Lovelace"
})

/** Makes a payment intent, without metadata if the service refuses those. */
export const hostedPage = Effect.fnUntraced(function* (probe: Probe) {
  const { amount, marks, send, settings } = probe
  const { metadata, ...mark } = marks("page")
  const page = (more: object) => ({
    name: "page",
    path: "/v1/payments/intent",
    body: {
      ...mark,
      ...more,
      callbackUrl: mark.callbackUrl ?? "https://example.com/callback",
      successRedirectUrl: "https://example.com/success",
      failureRedirectUrl: "https://example.com/failure",
      mid: settings.mid,
      type: "PAYMENT",
      lang: "en",
      amount: amount("10"),
      currency: settings.currency,
      order: { orderId: mark.requestId },
      billingDetails: { email: "ada@example.com" },
      device: {}
    }
  })
  if (!isSuccess(yield* send(page({ metadata }))))
    yield* send({ ...page({}), variant: "without metadata" })
})

export const cardPayment = Effect.fnUntraced(function* (probe: Probe) {
  const { amount, marks, recording, send, settings } = probe
  yield* send({
    name: "card-payment",
    path: "/v1/payments/card",
    body: {
      ...marks("card-payment"),
      mid: settings.mid,
      amount: amount("10"),
      currency: settings.currency,
      card: cardOf(probe)
    }
  })
  if (settings.declinedCard !== undefined) {
    yield* send({
      name: "declined",
      path: "/v1/payments/card",
      body: {
        ...marks("declined"),
        mid: settings.mid,
        amount: amount("10"),
        currency: settings.currency,
        card: { ...cardOf(probe), number: Redacted.value(settings.declinedCard) }
      }
    })
  }
  const id = member(recording(), "card-payment", "transactionId")
  if (id === undefined) return
  const path = `/v1/payments/card/status/${id}`
  yield* read(probe, "card-payment.status", path, (exchange) => statusIn(exchange) === "SUCCEED")
})

export const refund = Effect.fnUntraced(function* (probe: Probe) {
  const { amount, marks, recording, send, settings } = probe
  const payment = member(recording(), "card-payment", "transactionId")
  const status = find(recording(), "card-payment.status")
  if (payment === undefined || status === undefined || statusIn(status) !== "SUCCEED") return
  const body = {
    ...marks("refund"),
    mid: settings.mid,
    amount: amount("10"),
    reason: "customer_request"
  }
  const path = "/v1/refunds/card"
  const isInteger = /^[1-9][0-9]{0,14}$/u.test(payment)
  const first = isInteger
    ? yield* send({ name: "refund", path, body: { ...body, transactionId: Number(payment) } })
    : undefined
  if (first === undefined || !isSuccess(first)) {
    yield* send({
      name: "refund",
      variant: "text",
      path,
      body: { ...body, transactionId: payment }
    })
  }
  const refundId = member(recording(), "refund", "refundId")
  if (refundId === undefined) return
  const info = (variant: string, id: string) =>
    send({ name: "refund.info", variant, method: "GET", path: `/v1/refunds/card/info/${id}` })
  if (!isSuccess(yield* info("refundId", refundId))) {
    yield* info("transactionId of the payment", payment)
  }
})

export const cardPayout = Effect.fnUntraced(function* (probe: Probe) {
  const { amount, marks, recording, send, settings } = probe
  const pay = (name: string, fraction: string) =>
    send({
      name,
      path: "/v1/payouts/card",
      body: {
        ...marks(name),
        mid: settings.mid,
        amount: amount(fraction),
        card: cardOf(probe),
        billingDetails: { email: "ada@example.com" }
      }
    })
  // Half to even and cutting off differ from half up at 25, and from each other at 27 thousandths.
  for (const [name, fraction] of [
    ["card-payout", "025"],
    ["card-payout.second", "027"]
  ] as const) {
    // A service that refuses three decimals still has to show the callbacks of a payout.
    if (!isSuccess(yield* pay(name, fraction))) yield* pay("card-payout.plain", "10")
    const id = member(recording(), name, "transactionId")
    if (id === undefined) return
    yield* send({ name: `${name}.info`, method: "GET", path: `/v1/payouts/card/info/${id}` })
    const total = Number(member(recording(), `${name}.info`, "totalAmount"))
    // A service may write minor units.
    const isLess = [1, 100].some(
      (unit) => total === Math.round(Number(amount("02")) * 100 * unit) / 100
    )
    if (!isLess) return
  }
})

export const subscription = Effect.fnUntraced(function* (probe: Probe) {
  const { amount, hide, marks, recording, send, settings } = probe
  const tokenized = yield* send({
    name: "card-token",
    path: "/v1/payments/card/tokenize",
    body: { requestId: marks("card-token").requestId, mid: settings.mid, card: cardOf(probe) }
  })
  const cardToken = isSuccess(tokenized) ? cardTokenOf(tokenized.body) : undefined
  if (cardToken === undefined) return
  hide(cardToken)
  const today = DateTime.formatIsoDateUtc(DateTime.makeUnsafe(yield* settings.now))
  const path = "/v1/payments/card/recurring"
  const create = (name: string, plan: object, more: object) =>
    send({
      name,
      path,
      body: {
        ...marks(name),
        callbackUrl: marks(name).callbackUrl ?? "https://example.com/callback",
        successRedirectUrl: "https://example.com/success",
        failureRedirectUrl: "https://example.com/failure",
        mid: settings.mid,
        cardToken,
        plan: { amount: amount("10"), currency: settings.currency, startDate: today, ...plan },
        ...more
      }
    })
  const use = Effect.fnUntraced(function* (
    name: string,
    calls: ReadonlyArray<readonly [what: string, method: "GET" | "PUT" | "DELETE", body?: object]>
  ) {
    const id = member(recording(), name, "subscriptionId")
    if (id === undefined) return
    for (const [what, method, body] of calls) {
      yield* send({ name: `${name}.${what}`, method, path: `${path}/${id}`, ...(body && { body }) })
    }
  })
  yield* create("subscription", { frequency: "WEEKLY", interval: 3 }, {})
  yield* use("subscription", [
    ["read", "GET"],
    ["pause", "PUT", { status: "PAUSED" }],
    ["pending", "PUT", { status: "PENDING" }],
    ["delete", "DELETE"],
    ["delete-again", "DELETE"],
    ["reactivate", "PUT", { status: "ACTIVE" }],
    ["delete-last", "DELETE"]
  ])
  yield* create("trial", { frequency: "CUSTOM", interval: 10 }, { skipFirstCharge: true })
  if (!isSuccess(find(recording(), "trial") ?? tokenized)) {
    yield* create("trial", { frequency: "DAILY", interval: 1 }, { skipFirstCharge: true })
  }
  yield* use("trial", [
    ["read", "GET"],
    ["delete", "DELETE"]
  ])
})

/** Finds the token in the response of tokenize: under its usual name, or the only other text. */
const cardTokenOf = (body: string): string | undefined => {
  const response = json(body)
  const name = ["cardToken", "token", ...Object.keys(response ?? {})].find(
    (name) => name !== "requestId" && text(response, name) !== undefined
  )
  return name === undefined ? undefined : text(response, name)
}
