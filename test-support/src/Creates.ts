import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { authenticateBy, payment, send, type sender } from "./TestGateway.ts"

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

const own = { requestId: "r-1", mid: "m-1" }
const amount = "10.50"
const euros = { amount, currency: "EUR" }

type Body = Readonly<Record<string, unknown>>

export interface Resources {
  readonly cardToken: string
  readonly paymentId: number
}

export const creates: Readonly<Record<string, (resources: Resources) => Body>> = {
  "/payments/apm": () => payment(),
  "/payouts/apm": () => payment(),
  "/payments/card": () => ({ ...own, ...euros, card, callbackUrl }),
  "/payments/card/tokenize": () => ({ ...own, card }),
  "/payments/card/charge": ({ cardToken }) => ({ ...own, ...euros, cardToken, callbackUrl }),
  "/payouts/card": () => ({ ...own, amount, card, callbackUrl }),
  "/refunds/card": ({ paymentId }) => ({
    ...own,
    transactionId: paymentId,
    amount,
    reason: "customer_request",
    callbackUrl
  }),
  "/payments/intent": () => ({
    ...own,
    ...euros,
    ...urls,
    type: "PAYMENT",
    lang: "en",
    billingDetails: { email: "ada@shop.example" },
    order: { title: "Tea" },
    device: {}
  }),
  "/payments/card/recurring": ({ cardToken }) => ({
    ...own,
    ...urls,
    cardToken,
    plan: { ...euros, frequency: "MONTHLY", interval: 1, startDate: "1970-01-31" }
  })
}

export const opening = [
  "/payments/apm",
  "/payouts/apm",
  "/payments/card",
  "/payments/card/charge",
  "/payouts/card",
  "/refunds/card"
] as const

/** Makes a function that sends requests with a token, each of which must succeed. */
export const askBy = <R>(by: ReturnType<typeof sender<R>>) =>
  Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
    const token = yield* authenticateBy(by)
    const { body: text, json, status } = yield* by(method, path, { token, body })
    if (status >= 300) return yield* Effect.die(`${method} ${path} answered ${status} ${text}`)
    return json as Body
  })

export const ask = askBy(send)

/** Creates a card token and a payment of the account `m-1`, which has succeeded after `pass`. */
export const prepareBy = <R, S>(
  asking: ReturnType<typeof askBy<R>>,
  pass: Effect.Effect<void, never, S>
) =>
  Effect.gen(function* () {
    const prepared = { ...own, requestId: "prepared", card }
    const { cardToken } = yield* asking("POST", "/payments/card/tokenize", prepared)
    const payment = { ...prepared, amount: "1000", currency: "EUR" }
    const { transactionId } = yield* asking("POST", "/payments/card", payment)
    yield* pass
    return { cardToken: String(cardToken), paymentId: Number(transactionId) } satisfies Resources
  })

export const prepare = prepareBy(ask, TestClock.adjust("1 minute"))

export const body = (path: string, resources: Resources, over: Body = {}): Body => {
  // The checksum covers the replaced fields.
  if (path.endsWith("/apm")) return payment(over)
  const create = creates[path]
  if (create === undefined) throw new Error(`${path} is no create`)
  return { ...create(resources), ...over }
}

export const scenario = (text: string) => ({ metadata: { "sandbox.scenario": text } })
