import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, Server } from "node:http"
import { type AddressInfo, connect } from "node:net"

/** Serves a listener or a server on a free loopback port until the scope ends. Returns the port. */
export const serve = (
  served: RequestListener | Server
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = served instanceof Server ? served : createServer(served)
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** Waits until a port refuses connections. Its backlog accepts some until the server has closed. */
export const untilRefused = (port: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const attempt = (): void => {
      const socket = connect(port, "127.0.0.1")
      socket.on("error", () => resume(Effect.void))
      socket.on("connect", () => {
        socket.destroy()
        setImmediate(attempt)
      })
    }
    attempt()
  })

export const readText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
