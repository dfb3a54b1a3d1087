/**
 * The steps of a run: the requests that a service is sent, with the most requests and amounts that each step needs.
 *
 * **Details**
 *
 * A step is left out where an earlier one found out that it is of no use, so the plan is an upper limit. An amount is
 * the units of the run and a fraction: `1.10`, whose zero shows how amounts are written.
 */
import type * as Checksum from "@pawl/core/Checksum"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ReadonlyRecord } from "effect/Record"
import { DoctorFailed, type Probe } from "./Probe.ts"
import { type Exchange, find, isSuccess, json, member, text } from "./Recording.ts"
import * as Token from "./Token.ts"

/**
 * A step. `requests` is the number of its requests, `paidIn` and `paidOut` the number of its payments and payouts, each
 * at most.
 */
export interface Step {
  readonly name: string
  readonly does: string
  readonly requests: number
  readonly paidIn: number
  readonly paidOut: number
  readonly run: (probe: Probe) => Effect.Effect<void, DoctorFailed>
}

const encodings: ReadonlyArray<readonly [name: string, encode: (bytes: Uint8Array) => string]> = [
  ["lower-case hex", Hex.encode],
  ["upper-case hex", (bytes) => Hex.encode(bytes).toUpperCase()],
  ["base64", Base64.encode]
]
const separators = ["|", "", ":", ",", ";", "-", ".", "&"]

/** The ways to compute a request checksum, the likeliest first. */
const candidates = (first: string) =>
  encodings.flatMap(([encoding, encode]) =>
    [first, ...separators.filter((separator) => separator !== first)].map((separator) => ({
      name: `"${separator}", ${encoding}`,
      of: (
        sign: Checksum.Sign,
        fields: ReadonlyRecord<"accountId" | "requestId" | "amount" | "currency", string>
      ) =>
        encode(
          sign([fields.accountId, fields.requestId, fields.amount, fields.currency].join(separator))
        )
    }))
  )

const auth = Effect.fnUntraced(function* (probe: Probe) {
  const { merchantKey, merchantSecret } = probe.settings
  const response = yield* probe.send({
    name: "auth",
    path: "/v1/auth",
    body: { merchantKey, merchantSecret: Redacted.value(merchantSecret) }
  })
  const token = isSuccess(response) ? Token.find(response.body) : undefined
  if (token === undefined) {
    return yield* new DoctorFailed({
      message:
        response.status === 0
          ? `no service answers at ${probe.settings.baseUrl}`
          : `POST /v1/auth is answered ${response.status} without an access token; are key, secret and base URL of one environment?`
    })
  }
  probe.accept(token.value)
})

const mistakes = Effect.fnUntraced(function* ({ send }: Probe) {
  yield* send({ name: "invalid", path: "/v1/payments/apm", body: { requestId: "doctor" } })
  yield* send({ name: "wrong-method", method: "PUT", path: "/v1/payments/apm", body: {} })
  yield* send({
    name: "wrong-type",
    path: "/v1/payments/apm",
    body: {},
    contentType: "text/plain"
  })
})

/** The fields of an APM request. */
const apm = ({ amount, marks, settings }: Probe, name: string, fraction: string) => ({
  ...marks(name),
  accountId: settings.accountId,
  amount: amount(fraction),
  currency: settings.currency,
  apmPayload: { paymentMethod: settings.paymentMethod },
  successRedirectUrl: "https://example.com/success",
  failureRedirectUrl: "https://example.com/failure"
})

/** Computes the checksum in the way that the service has accepted. */
const checksumOf = (probe: Probe, request: ReturnType<typeof apm>): string => {
  const accepted = find(probe.recording(), "payment")?.variant
  const all = candidates(probe.settings.separator)
  return (all.find(({ name }) => name === accepted) ?? all[0])?.of(probe.sign, request) ?? ""
}

const payment = Effect.fnUntraced(function* (probe: Probe) {
  const path = "/v1/payments/apm"
  const request = apm(probe, "payment", "10")
  const unchecked = yield* probe.send({
    name: "payment",
    variant: "not checked",
    path,
    body: { ...request, checksum: "0".repeat(64) }
  })
  if (isSuccess(unchecked)) return
  for (const { name, of } of candidates(probe.settings.separator)) {
    const checksum = of(probe.sign, request)
    const response = yield* probe.send({
      name: "payment",
      variant: name,
      path,
      body: { ...request, checksum }
    })
    if (isSuccess(response) || response.status >= 500 || response.status === 0) return
  }
})

/** Reads a status until it satisfies, at growing gaps. */
const read = Effect.fnUntraced(function* (
  probe: Probe,
  name: string,
  path: string,
  isDone: (exchange: Exchange) => boolean
) {
  for (const gap of [0, 1, 2, 5, 15, 60]) {
    if (gap > 0) yield* probe.settings.pause(Duration.seconds(gap))
    const response = yield* probe.send({ name, method: "GET", path })
    if (isDone(response)) return
  }
})

const status = Effect.fnUntraced(function* (probe: Probe) {
  const id = member(probe.recording(), "payment", "transactionId")
  if (id === undefined) return
  const path = `/v1/payments/apm/status/${id}`
  yield* read(probe, "payment.status", path, ({ status }) => status !== 404)
})

