/** The server of `node:http` on a port of this machine. */
import * as NodeConnections from "@pawl/webhook/internal/doors/NodeConnections"
import { CannotListen } from "@pawl/webhook/NodeReceiver"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

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
      yield* Effect.acquireRelease(listen(server, host, port), () => stop)
      const bound = server.address() as AddressInfo
      const address = NetAddress.inetAddressFromIpStringUnsafe(bound.address, bound.port)
      return {
        server,
        number: bound.port,
        origin: NetAddress.formatUrlUnsafe(address),
        stop
      }
    })
  )

const listen = (server: Server, host: string, port: number) =>
  Effect.callback<Server, CannotListen>((resume) => {
    // It stays, because the system may later fail to accept a connection.
    server.on("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new CannotListen({ host, port, code: error.code ?? error.message })))
    )
    server.listen({ host, port }, () => resume(Effect.succeed(server)))
  }).pipe(
    // Node throws for this reason alone.
    Effect.catchDefect(
      () => new CannotListen({ host, port, code: "a port is a number from 0 to 65535" })
    )
  )
