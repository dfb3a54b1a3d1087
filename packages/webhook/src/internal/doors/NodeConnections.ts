/**
 * Limits the connections of a server, and ends them without a reset.
 *
 * A new connection beyond the limit closes the longest idle one. A connection is idle until a whole
 * request has arrived, and again once its response is written, which its client may never read.
 *
 * Closing a connection with bytes that wait in the system would reset it. So at its end the server
 * first accepts the waiting connections, and each response says `Connection: close`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import type { RequestListener, Server, ServerResponse, OutgoingHttpHeaders } from "node:http"
import { type AddressInfo, type ListenOptions, Server as NetServer, type Socket } from "node:net"

export interface Limits {
  readonly max: number
  /**
   * Called when a connection is closed for a new one, and again after half of the connections were.
   */
  readonly onFull?: (() => void) | undefined
  /** How long at the end a connection without a request stays open while nothing comes on it. */
  readonly quiet: Duration.Input
  /** The time at the end after which even connections with a request are closed. */
  readonly total: Duration.Input
}

/** Fails with the reason: an error code of Node, or words. */
export const listen = (
  server: Server,
  options: ListenOptions
): Effect.Effect<AddressInfo, string> =>
  Effect.callback<AddressInfo, string>((resume) => {
    // It stays, because the system may later fail to accept a connection.
    server.on("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(error.code ?? error.message))
    )
    server.listen(options, () => resume(Effect.succeed(server.address() as AddressInfo)))
  }).pipe(
    // Node throws for this reason alone.
    Effect.catchDefect(() => Effect.fail("a port is a number from 0 to 65535"))
  )

export const limit = (
  server: Server,
  { max, onFull, quiet, total }: Limits
): { readonly end: Effect.Effect<void> } => {
  /** The newest open response of each connection, in the order of use. */
  const open = new Map<Socket, ServerResponse | undefined>()
  let isEnding = false
  let accepted = 0
  const use = (socket: Socket, response: ServerResponse | undefined) => {
    open.delete(socket)
    open.set(socket, response)
  }
  const closeIdle = (): boolean => {
    for (const [socket, response] of open) {
      if (response?.req.complete === true && !response.writableEnded) continue
      open.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }
  let isFull = false
  const reportFull = () => {
    if (!isFull) onFull?.()
    isFull = true
  }
  server.on("connection", (socket: Socket) => {
    accepted++
    if (open.size >= max) {
      reportFull()
      if (!closeIdle()) return void socket.destroy()
    }
    use(socket, undefined)
    socket.once("close", () => {
      open.delete(socket)
      if (open.size < max / 2) isFull = false
    })
  })
  server.prependListener("request", ({ socket }, response) => {
    if (!open.has(socket)) return
    const before = open.get(socket)
    // The last one of pipelined requests closes the connection.
    if (isEnding && before !== undefined) before.shouldKeepAlive = true
    if (isEnding) response.shouldKeepAlive = false
    use(socket, response)
    response.once("close", () => {
      if (open.get(socket) === response) use(socket, undefined)
    })
  })

  const closed = Effect.callback<void>((resume) => {
    isEnding = true
    for (const response of open.values()) if (response) response.shouldKeepAlive = false
    // The HTTP server would close idle connections, whose bytes may be unread.
    const { close } = server instanceof NetServer ? NetServer.prototype : server
    close.call(server, () => resume(Effect.void))
  })
  const closeQuiet = Effect.gen(function* () {
    const read = new Map(Array.from(open.keys(), (socket) => [socket, socket.bytesRead] as const))
    yield* wait(Duration.toMillis(quiet))
    yield* turn
    for (const [socket, response] of open)
      if (response === undefined && read.get(socket) === socket.bytesRead) socket.destroy()
  })
  const acceptWaiting = Effect.gen(function* () {
    // The system resets connections that come during the last turn.
    for (let idle = 0; idle < 2;) {
      const before = accepted
      yield* turn
      idle = accepted === before ? idle + 1 : 0
    }
  })
  const end = acceptWaiting.pipe(
    Effect.raceFirst(wait(maxAccepting)),
    Effect.andThen(Effect.raceFirst(closed, Effect.forever(closeQuiet))),
    Effect.timeoutOption(total),
    Effect.andThen(
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
    )
  )
  return { end }
}

const maxPipelined = 8

/** Closes a connection that sends further requests while 8 have no response. */
export const limitPipelined = (listener: RequestListener): RequestListener => {
  const unanswered = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const count = (unanswered.get(socket) ?? 0) + 1
    if (count > maxPipelined) return void socket.destroy()
    unanswered.set(socket, count)
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    listener(request, response)
  }
}

/** Returns a third of the file descriptors of the process, at most 2,048. */
export const mostConnections = (
  readLimits = (): string => readFileSync("/proc/self/limits", "utf8")
): number => {
  const text = Result.getOrElse(Result.try(readLimits), () => "")
  const [, descriptors = "Infinity"] = /^Max open files +([0-9]+)/mu.exec(text) ?? []
  return Math.min(2048, Math.floor(Number(descriptors) / 3))
}

/** In milliseconds. */
const maxAccepting = 500

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Waits by Node's timers, because sockets do not follow the clock of a test. */
const wait = (millis: number) =>
  Effect.callback<void>((resume) => {
    // @effect-diagnostics-next-line globalTimersInEffect:off
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** Sends a response, unless other code such as a timeout of the application has sent one. */
export const send = (
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body = ""
): void => {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
}
