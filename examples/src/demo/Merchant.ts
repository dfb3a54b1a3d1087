/**
 * What the merchant does: each operation is started with a callback URL that names it, and followed from
 * then on. `scenario` tells the sandbox what is to become of it.
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
import { Callbacks } from "./Callbacks.ts"

const accountId = "4711"
const mid = "4711"
const currency = "EUR"
const amount = "10.50"
const shop = {
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry"
}

const lived = (scenario: string) => ({ "sandbox.scenario": scenario })

const callbackUrl = Effect.fnUntraced(function* (
  kind: CallbackUrl.Kind,
  request: Parameters<CallbackUrl.CallbackUrl["Service"]["make"]>[2]
) {
  const { url } = yield* Callbacks
  const { make } = yield* CallbackUrl.CallbackUrl
  return yield* make(url, kind, request)
})

/** Follows what was started, whether a callback ever comes or not; what was declined, too. */
const follow =
  (kind: KnownKind, request: Parameters<typeof Ledger.register>[2]) =>
  <A extends Ledger.CreateResponse>(started: Effect.Effect<A, CreateError<A>>) =>
    started.pipe(
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
      metadata: lived(scenario)
    })
    .pipe(follow("apm-payment", request))
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
      metadata: lived(scenario)
    })
    .pipe(follow("card-payment", request))
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
      metadata: lived(scenario)
    })
    .pipe(follow("refund", request))
})

export const payOut = Effect.fnUntraced(function* (requestId: string, scenario: string) {
  const request = { requestId, accountId, amount, currency }
  return yield* (yield* ApmPayouts)
    .create({
      ...request,
      apmPayload: { paymentMethod: "BANK_TRANSFER" },
      callbackUrl: yield* callbackUrl("apm-payout", request),
      metadata: lived(scenario)
    })
    .pipe(follow("apm-payout", request))
})

export const payOutToCard = Effect.fnUntraced(function* (requestId: string, scenario: string) {
  const request = { requestId, mid, amount }
  return yield* (yield* CardPayouts)
    .create({
      ...request,
      card: { number: "5555555555554444", expMonth: "04", expYear: "2030" },
      callbackUrl: yield* callbackUrl("card-payout", request),
      metadata: lived(scenario)
    })
    .pipe(follow("card-payout", request))
})

/** Charges at once, and each month from then on. Nobody but the callbacks tells of the later charges. */
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
    metadata: lived(scenario)
  })
})

/** Returns the page to send the customer to. Nobody but the callbacks tells what is done there. */
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
    metadata: lived(scenario)
  })
  return redirectUrl
})
