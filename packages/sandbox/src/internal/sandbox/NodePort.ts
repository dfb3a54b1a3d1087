/** The server of `node:http` on a port of this machine. */
import * as NodeConnections from "@pawl/webhook/internal/doors/NodeConnections"
import { CannotListen } from "@pawl/webhook/NodeReceiver"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import { createServer, type Server } from "node:http"

/**
 * Service that is the server on a port, without a request listener. `origin` is such as
 * `http://127.0.0.1:4010`. `stop` waits up to 200 milliseconds for requests in progress.
 */
export class NodePort extends Context.Service<
  NodePort,
  {
    readonly server: Server
    readonly number: number
    readonly origin: string
    readonly stop: Effect.Effect<void>
  }
>()("@pawl/sandbox/internal/sandbox/NodePort") {}

/** Layer that listens on a port; 0 takes a free one. */
export const layer = (host: string, port: number): Layer.Layer<NodePort, CannotListen> =>
  Layer.effect(
    NodePort,
    Effect.gen(function* () {
      const server = createServer()
      const { end: stop } = NodeConnections.limit(server, {
        max: Infinity,
        quiet: "20 millis",
        total: "200 millis"
      })
      const bound = yield* Effect.acquireRelease(
        NodeConnections.listen(server, { host, port }),
        () => stop
      ).pipe(Effect.mapError((code) => new CannotListen({ host, port, code })))
      const address = NetAddress.inetAddressFromIpStringUnsafe(bound.address, bound.port)
      return {
        server,
        number: bound.port,
        origin: NetAddress.formatUrlUnsafe(address),
        stop
      }
    })
  )
