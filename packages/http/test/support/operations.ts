/** All operations of the client. Secret values are canaries that tests search for. */
import { CardToken } from "@pawl/core/Card"
import type { ReadError } from "@pawl/core/PaymentsError"
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ApmPayments } from "../../src/ApmPayments.ts"
import { ApmPayouts } from "../../src/ApmPayouts.ts"
import type { CallOptions, CreateOptions } from "../../src/CallOptions.ts"
import { CardPayments } from "../../src/CardPayments.ts"
import { CardPayouts } from "../../src/CardPayouts.ts"
import type * as Pawl from "../../src/Pawl.ts"
import { PaymentIntents } from "../../src/PaymentIntents.ts"
import { Refunds } from "../../src/Refunds.ts"
import { Subscriptions } from "../../src/Subscriptions.ts"
import type { Request } from "../../src/Transport.ts"

/** Values that only the service may receive. */
export const canaries = {
  number: "4929813274650194",
  cvv: "0917",
  cardToken: "card-token-canary-5e21",
  ssn: "ssn-canary-40c2",
  identityCode: "identity-canary-8d13"
}

export interface Named {
  readonly requestId?: string
}

export interface Operation {
  readonly name: string
  readonly kind: "create" | "read" | "change" | "remove"
  /** Calls the operation; a create uses any given requestId. */
  readonly call: (
    named: Named,
    options?: CreateOptions
  ) => Effect.Effect<unknown, { readonly _tag: string }, Pawl.Services>
  readonly method: Request["method"]
  readonly path: string
  /** The JSON body, without the requestId of a create. */
  readonly body?: object
  readonly answer: string
  /** The result of the call; by default the response. */
  readonly value?: unknown
}

const page = "https://shop.example"
const metadata = { basket: "7" }
const links = {
  callbackUrl: `${page}/callback`,
  successRedirectUrl: `${page}/paid`,
  failureRedirectUrl: `${page}/failed`
}
const order = { orderId: "order-1", title: "Tea" }
const device = { ip: "192.0.2.7", javaEnabled: false }
const plan = {
  amount: "9.99",
  currency: "EUR",
  frequency: "MONTHLY",
  interval: 1,
  startDate: "2030-01-01"
}

const apm = {
  accountId: "1001",
  apmPayload: { paymentMethod: "EWALLET", wallet: { id: 7 } },
  amount: "10.50",
  currency: "EUR",
  ...links,
  metadata,
  order,
  device,
  billingDetails: {
    firstName: "Ada",
    ssn: canaries.ssn,
    identityCode: canaries.identityCode
  }
}
/** HMAC-SHA256 of `1001|request-1|10.50|EUR` under the secret of the client in memory. */
export const checksum = "b1529fabfb3dbbf535bef8df412359b2e244f35dec491c7a7b77a1d9a2db1c51"

const card = {
  number: canaries.number,
  cvv: canaries.cvv,
  expMonth: "04",
  expYear: "2031",
  cardHolderName: "Ada Lovelace"
}
const cardPayment = {
  mid: "mid-1",
  amount: "10.50",
  currency: "EUR",
  metadata,
  card,
  saveCard: true
}
const charge = {
  mid: "mid-1",
  amount: "10.50",
  currency: "EUR",
  cardToken: canaries.cardToken
}
const cardPayout = {
  mid: "mid-1",
  amount: "10.50",
  card,
  billingDetails: { email: "ada@shop.example", countryCode: "GB" },
  callbackUrl: links.callbackUrl,
  metadata
}
const refund = {
  mid: "mid-1",
  amount: "10.50",
  reason: "customer_request",
  callbackUrl: links.callbackUrl,
  metadata
}
const intent = {
  type: "PAYMENT",
  lang: "en",
  mid: "mid-1",
  amount: "10.50",
  currency: "EUR",
  billingDetails: { email: "ada@shop.example" },
  ...links,
  order,
  device,
  kycVerified: true,
  previousPaymentCount: 3
} as const
const subscription = {
  mid: "mid-1",
  cardToken: canaries.cardToken,
  plan,
  billingDetails: { email: "ada@shop.example" },
  order,
  device,
  ...links,
  skipFirstCharge: false,
  metadata
}

const apmAnswer = {
  requestId: "request-1",
  transactionId: "100001",
  transactionStatus: "NEW",
  apmResponseData: { actionType: "REDIRECTION", redirectUrl: `${page}/wallet` },
  createdTime: "2030-01-01T00:00:00Z",
  paymentType: "APM",
  metadata
}
const cardAnswer = { transactionId: "100001", transactionStatus: "PENDING", paymentType: "CARD" }
const subscribed = {
  subscriptionId: "700",
  status: "ACTIVE",
  nextChargeDate: "2030-02-01",
  createdAt: "2030-01-01T00:00:00Z",
  plan,
  metadata,
  failureCount: 0
}

