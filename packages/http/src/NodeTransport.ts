/**
 * The transport on undici, for Node, Bun and Deno. It follows no redirect, decompresses nothing and speaks
 * HTTP/1.1.
 *
 * **Details**
 *
 * Requests beyond `connections` wait in order, until the deadline of their call or its `sendWithin`. The
 * time limit of an attempt begins after that wait. A body longer than `maxResponseBytes` closes its connection.
 *
 * With `HTTPS_PROXY` requests to an https base URL go through that proxy, except to the hosts in
 * `NO_PROXY`. The layer refuses a value that is not a URL. A `dispatcher` replaces agent and proxy, for
 * another certificate authority or a client certificate.
 *
 * @since 0.1.0
 */
import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
import { type UnexpectedResponse, Unreachable } from "@pawl/core/PaymentsError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
// Imported by file name: Bun replaces the package "undici" by its own, whose agent cannot dispatch.
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici/index.js"
import * as Settings from "./internal/config/Settings.ts"
import * as ConnectionFailure from "./internal/wire/ConnectionFailure.ts"
import * as Slots from "./internal/wire/Slots.ts"
import { defaultConnections, InvalidConfig } from "./PawlConfig.ts"
import { maxResponseBytes, type Request, type Response, tooLarge, Transport } from "./Transport.ts"

/**
 * Time limit for opening a connection, in milliseconds.
 *
 * @category constants
 * @since 0.1.0
 */
export const connectTimeout = 5000

/**
 * Options of the transport.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Most requests in progress, each with its own connection; 256. */
  readonly connections?: number | undefined
  /**
   * Sends the requests in place of the layer's agent. It must be of undici 7 or newer, without
   * interceptors that redirect, retry or decompress. The layer does not close it.
   */
  readonly dispatcher?: Pick<Dispatcher, "dispatch"> | undefined
}

/**
 * Layer that sends requests with undici, with options.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWith = (options: Options): Layer.Layer<Transport, InvalidConfig> =>
  Layer.effect(
    Transport,
    Effect.gen(function* () {
      const connections = yield* Settings.count(options.connections ?? defaultConnections).pipe(
        Result.mapError((advice) => new InvalidConfig({ setting: "connections", advice })),
        Effect.fromResult
      )
      const dispatcher = options.dispatcher ?? (yield* makeAgent(connections))
      const slots = Slots.make(connections)
      return Transport.of({
        keepsTime: true,
        send: (request, within, total = within, wait = total) =>
          send(dispatcher, slots, request, { within, total, wait })
      })
    })
  )

/**
 * Layer that sends requests with undici.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Transport, InvalidConfig> = /* @__PURE__ */ layerWith({})

const makeAgent = (
  connections: number
): Effect.Effect<Agent | EnvHttpProxyAgent, InvalidConfig, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      // Each request has its own time limits for the response.
      const options = { allowH2: false, connections, connectTimeout }
      const { env } = process
      const variable = env["https_proxy"] === undefined ? "HTTPS_PROXY" : "https_proxy"
      if (!env[variable]) return Effect.sync(() => new Agent(options))
      return Effect.try({
        // An http base URL is a loopback host, which needs no proxy.
        try: () => new EnvHttpProxyAgent({ ...options, httpProxy: "", clientFactory }),
        // The error of undici has the URL, and so the password of the proxy.
        catch: () => new InvalidConfig({ setting: variable, advice: proxyAdvice })
      })
    }),
    (agent) => Effect.promise(() => agent.destroy())
  )

/** A proxy that opens no tunnel would hold a connection for 5 minutes, the time limit of undici. */
const clientFactory = (proxy: URL, options: object): Pool =>
  new Pool(proxy, { ...options, headersTimeout: connectTimeout })

const proxyAdvice = "give a URL such as http://proxy.example:3128"

