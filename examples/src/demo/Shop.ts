/**
 * The merchant's shop, on a port of its own: an order comes in, a payment is started.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { isStatus } from "@pawl/core/Status"
import { ApmPayments } from "@pawl/http/ApmPayments"
import { Ledger } from "@pawl/webhook/Ledger"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createServer } from "node:http"
import { Callbacks } from "./Callbacks.ts"

/** Where customers order. */
export class Shop extends Context.Service<Shop, { readonly url: string }>()(
  "@pawl/examples/demo/Shop"
) {}

/** What a customer sends. `scenario` tells the sandbox what is to become of the payment. */
export const Order = Schema.Struct({
  orderId: Schema.String,
  amount: Schema.String,
  scenario: Schema.String
})

/** What a customer gets. */
export const Receipt = Schema.Struct({ transactionId: Schema.String, answer: Schema.String })

const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const payments = yield* ApmPayments
    const ledger = yield* Ledger
    const callbacks = yield* Callbacks

    const pay = Effect.fnUntraced(function* ({ amount, orderId, scenario }: typeof Order.Type) {
      const payment = yield* payments.create({
        requestId: orderId,
        accountId: "4711",
        amount,
        currency: "EUR",
        apmPayload: { paymentType: "APM", paymentMethod: "WALLET" },
        callbackUrl: callbacks.url,
        order: { orderId },
        metadata: { "sandbox.scenario": scenario }
      })
      const { transactionId, transactionStatus } = payment
      return { transactionId, status: transactionStatus, answer: transactionStatus }
    })

    yield* router.add(
      "POST",
      "/orders",
      Effect.gen(function* () {
        const order = yield* HttpServerRequest.schemaBodyJson(Order)
        const { answer, status, transactionId } = yield* pay(order).pipe(
          Effect.catchTag("Declined", ({ declineCode, response }) =>
            Effect.succeed({
              transactionId: response.transactionId,
              status: "FAILED",
              answer: `FAILED, decline code ${declineCode}`
            })
          )
        )
        // From here on the transaction is followed, whether a callback ever comes or not.
        yield* ledger.register(
          { kind: "apm-payment", transactionId, ...(isStatus(status) && { status }) },
          yield* Clock.currentTimeMillis
        )
        return HttpServerResponse.jsonUnsafe({ transactionId, answer })
      })
    )
  })
)

const address = Layer.effect(
  Shop,
  Effect.map(HttpServer.HttpServer, (server) => ({
    url: HttpServer.formatAddress(server.address)
  }))
)

export const layer = HttpRouter.serve(routes, {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.merge(address),
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
)
