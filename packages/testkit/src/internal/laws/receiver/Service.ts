/**
 * The payments service behind a receiver: transactions that say what a law wants them to.
 *
 * @since 0.1.0
 */
import * as Checksum from "@pawl/core/Checksum"
import * as PortableHmac from "@pawl/core/PortableHmac"
import { Profile } from "@pawl/core/Profile"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Faults from "../../../Faults.ts"
import { Gateway } from "../../../Gateway.ts"
import { amountOf, type Kind } from "./Case.ts"
import { account } from "./Letter.ts"

/**
 * What a law does to the service.
 *
 * - `open` makes transactions, and returns their ids; refunds among them are of one payment.
 * - `move` has reads of a transaction answer a status from now on.
 * - `fail` has the next read of a kind fail.
 * - `mend` has none fail any more.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  readonly open: (kinds: ReadonlyArray<Kind>) => Effect.Effect<ReadonlyArray<string>>
  readonly move: (id: string, status: Status) => Effect.Effect<void>
  readonly fail: (kind: Kind, fault: Faults.Kind) => Effect.Effect<void>
  readonly mend: Effect.Effect<void>
}

/**
 * What each kind is created with, and where its status is read.
 *
 * @category constants
 * @since 0.1.0
 */
export const endpoints = {
  "card-payment": {
    create: "/v1/payments/card",
    read: "/v1/payments/card/status",
    body: { card: { number: "4242424242424242" }, mid: account.card, currency: "EUR" }
  },
  "apm-payment": {
    create: "/v1/payments/apm",
    read: "/v1/payments/apm/status",
    body: { accountId: account.apm, apmPayload: { paymentMethod: "WALLET" }, currency: "EUR" }
  },
  refund: {
    create: "/v1/refunds/card",
    read: "/v1/refunds/card/status",
    body: { mid: account.card, reason: "customer_request" }
  }
} as const satisfies Record<Kind, object>

/**
 * Makes the service of a gateway and its faults.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (credentials: {
  readonly merchantKey?: string | undefined
  readonly merchantSecret: Redacted.Redacted
}): Effect.fn.Return<Service, never, Gateway | Faults.Faults> {
  const { merchantKey = "sandbox-key", merchantSecret } = credentials
  const { handle, move } = yield* Gateway
  const { add, clear } = yield* Faults.Faults
  const { requestChecksumSeparator } = yield* Profile
  const sign = PortableHmac.keyed(merchantSecret)
  let asked = 0

  const post = Effect.fnUntraced(function* (path: string, body: object, token = "") {
    const answer = yield* handle({
      method: "POST",
      path: `/api${path}`,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: new TextEncoder().encode(JSON.stringify(body))
    })
    const said = JSON.parse(answer.body) as Readonly<Record<string, string>>
    if (answer.status !== 200) return yield* Effect.die(`${path} answered ${answer.body}`)
    return said
  })

  const authenticate = Effect.suspend(() =>
    post("/v1/auth", { merchantKey, merchantSecret: Redacted.value(merchantSecret) })
  )

  const create = Effect.fnUntraced(function* (kind: Kind, token: string, payment?: string) {
    const { body, create } = endpoints[kind]
    const requestId = `conform-${++asked}`
    const request = { requestId, amount: amountOf[kind], ...body }
    const more =
      "accountId" in request
        ? { checksum: Checksum.request(sign, requestChecksumSeparator, request) }
        : payment === undefined
          ? {}
          : { transactionId: JSON.parse(payment) as number }
    const { refundId, transactionId = "" } = yield* post(create, { ...request, ...more }, token)
    return refundId ?? transactionId
  })

  return {
    open: Effect.fnUntraced(function* (kinds: ReadonlyArray<Kind>) {
      if (kinds.length === 0) return []
      const { accessToken = "" } = yield* authenticate
      const refunds = kinds.includes("refund")
      const payment = refunds ? yield* create("card-payment", accessToken) : undefined
      if (payment !== undefined) yield* move(payment, "SUCCEED")
      return yield* Effect.forEach(kinds, (kind) =>
        // What a law moves has no life of its own.
        Effect.tap(create(kind, accessToken, payment), (id) => move(id, "NEW"))
      )
    }),
    move: (id, status) => Effect.asVoid(move(id, status)),
    fail: (kind, fault) => add({ endpoint: `GET ${endpoints[kind].read}/{id}`, fault, times: 1 }),
    mend: clear
  }
})
