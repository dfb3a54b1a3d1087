/**
 * Shows a shop with a hosted payment page as an HTTP server: the server of `examples/src/shop/Shop.ts`.
 *
 * Reads PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET, SHOP_FILE (its SQLite file) and PORT (default
 * 4030) from the environment. `POST /orders` takes an order as JSON and redirects to the hosted page:
 *
 * ```sh
 * curl -i http://127.0.0.1:4030/orders -H 'content-type: application/json' -d '{"orderId":"17","item":"tea"}'
 * ```
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Pawl from "@pawl/http/Pawl"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Shop from "./shop/Shop.ts"

const Order = Schema.Struct({ orderId: Schema.String, item: Shop.Item })

const routes = HttpRouter.addAll([
  HttpRouter.route(
    "POST",
    "/orders",
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const order = yield* HttpServerRequest.schemaBodyJson(Order)
      const page = yield* Shop.place(order, HttpServer.formatAddress(address))
      return HttpServerResponse.redirect(page, { status: 303 })
    })
  ),
  HttpRouter.route(
    "GET",
    "/orders/:orderId",
    Effect.gen(function* () {
      const { orderId = "" } = yield* HttpRouter.params
      return HttpServerResponse.jsonUnsafe({ orderId, shippedBy: yield* Shop.shippedBy(orderId) })
    })
  )
])

const shop = Layer.unwrap(
  Effect.gen(function* () {
    return Shop.layer(
      yield* Config.String("SHOP_FILE"),
      yield* Config.Redacted("PAWL_MERCHANT_SECRET")
    )
  })
)

const server = Layer.unwrap(
  Effect.map(Config.withDefault(Config.Int("PORT"), 4030), (port) =>
    NodeHttpServer.layer(NodeReceiver.createServer, { host: "127.0.0.1", port })
  )
)

HttpRouter.serve(Layer.merge(routes, Receiver.route("/callback"))).pipe(
  Layer.provide([shop, server]),
  Layer.provide(Pawl.layerConfig()),
  Layer.launch,
  NodeRuntime.runMain
)
