/** All operations of the client. Secret values are canaries that tests search for. */
import { CardToken } from "@pawl/core/Card"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ApmPayments } from "../../src/ApmPayments.ts"
import { ApmPayouts } from "../../src/ApmPayouts.ts"
import type { CreateOptions } from "../../src/CallOptions.ts"
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

export const services = {
  ApmPayments,
  ApmPayouts,
  CardPayments,
  CardPayouts,
  PaymentIntents,
  Refunds,
  Subscriptions
}

type Method = (...args: ReadonlyArray<unknown>) => ReturnType<Operation["call"]>

/** Calls a method by its name, such as `Refunds.create`. */
export const invoke = (name: string, ...args: ReadonlyArray<unknown>) => {
  const [service = "", method = ""] = name.split(".")
  return Effect.flatMap(
    services[service as keyof typeof services] as unknown as Effect.Effect<
      Record<string, Method>,
      never,
      Pawl.Services
    >,
    (methods) => methods[method]?.(...args) ?? Effect.die(`no method ${name}`)
  )
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
  billingDetails: { firstName: "Ada", ssn: canaries.ssn, identityCode: canaries.identityCode }
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
}
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

type Rest = Pick<Operation, "answer"> & Partial<Pick<Operation, "body" | "value">>

const create = (name: string, path: string, input: object, rest: Rest): Operation => ({
  name,
  kind: "create",
  call: (named, options) => invoke(name, { ...input, ...named }, options),
  method: "POST",
  path: `/api/v1/${path}`,
  body: input,
  ...rest
})

const read = (
  name: string,
  path: string,
  rest: Rest = { answer: '"PROCESSING"' },
  id = "100001"
): Operation => ({
  name,
  kind: "read",
  call: (_, options) => invoke(name, id, options),
  method: "GET",
  path: `/api/v1/${path}/${id}`,
  ...rest
})

const recurring = "payments/card/recurring"

const change = (
  name: string,
  args: ReadonlyArray<unknown>,
  body: object,
  status = "ACTIVE"
): Operation => ({
  name,
  kind: "change",
  call: (_, options) => invoke(name, "700", ...args, options),
  method: "PUT",
  path: `/api/v1/${recurring}/700`,
  body,
  answer: json({ ...subscribed, status })
})

const changes = { plan: { amount: "12.00", endDate: "2031-01-01" } }

export const operations: ReadonlyArray<Operation> = [
  create("ApmPayments.create", "payments/apm", apm, {
    body: { ...apm, checksum },
    answer: json(apmAnswer)
  }),
  read("ApmPayments.status", "payments/apm/status"),
  create("ApmPayouts.create", "payouts/apm", apm, {
    body: { ...apm, checksum },
    answer: json(apmAnswer)
  }),
  read("ApmPayouts.info", "payouts/apm/info", {
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
  }),
  read("ApmPayouts.status", "payouts/apm/status"),
  create("CardPayments.create", "payments/card", cardPayment, {
    answer: json({ ...cardAnswer, eci: "05" }),
    value: { ...cardAnswer, unknownFields: { eci: "05" } }
  }),
  create("CardPayments.charge", "payments/card/charge", charge, { answer: json(cardAnswer) }),
  create(
    "CardPayments.tokenize",
    "payments/card/tokenize",
    { mid: "mid-1", card },
    {
      answer: json({ requestId: "request-1", cardToken: canaries.cardToken }),
      value: { requestId: "request-1", cardToken: Schema.decodeSync(CardToken)(canaries.cardToken) }
    }
  ),
  read("CardPayments.status", "payments/card/status"),
  create("CardPayouts.create", "payouts/card", cardPayout, { answer: json(cardAnswer) }),
  read("CardPayouts.info", "payouts/card/info", {
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
  }),
  read("CardPayouts.status", "payouts/card/status"),
  create(
    "Refunds.create",
    "refunds/card",
    { ...refund, transactionId: "100001" },
    {
      body: { ...refund, transactionId: 100001 },
      answer: json({ refundId: "200002", transactionStatus: "PENDING", paymentType: "CARD" })
    }
  ),
  read(
    "Refunds.info",
    "refunds/card/info",
    {
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
    "200002"
  ),
  read("Refunds.status", "refunds/card/status"),
  create("PaymentIntents.create", "payments/intent", intent, {
    answer: json({ redirectUrl: `${page}/pay/1`, iframeUrl: `${page}/frame/1`, errorCode: null })
  }),
  create("Subscriptions.create", recurring, subscription, {
    answer: json({
      subscriptionId: "700",
      transactionId: "100001",
      transactionStatus: "CUSTOMER_VERIFICATION",
      challengeUrl: `${page}/3ds`,
      challengeUrlIframe: `${page}/3ds/frame`,
      nextChargeDate: "2030-02-01"
    })
  }),
  read("Subscriptions.get", recurring, { answer: json(subscribed) }, "700"),
  change("Subscriptions.update", [changes], changes),
  change("Subscriptions.setStatus", ["TRIALING"], { status: "TRIALING" }, "TRIALING"),
  change("Subscriptions.pause", [], { status: "PAUSED" }, "PAUSED"),
  change("Subscriptions.resume", [], { status: "ACTIVE" }),
  {
    name: "Subscriptions.cancel",
    kind: "remove",
    call: (_, options) => invoke("Subscriptions.cancel", "700", options),
    method: "DELETE",
    path: `/api/v1/${recurring}/700`,
    answer: "",
    value: undefined
  }
]

/** The operations that make something, each under its requestId. */
export const creates = operations.filter(({ kind }) => kind === "create")

export const answerTo = ({ method, url }: Request): string =>
  operations.find((each) => each.method === method && url.endsWith(each.path))?.answer ?? ""

export const find = (name: string): Operation => {
  const operation = operations.find((each) => each.name === name)
  if (operation === undefined) throw new Error(`no operation ${name}`)
  return operation
}
