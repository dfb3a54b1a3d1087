import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { authenticate, payment, send } from "./TestGateway.ts"

export const callbackUrl = "http://127.0.0.1:4020/callback"
export const card = {
  number: "4242424242424242",
  expMonth: "04",
  expYear: "2030",
  cvv: "737",
  cardHolderName: "Ada Lovelace"
}
const urls = {
  callbackUrl,
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry"
}

type Body = Readonly<Record<string, unknown>>

export interface Resources {
  readonly cardToken: string
  readonly paymentId: number
}

const order = { requestId: "r-1", mid: "m-1", amount: "10.50" }
const paid = { ...order, currency: "EUR" }

export const creates: Readonly<Record<string, (resources: Resources) => Body>> = {
  "/payments/apm": () => payment(),
  "/payouts/apm": () => payment(),
  "/payments/card": () => ({ ...paid, card, callbackUrl }),
  "/payments/card/tokenize": () => ({ requestId: "r-1", mid: "m-1", card }),
  "/payments/card/charge": ({ cardToken }) => ({ ...paid, cardToken, callbackUrl }),
  "/payouts/card": () => ({ ...order, card, callbackUrl }),
  "/refunds/card": ({ paymentId }) => ({
    ...order,
    transactionId: paymentId,
    reason: "customer_request",
    callbackUrl
  }),
  "/payments/intent": () => ({
    ...paid,
    type: "PAYMENT",
    lang: "en",
    billingDetails: { email: "ada@shop.example" },
    order: { title: "Tea" },
    device: {},
    ...urls
  }),
  "/payments/card/recurring": ({ cardToken }) => ({
    requestId: "r-1",
    mid: "m-1",
    cardToken,
    plan: {
      amount: "10.50",
      currency: "EUR",
      frequency: "MONTHLY",
      interval: 1,
      startDate: "1970-01-31"
    },
    ...urls
  })
}

/** The creates that open a transaction and return its status. */
export const opening = [
  "/payments/apm",
  "/payouts/apm",
  "/payments/card",
  "/payments/card/charge",
  "/payouts/card",
  "/refunds/card"
] as const

/** Returns the response body of a request that must succeed. */
export const ask = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const token = yield* authenticate
  const { body: text, json, status } = yield* send(method, path, { token, body })
  if (status >= 300) return yield* Effect.die(`${method} ${path} answered ${status} ${text}`)
  return json as Readonly<Record<string, unknown>>
})

/** Creates a card token and a successful payment of the account `m-1`. */
export const prepare = Effect.gen(function* () {
  const own = { requestId: "prepared", mid: "m-1", card }
  const { cardToken } = yield* ask("POST", "/payments/card/tokenize", own)
  const payment = { ...own, amount: "1000", currency: "EUR" }
  const { transactionId } = yield* ask("POST", "/payments/card", payment)
  yield* TestClock.adjust("1 minute")
  return { cardToken: String(cardToken), paymentId: Number(transactionId) } satisfies Resources
})

export const body = (path: string, resources: Resources, over: Body = {}): Body => {
  // The checksum covers the replaced fields.
  if (path.endsWith("/apm")) return payment(over)
  const create = creates[path]
  if (create === undefined) throw new Error(`${path} is no create`)
  return { ...create(resources), ...over }
}

export const scenario = (text: string) => ({ metadata: { "sandbox.scenario": text } })
