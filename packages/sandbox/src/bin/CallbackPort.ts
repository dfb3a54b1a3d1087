import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { CannotListen } from "@pawl/webhook/NodeReceiver"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { withBody } from "../internal/http/RequestBody.ts"
import { NodePort, layer } from "../internal/sandbox/NodePort.ts"

/**
 * Listens on a port until the scope closes, and returns its origin. A function whose caller closes
 * the connection is interrupted.
 */
export const open = Effect.fnUntraced(function* (
  host: string,
  port: number,
  receive: (incoming: Incoming) => Effect.Effect<number>
): Effect.fn.Return<string, CannotListen, Scope.Scope> {
  const context = yield* Layer.build(layer(host, port))
  const { origin, server } = yield* Effect.provideContext(NodePort, context)
  const respond = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method, url }) =>
    withBody((body) =>
      Effect.map(
        receive({
          method,
          search: /\?.*$/u.exec(url)?.[0] ?? "",
          contentType: headers["content-type"],
          contentEncoding: headers["content-encoding"],
          checksum: headers["x-checksum"],
          body
        }),
        (status) => HttpServerResponse.empty({ status })
      )
    )
  )
  const scope = yield* Effect.scope
  const handle = yield* NodeHttpServer.makeHandler(Effect.interruptible(respond), { scope })
  server.on("request", handle)
  return origin
})
