/**
 * Limits the connections of a server.
 *
 * A new connection beyond the limit closes the one that has been idle for the longest time, so that connections
 * without a request do not keep callbacks out. A connection is idle until a whole request has arrived, and again after
 * its response. Only if no connection is idle, the new one is closed.
 */
import type { IncomingMessage, Server, ServerResponse, OutgoingHttpHeaders } from "node:http"
import type { Socket } from "node:net"

/** Keeps at most `max` connections open. */
export const limit = (server: Server, max: number): void => {
  /** The newest request of each connection without a response. The connection that was used last is the last. */
  const open = new Map<Socket, IncomingMessage | undefined>()
  const use = (socket: Socket, request: IncomingMessage | undefined) => {
    open.delete(socket)
    open.set(socket, request)
  }
  const closeIdle = (): boolean => {
    for (const [socket, request] of open) {
      if (request?.complete === true) continue
      open.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }
  server.on("connection", (socket: Socket) => {
    if (open.size >= max && !closeIdle()) return void socket.destroy()
    use(socket, undefined)
    socket.once("close", () => open.delete(socket))
  })
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (!open.has(socket)) return
    use(socket, request)
    response.once("close", () => {
      if (open.get(socket) === request) use(socket, undefined)
    })
  })
}

/**
 * Sends a response, unless other code has sent one, such as a timeout of the application. `writeHead` throws an error then, and
 * most responses are sent by an observer of a fiber, whose errors reach whatever resumed the fiber.
 */
export const send = (
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body = ""
): void => {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
}
