/**
 * Shows how to use the client and the receiver with promises. It is the only file of the Express app that
 * imports Effect.
 *
 * A failed call rejects its promise with an error that has a `_tag` and a message.
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import type { Status } from "@pawl/core/Status"
import * as Pawl from "@pawl/http/Pawl"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Requests from "@pawl/webhook/Requests"
import * as Seal from "@pawl/webhook/Seal"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import type { RequestListener } from "node:http"

export interface Order {
  readonly orderId: string
  readonly amount: string
  readonly callbackUrl: string
}

export interface Options {
  readonly baseUrl: string
  readonly merchantKey: string
  readonly merchantSecret: string
  /** The SQLite file of the requests and the ledger. */
  readonly filename: string
  /** Called for each new status, one at a time and in order for each order. Called again when it rejects. */
  readonly onChange: (orderId: string, status: Status) => void | Promise<void>
}

export interface Payments {
  /** Starts the payment of an order and resolves to its first status. */
  readonly pay: (order: Order) => Promise<string>
  /** Handles HTTP requests with callbacks. */
  readonly callbacks: RequestListener
  readonly close: () => Promise<void>
}

export const open = async ({ filename, onChange, ...options }: Options): Promise<Payments> => {
  const merchantSecret = Redacted.make(options.merchantSecret)
  const handler = Handler.layer(({ requestId, to }) =>
    requestId === null ? Effect.void : Effect.tryPromise(async () => onChange(requestId, to))
  )
  const receiver = Layer.provide(Receiver.layer(), [
    handler,
    Verifier.layer({ current: merchantSecret })
  ])
  const requests = Layer.provide(Requests.layer(), [
    CallbackUrl.layer(merchantSecret),
    Seal.layer({ current: merchantSecret })
  ])
  const runtime = ManagedRuntime.make(
    Layer.merge(receiver, requests).pipe(
      Layer.provide([NodeHmac.layer, NodeSqlite.layerLedger({ filename })]),
      Layer.provide(Pawl.layer({ ...options, merchantSecret }))
    )
  )
  return {
    pay: (order) => runtime.runPromise(pay(order)),
    callbacks: await runtime.runPromise(NodeReceiver.listener),
    close: () => runtime.dispose()
  }
}

/** Makes the payment of an order. It is written to the file before it is sent, and followed by the receiver. */
const pay = Effect.fn("pay")(function* ({ amount, callbackUrl, orderId }: Order) {
  const { send } = yield* Requests.Requests
  const { transactionStatus } = yield* send("apm-payment", {
    requestId: orderId,
    accountId: "4711",
    amount,
    currency: "EUR",
    apmPayload: { paymentMethod: "WALLET" },
    callbackUrl
  }).pipe(Effect.catchTag("Declined", ({ response }) => Effect.succeed(response)))
  return transactionStatus
})
