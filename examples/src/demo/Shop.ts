/**
 * The merchant's shop, on a port of its own: an order comes in, a payment is started.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Ledger from "@pawl/webhook/Ledger"
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
    const callbacks = yield* Callbacks

    const pay = Effect.fnUntraced(function* ({ amount, orderId, scenario }: typeof Order.Type) {
      const request = { requestId: orderId, accountId: "4711", amount, currency: "EUR" }
      const { answer, response } = yield* payments
        .create({
          ...request,
          apmPayload: { paymentType: "APM", paymentMethod: "WALLET" },
          callbackUrl: callbacks.url,
          order: { orderId },
          metadata: { "sandbox.scenario": scenario }
        })
        .pipe(
          Effect.map((response) => ({ response, answer: response.transactionStatus })),
          Effect.catchTag("Declined", ({ declineCode, response }) =>
            Effect.succeed({ response, answer: `FAILED, decline code ${declineCode}` })
          )
        )
      // From here on the transaction is followed, whether a callback ever comes or not.
      yield* Ledger.register("apm-payment", response, request)
      return { transactionId: response.transactionId, answer }
    })

    yield* router.add(
      "POST",
      "/orders",
      Effect.gen(function* () {
        const receipt = yield* pay(yield* HttpServerRequest.schemaBodyJson(Order))
        return HttpServerResponse.jsonUnsafe(receipt)
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
