/**
 * Shows an app of `HttpApi` with the callback route on the same router: the orders of `examples/src/shop/Shop.ts`.
 *
 * The checksum of a callback covers the bytes as received, so its route reads the body itself. It is a route beside the
 * API, and `/openapi.json` lists only the app's own endpoints.
 *
 * `routes` needs the layer of the shop. Serve it with `HttpRouter.serve`, as `examples/src/shop.ts` does.
 */
import * as Receiver from "@pawl/webhook/Receiver"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Shop from "./shop/Shop.ts"

const Orders = HttpApiGroup.make("orders").add(
  HttpApiEndpoint.post("place", "/orders", {
    payload: Schema.Struct({ orderId: Schema.String, item: Shop.Item }),
    success: Schema.Struct({ page: Schema.String }),
    error: HttpApiError.Conflict
  }),
  HttpApiEndpoint.get("read", "/orders/:orderId", {
    params: { orderId: Schema.String },
    success: Schema.Struct({ shippedBy: Schema.NullOr(Schema.String) })
  })
)

/** The API of the app, from which `HttpApiClient` makes a client. */
export const Api = HttpApi.make("shop").add(Orders)

const orders = (publicUrl: string) =>
  HttpApiBuilder.group(Api, "orders", (handlers) =>
    handlers.handleAll({
      place: ({ payload }) =>
        Shop.place(payload, publicUrl).pipe(
          Effect.map((page) => ({ page })),
          // Any other error is a 500.
          Effect.catch((error) =>
            error._tag === "RequestConflict"
              ? Effect.fail(new HttpApiError.Conflict())
              : Effect.die(error)
          )
        ),
      read: ({ params }) =>
        Effect.orDie(
          Effect.map(Shop.shippedBy(params.orderId), (id) => ({ shippedBy: id ?? null }))
        )
    })
  )

/** Layer of all routes. `publicUrl` is the address at which the service reaches the app. */
export const routes = (publicUrl: string) =>
  Layer.merge(
    Layer.provide(HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }), orders(publicUrl)),
    Receiver.route("/callback")
  )
