/**
 * The gateway on a real port, for everything that speaks HTTP.
 *
 * **Details**
 *
 * | path | what is there |
 * |---|---|
 * | `/api/*` | the service; a body of more than 64 KiB is 413 |
 * | `/openapi.json` | its contract |
 * | `GET /sandbox/transactions`, `GET /sandbox/transactions/{id}` | the truth |
 * | `GET /sandbox/deliveries` | every try of every callback |
 * | `POST /sandbox/reset` | forgets all of it; 204 |
 *
 * What is under `/sandbox` answers 403 to a `Host` that is not this machine, and to the `Origin` of
 * another site: no page open in the developer's browser can reach it.
 *
 * **Gotchas**
 *
 * It is made for loopback: nothing but the host it is bound to keeps others out.
 *
 * @since 0.1.0
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { Api } from "@pawl/http/Api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ByteSize from "effect/ByteSize"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import type { ServeError } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import * as Courier from "./Courier.ts"
import * as Gateway from "./Gateway.ts"
import * as GatewayConfig from "./GatewayConfig.ts"
import { apart } from "./internal/Apart.ts"
import { isLoopback } from "./internal/Loopback.ts"

/**
 * Service that says where a sandbox serves: `baseUrl` is what a client is configured with, such as
 * `http://127.0.0.1:4010/api`.
 *
 * @category services
 * @since 0.1.0
 */
export class Sandbox extends Context.Service<Sandbox, { readonly baseUrl: string }>()(
  "@pawl/testkit/Sandbox"
) {}

/**
 * What may be said about a sandbox. Without a `port`, or with 0, it takes a free one; without a `host`
 * it binds 127.0.0.1.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends GatewayConfig.Options {
  readonly host?: string | undefined
  readonly port?: number | undefined
}

/**
 * Layer that serves a gateway, and hands out the gateway and its courier beside the address.
 *
 * **Example** (A sandbox on a free port)
 *
 * ```ts
 * import * as Sandbox from "@pawl/testkit/Sandbox"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.map(Sandbox.Sandbox, ({ baseUrl }) => baseUrl).pipe(
 *   Effect.provide(Sandbox.layer({ pace: "50 millis", seed: 1 }))
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options = {}
): Layer.Layer<Sandbox | Gateway.Gateway | Courier.Courier, ServeError> =>
  Layer.merge(routes, address).pipe(
    Layer.provide(
      NodeHttpServer.layer(createServer, {
        host: options.host ?? "127.0.0.1",
        port: options.port ?? 0,
        gracefulShutdownTimeout: "200 millis"
      })
    ),
    Layer.provideMerge(Gateway.layer),
    Layer.provideMerge(Courier.layer),
    Layer.provide([NodeHttpClient.layerUndici, NodeHmac.layer, GatewayConfig.layer(options)]),
    apart
  )

const utf8 = new TextEncoder()

const maxBody = HttpServerRequest.MaxBodySize.context(ByteSize.fromInputUnsafe("64 KiB"))

const api = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const gateway = yield* Gateway.Gateway
    yield* router.add("*", "/api/*", (request) =>
      request.arrayBuffer.pipe(
        Effect.provideContext(maxBody),
        Effect.flatMap((body) =>
          gateway.handle({
            method: request.method,
            path: request.url,
            headers: request.headers,
            body: new Uint8Array(body)
          })
        ),
        Effect.map(({ body, headers, status }) =>
          body === ""
            ? HttpServerResponse.empty({ status, headers })
            : HttpServerResponse.uint8Array(utf8.encode(body), { status, headers })
        ),
        Effect.catchTag("HttpServerError", ({ reason }) =>
          Effect.succeed(
            reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
              ? refuse(413, "The body is larger than 64 KiB")
              : refuse(400, "The body could not be read")
          )
        )
      )
    )
    yield* router.add("GET", "/openapi.json", json(OpenApi.fromApi(Api)))
  })
)

const control = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const gateway = yield* Gateway.Gateway
    const courier = yield* Courier.Courier
    const transaction = Effect.flatMap(HttpRouter.params, ({ id = "" }) => gateway.transaction(id))
    yield* router.add("GET", "/sandbox/transactions", local(Effect.map(gateway.transactions, json)))
    yield* router.add(
      "GET",
      "/sandbox/transactions/:id",
      local(
        Effect.map(transaction, (found) =>
          found === undefined ? refuse(404, "No such transaction") : json(found)
        )
      )
    )
    yield* router.add("GET", "/sandbox/deliveries", local(Effect.map(courier.deliveries, json)))
    yield* router.add(
      "POST",
      "/sandbox/reset",
      local(Effect.as(gateway.reset, HttpServerResponse.empty()))
    )
    yield* router.add("*", "/sandbox/*", local(Effect.succeed(refuse(404, "No such endpoint"))))
  })
)

const routes = HttpRouter.serve(Layer.merge(api, control), {
  disableLogger: true,
  disableListenLog: true
})

const address = Layer.effect(
  Sandbox,
  Effect.map(HttpServer.HttpServer, (server) => ({
    baseUrl: `${HttpServer.formatAddress(server.address)}/api`
  }))
)

const json = (body: unknown) => HttpServerResponse.jsonUnsafe(body)

const refuse = (status: number, message: string) =>
  HttpServerResponse.jsonUnsafe({ message }, { status })

const local = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    isLocal(headers["host"], headers["origin"])
      ? handler
      : Effect.succeed(refuse(403, "Only for this machine, and for no other site"))
  )

const isLocal = (host = "", origin: string | undefined): boolean =>
  isLoopback(host.toLowerCase().replace(/:[0-9]+$/u, "")) &&
  (origin === undefined || origin === `http://${host}`)
