/** The service that a receiver reads from, under the control of a law. */
import * as Checksum from "@pawl/core/Checksum"
import * as Hmac from "@pawl/core/Hmac"
import { Profile } from "@pawl/core/Profile"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Faults from "../../../Faults.ts"
import { Gateway } from "../../../Gateway.ts"
import { accountOf } from "./CallbackRequest.ts"
import { amountOf, type CaseKind } from "./Case.ts"

export interface Service {
  /** Refunds belong to one payment. */
  readonly open: (kinds: ReadonlyArray<CaseKind>) => Effect.Effect<ReadonlyArray<string>>
  readonly move: (id: string, status: Status) => Effect.Effect<void>
  readonly fail: (kind: CaseKind, fault: Faults.Kind) => Effect.Effect<void>
  readonly clearFaults: Effect.Effect<void>
}

export const endpoints = {
  "card-payment": {
    create: "/v1/payments/card",
    read: "/v1/payments/card/status",
    body: { card: { number: "4242424242424242" }, mid: accountOf.card, currency: "EUR" }
  },
  "apm-payment": {
    create: "/v1/payments/apm",
    read: "/v1/payments/apm/status",
    body: { accountId: accountOf.apm, apmPayload: { paymentMethod: "WALLET" }, currency: "EUR" }
  },
  refund: {
    create: "/v1/refunds/card",
    read: "/v1/refunds/card/status",
    body: { mid: accountOf.card, reason: "customer_request" }
  }
} as const satisfies Record<CaseKind, object>

/** Makes the service of a `Fake` or a `Sandbox`, with its credentials. */
export const make = Effect.fnUntraced(function* (credentials: {
  readonly merchantKey?: string | undefined
  readonly merchantSecret: Redacted.Redacted
}): Effect.fn.Return<Service, never, Gateway | Faults.Faults> {
  const { merchantKey = "sandbox-key", merchantSecret } = credentials
  const { handle, move } = yield* Gateway
  const { add, clear } = yield* Faults.Faults
  const { requestChecksumSeparator } = yield* Profile
  const sign = Hmac.keyed(merchantSecret)
  let created = 0

  const post = Effect.fnUntraced(function* (path: string, body: object, token = "") {
    const response = yield* handle({
      method: "POST",
      path: `/api${path}`,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: new TextEncoder().encode(JSON.stringify(body))
    })
    const json = JSON.parse(response.body) as Readonly<Record<string, string>>
    if (response.status !== 200) return yield* Effect.die(`${path} answered ${response.body}`)
    return json
  })

  const authenticate = Effect.suspend(() =>
    post("/v1/auth", { merchantKey, merchantSecret: Redacted.value(merchantSecret) })
  )

  const create = Effect.fnUntraced(function* (kind: CaseKind, token: string, payment?: string) {
    const { body, create } = endpoints[kind]
    const requestId = `conform-${++created}`
    const request = { requestId, amount: amountOf[kind], ...body }
    const additional =
      "accountId" in request
        ? { checksum: Checksum.request(sign, requestChecksumSeparator, request) }
        : payment === undefined
          ? {}
          : { transactionId: JSON.parse(payment) as number }
    const { refundId, transactionId = "" } = yield* post(
      create,
      { ...request, ...additional },
      token
    )
    return refundId ?? transactionId
  })

  return {
    open: Effect.fnUntraced(function* (kinds: ReadonlyArray<CaseKind>) {
      if (kinds.length === 0) return []
      const { accessToken = "" } = yield* authenticate
      const refunds = kinds.includes("refund")
      const payment = refunds ? yield* create("card-payment", accessToken) : undefined
      if (payment !== undefined) yield* move(payment, "SUCCEED")
      return yield* Effect.forEach(kinds, (kind) =>
        Effect.tap(create(kind, accessToken, payment), (id) => move(id, "NEW"))
      )
    }),
    move: (id, status) => Effect.asVoid(move(id, status)),
    fail: (kind, fault) => add({ endpoint: `GET ${endpoints[kind].read}/{id}`, fault, times: 1 }),
    clearFaults: clear
  }
})
