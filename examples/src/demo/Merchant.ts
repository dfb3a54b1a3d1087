/**
 * The merchant's operations. Each is created with a callback URL that names it, and is then registered with
 * the receiver. `scenario` sets its outcome in the sandbox.
 */
import type { KnownKind } from "@pawl/core/Kind"
import type { CreateError } from "@pawl/core/PaymentsError"
import { ApmPayments } from "@pawl/http/ApmPayments"
import { ApmPayouts } from "@pawl/http/ApmPayouts"
import { CardPayments } from "@pawl/http/CardPayments"
import { CardPayouts } from "@pawl/http/CardPayouts"
import { PaymentIntents } from "@pawl/http/PaymentIntents"
import { Refunds } from "@pawl/http/Refunds"
import { Subscriptions } from "@pawl/http/Subscriptions"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ReceiverServer } from "./ReceiverServer.ts"

const accountId = "4711"
const mid = "4711"
const currency = "EUR"
const amount = "10.50"
const shop = {
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry"
}

const scenarioMetadata = (scenario: string) => ({ "sandbox.scenario": scenario })

const callbackUrl = Effect.fnUntraced(function* (
  kind: CallbackUrl.Operation,
  request: Parameters<CallbackUrl.CallbackUrl["Service"]["make"]>[2]
) {
  const { url } = yield* ReceiverServer
  const { make } = yield* CallbackUrl.CallbackUrl
  return yield* make(url, kind, request)
})

/** Registers a created transaction, declined or not, so that it is polled when no callback comes. */
const register =
  (kind: KnownKind, request: Parameters<typeof Ledger.register>[2]) =>
  <A extends Ledger.CreateResponse>(created: Effect.Effect<A, CreateError<A>>) =>
    created.pipe(
      Effect.catchTag("Declined", ({ response }) => Effect.succeed(response)),
      Effect.tap((response) => Ledger.register(kind, response, request))
    )

export const pay = Effect.fnUntraced(function* (requestId: string, scenario: string) {
  const request = { requestId, accountId, amount, currency }
  return yield* (yield* ApmPayments)
    .create({
      ...request,
      apmPayload: { paymentMethod: "WALLET" },
      callbackUrl: yield* callbackUrl("apm-payment", request),
      metadata: scenarioMetadata(scenario)
    })
    .pipe(register("apm-payment", request))
})

export const payByCard = Effect.fnUntraced(function* (
  requestId: string,
  scenario: string,
  number = "4242424242424242"
) {
  const request = { requestId, mid, amount, currency }
  return yield* (yield* CardPayments)
    .create({
      ...request,
      card: { number },
      callbackUrl: yield* callbackUrl("card-payment", request),
      metadata: scenarioMetadata(scenario)
    })
    .pipe(register("card-payment", request))
})

export const refund = Effect.fnUntraced(function* (
  requestId: string,
  scenario: string,
  part: { readonly transactionId: string; readonly amount: string }
) {
  const request = { requestId, mid, amount: part.amount }
  return yield* (yield* Refunds)
    .create({
      ...request,
      transactionId: part.transactionId,
      reason: "customer_request",
      callbackUrl: yield* callbackUrl("refund", request),
      metadata: scenarioMetadata(scenario)
    })
    .pipe(register("refund", request))
})

export const payOut = Effect.fnUntraced(function* (requestId: string, scenario: string) {
  const request = { requestId, accountId, amount, currency }
  return yield* (yield* ApmPayouts)
    .create({
      ...request,
      apmPayload: { paymentMethod: "BANK_TRANSFER" },
      callbackUrl: yield* callbackUrl("apm-payout", request),
      metadata: scenarioMetadata(scenario)
    })
    .pipe(register("apm-payout", request))
})

export const payOutToCard = Effect.fnUntraced(function* (requestId: string, scenario: string) {
  const request = { requestId, mid, amount }
  return yield* (yield* CardPayouts)
    .create({
      ...request,
      card: { number: "5555555555554444", expMonth: "04", expYear: "2030" },
      callbackUrl: yield* callbackUrl("card-payout", request),
      metadata: scenarioMetadata(scenario)
    })
    .pipe(register("card-payout", request))
})

/** Creates a monthly subscription. Only callbacks report the charges after the first. */
export const subscribe = Effect.fnUntraced(function* (requestId: string, scenario: string) {
  const { cardToken } = yield* CardPayments.use(({ tokenize }) =>
    tokenize({ mid, card: { number: "4242424242424242" } })
  )
  const startDate = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
  return yield* (yield* Subscriptions).create({
    ...shop,
    requestId,
    mid,
    cardToken: Redacted.value(cardToken),
    plan: { amount, currency, frequency: "MONTHLY", interval: 1, startDate },
    callbackUrl: yield* callbackUrl("card-payment", { requestId, mid }),
    metadata: scenarioMetadata(scenario)
  })
})

/** Creates a hosted page and returns its address. Only callbacks report what the customer does there. */
export const sell = Effect.fnUntraced(function* (
  requestId: string,
  scenario: string,
  type: "PAYMENT" | "PAYOUT" = "PAYMENT"
) {
  const request = { requestId, mid, amount, currency }
  const kind = type === "PAYMENT" ? "payment" : "payout"
  const { redirectUrl } = yield* (yield* PaymentIntents).create({
    ...request,
    ...shop,
    type,
    lang: "en",
    billingDetails: { email: "ada@shop.example" },
    order: { orderId: requestId },
    device: {},
    callbackUrl: yield* callbackUrl(kind, request),
    metadata: scenarioMetadata(scenario)
  })
  return redirectUrl
})
