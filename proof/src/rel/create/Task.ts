/**
 * The task of a merchant's process in `rel create`, and its orders.
 */

import type { RequestInput, RequestKind } from "@pawl/core/RequestSender"
import * as Struct from "effect/Struct"

export const marks = [
  "before the write",
  "written",
  "in the transaction",
  "before the commit",
  "claimed",
  "begun",
  "before the first byte",
  "answered",
  "before the outcome",
  "settled",
  "before the release",
  "released",
  "before it is told",
  "told",
  "before the handler",
  "handled"
] as const

export type Mark = (typeof marks)[number]

/**
 * Task of a process, which without `mark` ends when it is killed. Even orders are sent and odd ones
 * enqueued, except those with a card.
 */
export interface Task {
  readonly baseUrl: string
  readonly store: string
  readonly orders: ReadonlyArray<number>
  readonly mark: Mark | undefined
  readonly times: number
  readonly secrets: readonly [string, string]
  readonly merchantKey?: string
}

export const secretsAfter = (rotations: number): readonly [string, string] => [
  `secret-${rotations}`,
  `secret-${Math.max(rotations - 1, 0)}`
]

export const orderId = (order: number): string => `order-${order}`

const idPattern = /^order-(\d+)$/u

export const orderOf = (requestId: string): number => Number(idPattern.exec(requestId)?.[1])

const card = { number: "4242424242424242", expMonth: "04", expYear: "2030", cvv: "737" }
const apm = { accountId: "4711", currency: "EUR", apmPayload: { paymentMethod: "EWALLET" } }
const pages = {
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry"
}

const inputs: {
  readonly [K in RequestKind]: (
    order: { readonly requestId: string; readonly amount: string },
    metadata: Readonly<Record<string, string>>
  ) => RequestInput<K>
} = {
  "apm-payment": (order, metadata) => ({ ...order, ...apm, metadata }),
  "apm-payout": (order, metadata) => ({ ...order, ...apm, metadata }),
  "card-payment": (order) => ({ ...order, mid: "m-1", currency: "EUR", card }),
  "card-charge": (order) => ({ ...order, mid: "m-1", currency: "EUR", cardToken: "token-1" }),
  "card-payout": (order) => ({ ...order, mid: "m-1", card }),
  refund: (order) => ({ ...order, mid: "m-1", transactionId: "1", reason: "customer_request" }),
  "payment-intent": (order) => ({
    ...order,
    ...pages,
    mid: "m-1",
    currency: "EUR",
    type: "PAYMENT",
    lang: "en",
    billingDetails: { email: "ada@shop.example" },
    order: { title: "Tea" },
    device: {}
  }),
  subscription: ({ amount, requestId }) => ({
    requestId,
    mid: "m-1",
    ...pages,
    cardToken: "token-1",
    plan: { amount, currency: "EUR", frequency: "MONTHLY", interval: 1, startDate: "2026-01-31" }
  })
}

const kinds = Struct.keys(inputs)

export const kindOf = (order: number): RequestKind =>
  kinds[Math.floor(order / 2) % kinds.length] ?? "apm-payment"

export const isEnqueued = (order: number): boolean =>
  order % 2 === 1 && !["card-payment", "card-payout"].includes(kindOf(order))

export const createOf = (order: number) => ({
  kind: kindOf(order),
  input: inputs[kindOf(order)](
    { requestId: orderId(order), amount: `${10 + (order % 90)}.00` },
    { order: String(order) }
  )
})

export const idIn = (response: object): string =>
  String(Reflect.get(response, "transactionId") ?? Reflect.get(response, "refundId") ?? "")
