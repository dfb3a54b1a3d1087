/**
 * Shows how to use the client and the receiver with promises. It is the only file of the Express app that
 * imports Effect.
 *
 * A failed call rejects its promise with an error that has a `_tag` and a message.
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import type { Status } from "@pawl/core/Status"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Pawl from "@pawl/http/Pawl"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Ledger from "@pawl/webhook/Ledger"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as Receiver from "@pawl/webhook/Receiver"
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

export const open = async ({ onChange, ...options }: Options): Promise<Payments> => {
  const merchantSecret = Redacted.make(options.merchantSecret)
  const handler = Handler.layer(({ requestId, to }) =>
    requestId === null ? Effect.void : Effect.tryPromise(async () => onChange(requestId, to))
  )
  const runtime = ManagedRuntime.make(
    Receiver.layer().pipe(
      Layer.provide([handler, Verifier.layer({ current: merchantSecret })]),
      Layer.provideMerge(CallbackUrl.layer(merchantSecret)),
      Layer.provide(NodeHmac.layer),
      Layer.provideMerge([Ledger.layerMemory, Pawl.layer({ ...options, merchantSecret })])
    )
  )
  return {
    pay: (order) => runtime.runPromise(pay(order)),
    callbacks: await runtime.runPromise(NodeReceiver.listener),
    close: () => runtime.dispose()
  }
}

const pay = Effect.fn("pay")(function* ({ amount, callbackUrl, orderId }: Order) {
  const request = { requestId: orderId, accountId: "4711", amount, currency: "EUR" }
  const payments = yield* ApmPayments
  const { make } = yield* CallbackUrl.CallbackUrl
  const response = yield* payments
    .create({
      ...request,
      apmPayload: { paymentMethod: "WALLET" },
      callbackUrl: yield* make(callbackUrl, "apm-payment", request)
    })
    .pipe(Effect.catchTag("Declined", ({ response }) => Effect.succeed(response)))
  // After this the receiver polls the payment when no callback comes.
  yield* Ledger.register("apm-payment", response, request)
  return response.transactionStatus
})
