/**
 * Receiver as a listener of `node:http`, for Node's own server and Express.
 *
 * **Details**
 *
 * The checksum covers the bytes as received, so the listener reads the body itself, at most 64 KiB.
 * In Express, put `app.all("/callback", listener)` before `express.json()`, or after a parser that
 * keeps the bytes: `express.raw()`, or one that sets `rawBody`, as Nest does with `rawBody: true`.
 * Open bodies share 32 MiB; beyond that, the oldest one is answered 503.
 *
 * **Example** (On Node's own server)
 *
 * ```ts
 * import * as Handler from "@pawl/core/Handler"
 * import * as NodeHmac from "@pawl/core/NodeHmac"
 * import { StatusReader } from "@pawl/core/StatusReader"
 * import * as Ledger from "@pawl/webhook/Ledger"
 * import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
 * import * as Receiver from "@pawl/webhook/Receiver"
 * import * as Verifier from "@pawl/webhook/Verifier"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Redacted from "effect/Redacted"
 *
 * const { dispose, listener, start } = NodeReceiver.toListener(
 *   Receiver.layer().pipe(
 *     Layer.provide([
 *       Handler.layer(({ to, transactionId }) => Effect.log(`${transactionId} is ${to}`)),
 *       Ledger.layerMemory,
 *       Layer.succeed(StatusReader, {
 *         read: () => Effect.succeed({ kind: "card-payment", status: "SUCCEED" })
 *       }),
 *       Verifier.layer({ current: Redacted.make("merchant-secret") })
 *     ]),
 *     Layer.provide(NodeHmac.layer)
 *   )
 * )
 * await start()
 * const server = NodeReceiver.createServer(listener)
 * server.close()
 * await dispose()
 * ```
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import {
  createServer as createNodeServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse
} from "node:http"
import * as Door from "./internal/doors/Door.ts"
import * as NodeConnections from "./internal/doors/NodeConnections.ts"
import { Journal } from "./Journal.ts"
import { type StatusCode, Receiver } from "./Receiver.ts"
import { maxBytes } from "./Verifier.ts"

/**
 * A receiver as a request listener of `node:http`.
 *
 * @category models
 * @since 0.1.0
 */
export interface NodeReceiver {
  /**
   * Responds to one request. The first request builds the layer. If that fails, the response is 503
   * and a request a second later builds it again.
   */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void
  /**
   * Builds the layer now, so due rows are worked on before the first callback. Rejects if the
   * layer fails.
   */
  readonly start: () => Promise<void>
  /** Ends the receiver. Close the server first. */
  readonly dispose: () => Promise<void>
}

/**
 * Makes a listener from the layer of a receiver.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toListener = <E>(layer: Layer.Layer<Receiver, E>): NodeReceiver => {
  const { dispose, run, start } = Door.make(layer)
  return { listener: listenerOf(run), start, dispose }
}

/**
 * Returns the listener of the `Receiver` in context.
 *
 * @category constructors
 * @since 0.1.0
 */
export const listener: Effect.Effect<RequestListener, never, Receiver> = Effect.map(
  Effect.context<Receiver>(),
  (context) => listenerOf(Effect.runForkWith(context))
)

/**
 * Time limits for a server: 10 seconds for the headers of a request and 15 seconds for all of it,
 * where Node's defaults are minutes, and 75 seconds for an idle connection, where it is 5 seconds.
 *
 * **Details**
 *
 * A proxy that reuses a connection while the server closes it answers the callback with 502. So the
 * server keeps an idle connection for longer than nginx and load balancers, which close it after 60
 * seconds.
 *
 * @category constants
 * @since 0.1.0
 */
export const limits: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1000
}

/**
 * Error raised when a server cannot listen on its port.
 *
 * @category errors
 * @since 0.1.0
 */
export class CannotListen extends Data.TaggedError("CannotListen")<{
  /** The address to listen on. */
  readonly host: string
  /** The port to listen on. */
  readonly port: number
  /** The reason: an error code of Node such as `EADDRINUSE`, or words. */
  readonly code: string
}> {
  override get message() {
    return `Cannot listen on port ${this.port} of ${this.host}: ${remedies[this.code] ?? this.code}`
  }
}

const noAddress = "this machine has no such address; choose one that it has, such as 127.0.0.1"

const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process uses it; stop that process, or choose another port",
  EACCES: "this user may not use it; choose a port above 1023",
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress
}

/** The connections that wait to be accepted; the system drops further ones. */
const maxPending = 4096
const drain = { quiet: "100 millis", total: "4 seconds" } as const
const full = "a port has too many connections: those without a request are closed"