const repeat = Effect.fnUntraced(function* (probe: Probe) {
  if (member(probe.recording(), "payment", "transactionId") === undefined) return
  const request = apm(probe, "payment", "20")
  yield* probe.send({
    name: "payment.repeated",
    path: "/v1/payments/apm",
    body: { ...request, checksum: checksumOf(probe, request) }
  })
})

const payout = Effect.fnUntraced(function* (probe: Probe) {
  const send = (name: string, more: (request: ReturnType<typeof apm>) => object) => {
    const request = apm(probe, name, "10")
    return probe.send({ name, path: "/v1/payouts/apm", body: { ...request, ...more(request) } })
  }
  const right = (request: ReturnType<typeof apm>) => ({ checksum: checksumOf(probe, request) })
  // A number that is never issued.
  const billingDetails = { ssn: "000-00-0000" }
  const first = yield* send("payout", (request) => ({ ...right(request), billingDetails }))
  const isRefused = !isSuccess(first) && isSuccess(yield* send("payout.without-ssn", right))
  yield* send("payout.wrong", () => ({ checksum: "0".repeat(64) }))
  const without = yield* send("payout.without", () => (isRefused ? {} : { billingDetails }))
  // Neither a checksum nor an ssn may be accepted.
  if (!isSuccess(first) && !isRefused && !isSuccess(without)) yield* send("payout.bare", () => ({}))
  const id = ["payout", "payout.without-ssn", "payout.without", "payout.bare"]
    .map((name) => member(probe.recording(), name, "transactionId"))
    .find((id) => id !== undefined)
  if (id === undefined) return
  yield* probe.send({ name: "payout.info", method: "GET", path: `/v1/payouts/apm/info/${id}` })
})

const cardOf = ({ settings }: Probe) => ({
  number: Redacted.value(settings.card),
  expMonth: "12",
  expYear: "2035",
  cvv: "123",
  cardHolderName: "Ada Lovelace"
})

const cardPayment = Effect.fnUntraced(function* (probe: Probe) {
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
  const id = member(recording(), "card-payment", "transactionId")
  if (id === undefined) return
  const path = `/v1/payments/card/status/${id}`
  yield* read(probe, "card-payment.status", path, ({ body }) => json(body) === "SUCCEED")
})

const refund = Effect.fnUntraced(function* (probe: Probe) {
  const { amount, marks, recording, send, settings } = probe
  const payment = member(recording(), "card-payment", "transactionId")
  const status = find(recording(), "card-payment.status")
  if (payment === undefined || status === undefined || json(status.body) !== "SUCCEED") return
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

const cardPayout = Effect.fnUntraced(function* (probe: Probe) {
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
    if (Number(member(recording(), `${name}.info`, "totalAmount")) !== Number(amount("02"))) return
  }
})

const subscription = Effect.fnUntraced(function* (probe: Probe) {
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

/** The token in the response of tokenize: under its usual name, or the only other text. */
const cardTokenOf = (body: string): string | undefined => {
  const response = json(body)
  const name = ["cardToken", "token", ...Object.keys(response ?? {})].find(
    (name) => name !== "requestId" && text(response, name) !== undefined
  )
  return name === undefined ? undefined : text(response, name)
}

const callbacks = Effect.fnUntraced(function* (probe: Probe) {
  const { callbackUrl, pause, wait } = probe.settings
  if (callbackUrl === undefined) return
  const isOver = () => {
    const { callbacks, waited } = probe.recording()
    const ofPayout = callbacks.filter(({ answer }) => answer === 500)
    const times = Map.groupBy(ofPayout, ({ body }) => body)
    return (
      waited >= Duration.toMillis(wait) ||
      Array.from(times.values()).some(({ length }) => length > 5)
    )
  }
  while (!isOver()) {
    const gap = Duration.min(wait, Duration.minutes(1))
    yield* pause(gap)
    probe.update({ waited: probe.recording().waited + Duration.toMillis(gap) })
  }
})

/** The steps, in order. */
export const steps: ReadonlyArray<Step> = [
  step("auth", "takes an access token", 1, auth),
  step(
    "mistakes",
    "sends an invalid payment, a wrong method and a wrong content type",
    3,
    mistakes
  ),
  step(
    "payment",
    "makes an APM payment, with each way to compute its checksum until one is accepted",
    1 + candidates("|").length,
    payment,
    { paidIn: 1 }
  ),
  step("status", "reads its status at once, and again while it is 404", 6, status),
  step("repeat", "sends its requestId again with another amount", 1, repeat, { paidIn: 1 }),
  step("payout", "makes APM payouts with a checksum, a wrong one and none", 6, payout, {
    paidOut: 4
  }),
  step("card payment", "pays by card, and reads the status until it is SUCCEED", 7, cardPayment, {
    paidIn: 1
  }),
  step("refund", "refunds that payment, and reads the refund", 4, refund),
  step("card payout", "pays out three decimals, and reads the rounded amount", 4, cardPayout, {
    paidOut: 2
  }),
  step(
    "subscription",
    "tokenizes a card, makes two subscriptions and cancels them",
    12,
    subscription,
    {
      paidIn: 1
    }
  ),
  step(
    "callbacks",
    "waits for callbacks: refuses one, holds one, fails those of a payout",
    0,
    callbacks
  )
]

function step(
  name: string,
  does: string,
  requests: number,
  run: Step["run"],
  { paidIn = 0, paidOut = 0 }: { readonly paidIn?: number; readonly paidOut?: number } = {}
): Step {
  return { name, does, requests, paidIn, paidOut, run }
}
