/**
 * The HTTP server of the merchant's receiver, on a free loopback port.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"

/** The URL that callbacks are sent to. */
export class ReceiverServer extends Context.Service<ReceiverServer, { readonly url: string }>()(
  "@pawl/examples/demo/ReceiverServer"
) {}

const address = Layer.effect(
  ReceiverServer,
  Effect.map(HttpServer.HttpServer, (server) => ({
    url: `${HttpServer.formatAddress(server.address)}/callback`
  }))
)

export const layer = HttpRouter.serve(Receiver.route("/callback"), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.merge(address),
  Layer.provide(NodeHttpServer.layer(NodeReceiver.createServer, { host: "127.0.0.1", port: 0 }))
)
