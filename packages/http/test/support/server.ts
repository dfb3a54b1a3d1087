/** A TCP server on a free loopback port. A function writes each response, valid or not. */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import * as Transport from "../../src/Transport.ts"

export const send = (
  url: string,
  request: Partial<Transport.Request> = {},
  within: Duration.Input = "1 minute"
) =>
  Transport.Transport.use((transport) =>
    transport.send(
      { method: "GET", url, headers: {}, body: undefined, ...request },
      Duration.fromInputUnsafe(within)
    )
  )

export const post = (url: string, within?: Duration.Input) =>
  send(url, { method: "POST", body: "{}" }, within)

export interface Server {
  readonly url: string
  readonly received: Array<string>
  readonly closed: Effect.Effect<void>
}

/** Starts a server that calls `respond` once for each complete request. */
export const start = Effect.fnUntraced(function* (
  respond: (socket: Socket, request: string) => void,
  accept?: (socket: Socket) => void
) {
  const closed = yield* Deferred.make<void>()
  const received: Array<string> = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ""
    socket.on("error", () => undefined)
    socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
    accept?.(socket)
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1")
      const end = text.indexOf("\r\n\r\n") + 4
      const length = Number(/content-length: (\d+)/iu.exec(text)?.[1] ?? 0)
      if (end < 4 || text.length < end + length) return
      const request = text.slice(0, end + length)
      text = ""
      received.push(request)
      respond(socket, request)
    })
  })
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resume(Effect.void))
    })
  )
  yield* Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening"))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return { url, received, closed: Deferred.await(closed) } satisfies Server
})

export const reply = (
  socket: Socket,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string> = {}
): void => {
  const bytes = Buffer.from(body)
  const lines = Object.entries({ "content-length": String(bytes.length), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`
  )
  socket.write(`HTTP/1.1 ${status} X\r\n${lines.join("")}\r\n`)
  socket.write(bytes)
}