/**
 * Makes a `node:http` server with the limits of `listen`, for a program that closes it itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const createServer = (listener?: RequestListener): Server =>
  limited(listener, () => void Effect.runFork(Effect.logWarning(full))).server

const limited = (listener: RequestListener | undefined, onFull: () => void) => {
  const server = createNodeServer(limits, listener && NodeConnections.limitPipelined(listener))
  const max = NodeConnections.mostConnections()
  return { server, ...NodeConnections.limit(server, { ...drain, max, onFull }) }
}

/**
 * Listens until the scope ends, with `limits`, and returns the port.
 *
 * **Details**
 *
 * A third of the process's file descriptors, at most 2,048, may be connections. One more closes the
 * longest idle connection and raises an alarm.
 *
 * At the end of the scope, sent requests are answered with `Connection: close`, connections that
 * are silent for 100 milliseconds are closed, and after 4 seconds all are.
 *
 * @category constructors
 * @since 0.1.0
 */
export const listen = (
  listener: RequestListener,
  options: { readonly host: string; readonly port: number }
): Effect.Effect<number, CannotListen, Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* Effect.serviceOption(Journal)
    const report = Option.isSome(journal) ? journal.value.raiseAlarm(full) : Effect.logWarning(full)
    const run = Effect.runForkWith(yield* Effect.context())
    const { end, server } = limited(listener, () => void run(report))
    const { host, port } = options
    const listening = NodeConnections.listen(server, { host, port, backlog: maxPending })
    const bound = yield* Effect.acquireRelease(listening, () => end).pipe(
      Effect.mapError((code) => new CannotListen({ host, port, code }))
    )
    return bound.port
  })

/** A body over the limit is read up to this size, so that its sender reads the response. */
const maxDrainedBytes = 4 * maxBytes

type Mounted = IncomingMessage & { readonly originalUrl?: string }

const listenerOf = (run: Door.Run): RequestListener => {
  const openBody = Door.makeBodies()

  return NodeConnections.limitPipelined((request, response) => {
    // Express takes the path of a mount away from `url`.
    const { headers, method = "", url = "", originalUrl = url } = request as Mounted

    const finish = (bytes: Uint8Array, release?: () => void): void => {
      const fiber = run(
        Effect.flatMap(Receiver, ({ receive }) =>
          receive({
            method,
            path: Door.pathOf(originalUrl),
            search: Door.searchOf(url),
            contentType: headers["content-type"],
            contentEncoding: headers["content-encoding"],
            checksum: textOf(headers["x-checksum"]),
            body: bytes
          })
        )
      )
      fiber.addObserver((exit) => {
        release?.()
        respond(response, Door.statusOf(exit, run))
      })
    }
    if (method !== "POST") return finish(Door.emptyBody)
    const raw = rawBodyOf(request)
    if (raw !== undefined) return finish(raw)
    // An empty body that was read has ended without a chunk.
    if (request.readableDidRead || request.readableEnded) {
      run(Effect.logError(Door.bodyAlreadyRead))
      return NodeConnections.send(response, 500, {})
    }
    // Its client has gone, and no event would end its body.
    if (request.destroyed) return

    let isStopped = false
    const stop = () => {
      isStopped = true
      // Node closes the connection after the response.
      response.shouldKeepAlive = false
      if (length > maxBytes) request.pause()
    }
    let length = 0
    const body = openBody(() => {
      stop()
      run(Door.countGivenUp)
      respond(response, 503)
    })
    response.once("close", () => {
      isStopped = true
      body.abandon()
    })
    let isTaken = true
    request.on("data", (chunk: Uint8Array) => {
      if (isStopped) return
      length += chunk.length
      isTaken &&= body.add(chunk)
      if (isTaken || isStopped || (length > maxBytes && length <= maxDrainedBytes)) return
      stop()
      finish(Door.tooLargeBody)
    })
    request.on("end", () => {
      if (isStopped) return
      if (isTaken) finish(body.complete(), body.release)
      else finish(Door.tooLargeBody)
    })
  })
}

const rawBodyOf = (request: IncomingMessage): Uint8Array | undefined => {
  const { body, rawBody = body } = request as {
    readonly body?: unknown
    readonly rawBody?: unknown
  }
  return rawBody instanceof Uint8Array ? rawBody : undefined
}

const textOf = (value: string | Array<string> | undefined): string | undefined =>
  Array.isArray(value) ? value.join(", ") : value

const respond = (response: ServerResponse, status: StatusCode): void =>
  NodeConnections.send(response, status, Door.responseHeaders(status))