const json = JSON.stringify

/** A read of a status at a path that ends in the id. */
const readStatus = (
  name: string,
  path: string,
  call: (id: string, options?: CallOptions) => Effect.Effect<unknown, ReadError, Pawl.Services>
): Operation => ({
  name,
  kind: "read",
  call: (_, options) => call("100001", options),
  method: "GET",
  path: `${path}/100001`,
  answer: '"PROCESSING"'
})

export const operations: ReadonlyArray<Operation> = [
  {
    name: "ApmPayments.create",
    kind: "create",
    call: (named, options) =>
      ApmPayments.use(({ create }) => create({ ...apm, ...named }, options)),
    method: "POST",
    path: "/api/v1/payments/apm",
    body: { ...apm, checksum },
    answer: json(apmAnswer)
  },
  readStatus("ApmPayments.status", "/api/v1/payments/apm/status", (id, options) =>
    ApmPayments.use(({ status }) => status(id, options))
  ),
  {
    name: "ApmPayouts.create",
    kind: "create",
    call: (named, options) => ApmPayouts.use(({ create }) => create({ ...apm, ...named }, options)),
    method: "POST",
    path: "/api/v1/payouts/apm",
    body: { ...apm, checksum },
    answer: json(apmAnswer)
  },
  {
    name: "ApmPayouts.info",
    kind: "read",
    call: (_, options) => ApmPayouts.use(({ info }) => info("100001", options)),
    method: "GET",
    path: "/api/v1/payouts/apm/info/100001",
    answer: `{"transactionId":100001,"requestId":"request-1","accountId":12345678901234567890,
      "transactionStatus":"PENDING","billingDetails":{"ssn":"${canaries.ssn}"},"declineCode":null}`,
    value: {
      transactionId: "100001",
      requestId: "request-1",
      accountId: "12345678901234567890",
      transactionStatus: "PENDING",
      billingDetails: { ssn: Redacted.make(canaries.ssn, { label: "ssn" }) },
      declineCode: null
    }
  },
  readStatus("ApmPayouts.status", "/api/v1/payouts/apm/status", (id, options) =>
    ApmPayouts.use(({ status }) => status(id, options))
  ),
  {
    name: "CardPayments.create",
    kind: "create",
    call: (named, options) =>
      CardPayments.use(({ create }) => create({ ...cardPayment, ...named }, options)),
    method: "POST",
    path: "/api/v1/payments/card",
    body: cardPayment,
    answer: json({ ...cardAnswer, eci: "05" }),
    value: { ...cardAnswer, unknownFields: { eci: "05" } }
  },
  {
    name: "CardPayments.charge",
    kind: "create",
    call: (named, options) =>
      CardPayments.use((payments) => payments.charge({ ...charge, ...named }, options)),
    method: "POST",
    path: "/api/v1/payments/card/charge",
    body: charge,
    answer: json(cardAnswer)
  },
  {
    name: "CardPayments.tokenize",
    kind: "create",
    call: (named, options) =>
      CardPayments.use(({ tokenize }) => tokenize({ mid: "mid-1", card, ...named }, options)),
    method: "POST",
    path: "/api/v1/payments/card/tokenize",
    body: { mid: "mid-1", card },
    answer: json({ requestId: "request-1", cardToken: canaries.cardToken }),
    value: {
      requestId: "request-1",
      cardToken: Schema.decodeSync(CardToken)(canaries.cardToken)
    }
  },
  readStatus("CardPayments.status", "/api/v1/payments/card/status", (id, options) =>
    CardPayments.use(({ status }) => status(id, options))
  ),
  {
    name: "CardPayouts.create",
    kind: "create",
    call: (named, options) =>
      CardPayouts.use(({ create }) => create({ ...cardPayout, ...named }, options)),
    method: "POST",
    path: "/api/v1/payouts/card",
    body: cardPayout,
    answer: json(cardAnswer)
  },
  {
    name: "CardPayouts.info",
    kind: "read",
    call: (_, options) => CardPayouts.use(({ info }) => info("100001", options)),
    method: "GET",
    path: "/api/v1/payouts/card/info/100001",
    answer: `{"transactionId":"100001","requestId":"request-1","mid":"mid-1",
      "transactionStatus":"SUCCEED","cardMask":"492981******0194","totalAmount":10.10}`,
    value: {
      transactionId: "100001",
      requestId: "request-1",
      mid: "mid-1",
      transactionStatus: "SUCCEED",
      cardMask: "492981******0194",
      totalAmount: "10.10"
    }
  },
  readStatus("CardPayouts.status", "/api/v1/payouts/card/status", (id, options) =>
    CardPayouts.use(({ status }) => status(id, options))
  ),
  {
    name: "Refunds.create",
    kind: "create",
    call: (named, options) =>
      Refunds.use(({ create }) =>
        create({ ...refund, transactionId: "100001", ...named }, options)
      ),
    method: "POST",
    path: "/api/v1/refunds/card",
    body: { ...refund, transactionId: 100001 },
    answer: json({ refundId: "200002", transactionStatus: "PENDING", paymentType: "CARD" })
  },
  {
    name: "Refunds.info",
    kind: "read",
    call: (_, options) => Refunds.use(({ info }) => info("200002", options)),
    method: "GET",
    path: "/api/v1/refunds/card/info/200002",
    answer: `{"transactionId":9007199254740993,"refundId":200002,"requestId":"request-1",
      "mid":"mid-1","transactionStatus":"SUCCEED","totalAmount":0.1}`,
    value: {
      transactionId: "9007199254740993",
      refundId: "200002",
      requestId: "request-1",
      mid: "mid-1",
      transactionStatus: "SUCCEED",
      totalAmount: "0.1"
    }
  },
  readStatus("Refunds.status", "/api/v1/refunds/card/status", (id, options) =>
    Refunds.use(({ status }) => status(id, options))
  ),
  {
    name: "PaymentIntents.create",
    kind: "create",
    call: (named, options) =>
      PaymentIntents.use(({ create }) => create({ ...intent, ...named }, options)),
    method: "POST",
    path: "/api/v1/payments/intent",
    body: intent,
    answer: json({ redirectUrl: `${page}/pay/1`, iframeUrl: `${page}/frame/1`, errorCode: null })
  },
  {
    name: "Subscriptions.create",
    kind: "create",
    call: (named, options) =>
      Subscriptions.use(({ create }) => create({ ...subscription, ...named }, options)),
    method: "POST",
    path: "/api/v1/payments/card/recurring",
    body: subscription,
    answer: json({
      subscriptionId: "700",
      transactionId: "100001",
      transactionStatus: "CUSTOMER_VERIFICATION",
      challengeUrl: `${page}/3ds`,
      challengeUrlIframe: `${page}/3ds/frame`,
      nextChargeDate: "2030-02-01"
    })
  },
  {
    name: "Subscriptions.get",
    kind: "read",
    call: (_, options) => Subscriptions.use(({ get }) => get("700", options)),
    method: "GET",
    path: "/api/v1/payments/card/recurring/700",
    answer: json(subscribed)
  },
  {
    name: "Subscriptions.update",
    kind: "change",
    call: (_, options) =>
      Subscriptions.use(({ update }) =>
        update("700", { plan: { amount: "12.00", endDate: "2031-01-01" } }, options)
      ),
    method: "PUT",
    path: "/api/v1/payments/card/recurring/700",
    body: { plan: { amount: "12.00", endDate: "2031-01-01" } },
    answer: json(subscribed)
  },
  {
    name: "Subscriptions.setStatus",
    kind: "change",
    call: (_, options) =>
      Subscriptions.use(({ setStatus }) => setStatus("700", "TRIALING", options)),
    method: "PUT",
    path: "/api/v1/payments/card/recurring/700",
    body: { status: "TRIALING" },
    answer: json({ ...subscribed, status: "TRIALING" })
  },
  {
    name: "Subscriptions.pause",
    kind: "change",
    call: (_, options) => Subscriptions.use(({ pause }) => pause("700", options)),
    method: "PUT",
    path: "/api/v1/payments/card/recurring/700",
    body: { status: "PAUSED" },
    answer: json({ ...subscribed, status: "PAUSED" })
  },
  {
    name: "Subscriptions.resume",
    kind: "change",
    call: (_, options) => Subscriptions.use(({ resume }) => resume("700", options)),
    method: "PUT",
    path: "/api/v1/payments/card/recurring/700",
    body: { status: "ACTIVE" },
    answer: json(subscribed)
  },
  {
    name: "Subscriptions.cancel",
    kind: "remove",
    call: (_, options) => Subscriptions.use(({ cancel }) => cancel("700", options)),
    method: "DELETE",
    path: "/api/v1/payments/card/recurring/700",
    answer: "",
    value: undefined
  }
]

/** Returns the successful response to any operation. */
export const answerTo = ({ method, url }: Request): string =>
  operations.find((each) => each.method === method && url.endsWith(each.path))?.answer ?? ""