const send = (
  dispatcher: Pick<Dispatcher, "dispatch">,
  slots: Slots.Slots,
  request: Request,
  limits: Readonly<Record<"within" | "total" | "wait", Duration.Duration>>
): Effect.Effect<Response, Unreachable | UnexpectedResponse> =>
  Effect.callback((resume) => {
    const [, origin = "", path] = /^(https?:\/\/[^/?#]*)([^#]*)/u.exec(request.url) ?? []
    const body = new BodyBuffer(maxResponseBytes)
    let controller: Dispatcher.DispatchController | undefined
    let status = 0
    let headers: Response["headers"] = {}
    let hasStarted = false
    let hasEnded = false
    const timers: Array<NodeJS.Timeout> = []

    const clearTimers = () => {
      for (const timer of timers) clearTimeout(timer)
    }
    const end = (result: Effect.Effect<Response, Unreachable | UnexpectedResponse>) => {
      hasEnded = true
      clearTimers()
      resume(result)
    }
    // A request begins after its connection is open. If it has not begun, nothing was sent.
    const fail = (reason: string) =>
      end(Effect.fail(new Unreachable({ reason, sent: controller !== undefined, attempts: 1 })))
    /** Leaves the queue, or closes the connection. */
    const stop = () => {
      hasEnded = true
      if (!slots.cancel(start)) controller?.abort(stopped)
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(requestController) {
        if (hasEnded) return requestController.abort(stopped)
        controller = requestController
      },
      onResponseStart(_, statusCode, received) {
        status = statusCode
        headers = joinHeaders(received)
      },
      onResponseData(_, chunk) {
        if (hasEnded || body.add(chunk)) return
        end(Effect.fail(tooLarge(status)))
        controller?.abort(stopped)
      },
      onResponseEnd() {
        if (!hasEnded) end(Effect.succeed({ status, headers, body: body.bytes }))
        slots.release()
      },
      onResponseError(_, error) {
        // A request that begins before undici has emptied its queue ends the process.
        queueMicrotask(() => {
          if (!hasEnded) fail(ConnectionFailure.describe(ConnectionFailure.codeOf(error)))
          slots.release()
        })
      }
    }
    const start = () => {
      hasStarted = true
      clearTimeout(timers[0])
      timers.push(startTimer(limits.within, onTimeout))
      const dispatched = Result.try(() =>
        dispatcher.dispatch(
          {
            origin,
            path: path || "/",
            method: request.method,
            headers: request.headers,
            body: request.body ?? null,
            headersTimeout: 0,
            bodyTimeout: 0
          },
          handler
        )
      )
      // An agent reports a wrong request to the handler. Another dispatcher may throw.
      if (Result.isFailure(dispatched)) handler.onResponseError?.(controller as never, new Error())
    }

    const onTimeout = () => {
      const waited = hasStarted ? "no connection" : "no free connection"
      const reason = controller === undefined ? `${waited} in time` : "no response in time"
      stop()
      fail(reason)
    }
    slots.take(start)
    // The wait in the queue counts for the call only. A request that has begun in time is awaited.
    if (!hasStarted) {
      timers.push(startTimer(limits.wait, onTimeout), startTimer(limits.total, onTimeout))
    }
    return Effect.sync(() => {
      clearTimers()
      stop()
    })
  })

/** Starts a timer of Node: `Effect.sleep` would cost each request a fiber and a race. */
const startTimer = (within: Duration.Duration, onEnd: () => void): NodeJS.Timeout =>
  // @effect-diagnostics-next-line globalTimers:off
  setTimeout(onEnd, Math.min(Duration.toMillis(within), longestTimer))

const stopped = new Error("The request was interrupted")

/** The longest timer of Node in milliseconds; a longer one ends at once. */
const longestTimer = 2 ** 31 - 1

/** Joins repeated headers with commas, in place: the object belongs to one response. */
const joinHeaders = (
  headers: Record<string, string | Array<string> | undefined>
): Response["headers"] => {
  for (const name in headers) {
    const value = headers[name]
    if (Array.isArray(value)) headers[name] = value.join(", ")
  }
  return headers as Record<string, string | undefined>
}
