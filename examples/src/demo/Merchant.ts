/**
 * The merchant's operations. `Requests` makes the callback URL of each, and registers its transaction with the receiver,
 * declined or not. `scenario` sets its outcome in the sandbox.
 */
import { CardPayments } from "@pawl/http/CardPayments"
import { Requests } from "@pawl/webhook/Requests"
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

export const pay = (requestId: string, scenario: string) =>
  Requests.use(({ send }) =>
    send("apm-payment", {
      requestId,
      accountId,
      amount,
      currency,
      apmPayload: { paymentMethod: "WALLET" },
      metadata: scenarioMetadata(scenario)
    })
  ).pipe(Effect.catchTag("Declined", () => Effect.void))

export const payByCard = (requestId: string, scenario: string, number = "4242424242424242") =>
  Requests.use(({ send }) =>
    send("card-payment", {
      requestId,
      mid,
      amount,
      currency,
      card: { number },
      metadata: scenarioMetadata(scenario)
    })
  ).pipe(Effect.catchTag("Declined", ({ response }) => Effect.succeed(response)))

export const refund = (
  requestId: string,
  scenario: string,
  part: { readonly transactionId: string; readonly amount: string }
) =>
  Requests.use(({ send }) =>
    send("refund", {
      ...part,
      requestId,
      mid,
      reason: "customer_request",
      metadata: scenarioMetadata(scenario)
    })
  ).pipe(Effect.catchTag("Declined", () => Effect.void))

export const payOut = (requestId: string, scenario: string) =>
  Requests.use(({ send }) =>
    send("apm-payout", {
      requestId,
      accountId,
      amount,
      currency,
      apmPayload: { paymentMethod: "BANK_TRANSFER" },
      metadata: scenarioMetadata(scenario)
    })
  ).pipe(Effect.catchTag("Declined", () => Effect.void))

export const payOutToCard = (requestId: string, scenario: string) =>
  Requests.use(({ send }) =>
    send("card-payout", {
      requestId,
      mid,
      amount,
      card: { number: "5555555555554444", expMonth: "04", expYear: "2030" },
      metadata: scenarioMetadata(scenario)
    })
  ).pipe(Effect.catchTag("Declined", () => Effect.void))

/** Creates a monthly subscription. Only callbacks report the charges after the first. */
export const subscribe = Effect.fnUntraced(function* (requestId: string, scenario: string) {
  const { send } = yield* Requests
  const { cardToken } = yield* CardPayments.use(({ tokenize }) =>
    tokenize({ mid, card: { number: "4242424242424242" } })
  )
  const startDate = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
  return yield* send("subscription", {
    ...shop,
    requestId,
    mid,
    cardToken: Redacted.value(cardToken),
    plan: { amount, currency, frequency: "MONTHLY", interval: 1, startDate },
    callbackUrl: (yield* ReceiverServer).url,
    metadata: scenarioMetadata(scenario)
  })
})

/** Creates a hosted page and returns its address. Only callbacks report what the customer does there. */
export const sell = Effect.fnUntraced(function* (
  requestId: string,
  scenario: string,
  type: "PAYMENT" | "PAYOUT" = "PAYMENT"
) {
  const { send } = yield* Requests
  const { redirectUrl } = yield* send("payment-intent", {
    ...shop,
    requestId,
    mid,
    amount,
    currency,
    type,
    lang: "en",
    billingDetails: { email: "ada@shop.example" },
    order: { orderId: requestId },
    device: {},
    callbackUrl: (yield* ReceiverServer).url,
    metadata: scenarioMetadata(scenario)
  })
  return redirectUrl
})
