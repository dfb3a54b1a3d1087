/**
 * The transport on undici, for Node, Bun and Deno.
 *
 * **Details**
 *
 * The undici agent has no interceptors, so it follows no redirect, decompresses nothing and retries
 * nothing. It closes the connection when a body is longer than `maxResponseBytes`. It uses HTTP/1.1 only:
 * there a connection has one request at a time, and undici reports whether that request has begun.
 *
 * @since 0.1.0
 */
import { type UnexpectedResponse, Unreachable } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
// Imported by file name: Bun replaces the package "undici" with its own, whose agent cannot dispatch.
import { Agent, type Dispatcher } from "undici/index.js"
import * as ConnectionFailure from "./internal/ConnectionFailure.ts"
import { maxResponseBytes, type Request, type Response, tooLarge, Transport } from "./Transport.ts"

/**
 * Time limit for opening a connection, in milliseconds.
 *
 * @category constants
 * @since 0.1.0
 */
export const connectTimeout = 5000

/**
 * Layer that sends requests with undici, over its own connections. They close with its scope.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Transport> = Layer.effect(
  Transport,
  Effect.map(
    Effect.acquireRelease(
      // No timeouts for a response here: the attempt has one.
      Effect.sync(
        () =>
          new Agent({
            allowH2: false,
            connectTimeout,
            headersTimeout: 0,
            bodyTimeout: 0,
            maxResponseSize: maxResponseBytes
          })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    (agent) => Transport.of({ send: (request) => send(agent, request) })
  )
)

const send = (
  agent: Agent,
  request: Request
): Effect.Effect<Response, Unreachable | UnexpectedResponse> =>
  Effect.callback((resume) => {
    const [, origin = "", path] = /^(https?:\/\/[^/?#]*)([^#]*)/u.exec(request.url) ?? []
    const chunks: Array<Uint8Array> = []
    let controller: Dispatcher.DispatchController | undefined
    let cancelled = false
    let status = 0
    let headers: Response["headers"] = {}
    agent.dispatch(
      {
        origin,
        path: path || "/",
        method: request.method,
        headers: request.headers,
        body: request.body ?? null
      },
      {
        onRequestStart(requestController) {
          controller = requestController
          if (cancelled) requestController.abort(new Error("The request was interrupted"))
        },
        onResponseStart(_, statusCode, received) {
          status = statusCode
          headers = joinHeaders(received)
        },
        onResponseData(_, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          const [body = empty] = chunks.length > 1 ? [Buffer.concat(chunks)] : chunks
          resume(Effect.succeed({ status, headers, body }))
        },
        onResponseError(_, error) {
          const code = ConnectionFailure.codeOf(error)
          resume(
            Effect.fail(
              code === "UND_ERR_RES_EXCEEDED_MAX_SIZE"
                ? tooLarge(status)
                : // A request begins after its connection is open. If it has not begun, nothing was sent.
                  new Unreachable({
                    reason: ConnectionFailure.describe(code),
                    sent: controller !== undefined,
                    attempts: 1
                  })
            )
          )
        }
      }
    )
    return Effect.sync(() => {
      cancelled = true
      controller?.abort(new Error("The request was interrupted"))
    })
  })

const empty = new Uint8Array()

/** Joins headers that came several times with commas. */
const joinHeaders = (
  received: Readonly<Record<string, string | Array<string> | undefined>>
): Response["headers"] => {
  const headers: Record<string, string | undefined> = {}
  for (const name in received) {
    const value = received[name]
    headers[name] = Array.isArray(value) ? value.join(", ") : value
  }
  return headers
}
