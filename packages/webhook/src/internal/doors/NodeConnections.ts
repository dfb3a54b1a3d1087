/**
 * Limits the connections of a server, and ends them without a reset.
 *
 * **Details**
 *
 * A new connection beyond the limit closes the one that has been idle for the longest time, so that connections
 * without a request do not keep callbacks out. A connection is idle until a whole request has arrived, and again after
 * its response. Only if no connection is idle, the new one is closed.
 *
 * At the end of a server, bytes that were sent to it may still wait in the system. Closing their connection would reset
 * them. So the server first accepts the connections that wait, and each response then says `Connection: close`. A
 * connection without a request is closed when nothing has come on it for a time.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import type { Server, ServerResponse, OutgoingHttpHeaders } from "node:http"
import { Server as NetServer, type Socket } from "node:net"

/**
 * The limits of a server.
 *
 * - `max`: the most connections.
 * - `onFull`: runs when a connection has to be closed for a new one, and again after half of the connections were closed.
 * - `quiet`: at the end, how long a connection without a request stays open while nothing comes on it.
 * - `total`: when all connections are closed, also those with a request.
 */
export interface Limits {
  readonly max: number
  readonly onFull?: (() => void) | undefined
  readonly quiet: Duration.Input
  readonly total: Duration.Input
}

/** Limits the connections of a server. `end` ends the server. */
export const limit = (
  server: Server,
  { max, onFull, quiet, total }: Limits
): { readonly end: Effect.Effect<void> } => {
  /** The response of the newest request of each connection, while it is open. The connection that was used last is the last. */
  const open = new Map<Socket, ServerResponse | undefined>()
  let isEnding = false
  let accepted = 0
  const use = (socket: Socket, response: ServerResponse | undefined) => {
    open.delete(socket)
    open.set(socket, response)
  }
  const closeIdle = (): boolean => {
    for (const [socket, response] of open) {
      if (response?.req.complete === true) continue
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
  // The listener of the server may send its headers at once.
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
    // The method of the HTTP server would close idle connections, whose bytes may not have been read. The server of Bun is no NetServer.
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
    // A turn of the event loop need not accept all that wait. The system resets those that come during the last turn.
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

/**
 * Returns the most connections of a server: a third of the file descriptors of the process, at most 2,048. The other thirds are for
 * another server, and for the store and the requests of the process.
 */
export const mostConnections = (): number => {
  const text = Result.try(() => readFileSync("/proc/self/limits", "utf8"))
  const [, descriptors] = /^Max open files +([0-9]+)/mu.exec(Result.getOrElse(text, () => "")) ?? []
  return Math.min(2048, Math.floor(Number(descriptors ?? Infinity) / 3))
}

/** The longest time in which waiting connections are accepted, in milliseconds: under load a turn without a new one may not come. */
const maxAccepting = 500

/** Lets the event loop read what has come. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Waits by the timers of Node: sockets do not follow the clock of a test. */
const wait = (millis: number) =>
  Effect.callback<void>((resume) => {
    // @effect-diagnostics-next-line globalTimersInEffect:off
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

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
