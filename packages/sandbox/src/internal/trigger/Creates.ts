/**
 * The creates of `trigger`: one request for each kind of transaction.
 */
import * as Checksum from "@pawl/core/Checksum"
import type { KnownKind } from "@pawl/core/Kind"
import * as Hmac from "@pawl/core/Hmac"
import { Profile } from "@pawl/core/Profile"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scenario from "@pawl/testkit/Scenario"
import { ErrorBody } from "../contract/ErrorBody.ts"
import { move, post, type Target, TriggerFailed } from "./SandboxClient.ts"

export interface Order {
  readonly kind: KnownKind
  readonly scenario: string
  readonly amount: string
  readonly currency: string
  /** The `accountId` of APM transactions, the `mid` of card transactions. */
  readonly account: string
  readonly callbackUrl: string | undefined
}

const paths: Readonly<Record<KnownKind, string>> = {
  "card-payment": "/v1/payments/card",
  "apm-payment": "/v1/payments/apm",
  "card-payout": "/v1/payouts/card",
  "apm-payout": "/v1/payouts/apm",
  refund: "/v1/refunds/card"
}

const card = {
  number: "4242424242424242",
  expMonth: "12",
  expYear: "2035",
  cvv: "123",
  cardHolderName: "Ada Lovelace"
}

const Created = Schema.Struct({
  transactionId: Schema.optionalKey(Schema.String),
  refundId: Schema.optionalKey(Schema.String)
})
const isCreated = Schema.is(Created)

const isRefused = Schema.is(ErrorBody)

/**
 * Makes a transaction, and returns its id. The payment of a refund is made first, and moved to
 * SUCCEED.
 */
export const create = Effect.fnUntraced(function* (
  target: Target,
  accessToken: string,
  order: Order,
  number: number
) {
  const { requestChecksumSeparator } = yield* Profile
  const sign = Hmac.keyed(target.merchantSecret)
  const run = yield* Clock.currentTimeMillis

  const send = Effect.fnUntraced(function* (
    kind: KnownKind,
    requestId: string,
    additional: object
  ) {
    const { account, amount, currency } = order
    const request = { requestId, amount, currency, accountId: account }
    const body = kind.startsWith("apm")
      ? {
          ...request,
          apmPayload: { paymentMethod: "WALLET" },
          checksum: Checksum.request(sign, requestChecksumSeparator, request)
        }
      : {
          requestId,
          mid: account,
          amount,
          ...(kind === "refund" ? { reason: "customer_request" } : { currency, card })
        }
    const { json, status } = yield* post(
      target,
      `${target.baseUrl}${paths[kind]}`,
      { ...body, ...additional },
      accessToken
    )
    const id = isCreated(json) ? (json.refundId ?? json.transactionId) : undefined
    if (status === 200 && id !== undefined) return id
    const reasons = isRefused(json)
      ? (json.errors ?? [{ field: "", message: json.message }])
      : [{ field: "", message: "look for a fault in its console" }]
    return yield* new TriggerFailed({
      message: `the sandbox answers ${status} to POST ${paths[kind]}; ${reasons
        .map(({ field, message }) => (field === "" ? message : `${field}: ${message}`))
        .join("; ")}`
    })
  })

  const requestId = `trigger-${run}-${number}`
  const { callbackUrl, kind, scenario } = order
  const additional = { callbackUrl, metadata: { [Scenario.key]: scenario } }
  if (kind !== "refund") return yield* send(kind, requestId, additional)
  const payment = yield* send("card-payment", `${requestId}-payment`, {})
  yield* move(target, payment, "SUCCEED")
  return yield* send(kind, requestId, { ...additional, transactionId: Number(payment) })
})
