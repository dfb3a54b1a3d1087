/**
 * The transport on undici, for Node; Bun and Deno run it, too.
 *
 * **Details**
 *
 * Requests are dispatched without interceptors, so that nothing follows a redirect, decompresses or
 * retries behind our back. The agent counts the bytes of a body and cuts the connection at the limit.
 * It speaks HTTP/1.1, where a connection carries one request at a time and it is known whether that
 * one was begun.
 *
 * @since 0.1.0
 */
import { type UnexpectedResponse, Unreachable } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
// By its file: under the name of the package Bun has a stand-in, whose agent dispatches nothing.
import { Agent, type Dispatcher } from "undici/index.js"
import * as Reason from "./internal/Reason.ts"
import { maxBytes, type Request, type Response, tooLarge, Transport } from "./Transport.ts"

/**
 * How long a connection may take to be made, in milliseconds.
 *
 * @category constants
 * @since 0.1.0
 */
export const connectTimeout = 5000

/**
 * Layer that sends requests with undici, over connections of its own that end with its scope.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Transport> = Layer.effect(
  Transport,
  Effect.map(
    Effect.acquireRelease(
      // How long an answer may take is the caller's business, not the agent's.
      Effect.sync(
        () =>
          new Agent({
            allowH2: false,
            connectTimeout,
            headersTimeout: 0,
            bodyTimeout: 0,
            maxResponseSize: maxBytes
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
        onRequestStart(started) {
          controller = started
          if (cancelled) started.abort(new Error("The request was interrupted"))
        },
        onResponseStart(_, statusCode, received) {
          status = statusCode
          headers = joined(received)
        },
        onResponseData(_, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          const [body = empty] = chunks.length > 1 ? [Buffer.concat(chunks)] : chunks
          resume(Effect.succeed({ status, headers, body }))
        },
        onResponseError(_, error) {
          const code = Reason.codeOf(error)
          resume(
            Effect.fail(
              code === "UND_ERR_RES_EXCEEDED_MAX_SIZE"
                ? tooLarge(status)
                : // A request begins when its connection stands: not begun is not sent.
                  new Unreachable({
                    reason: Reason.describe(code),
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

/** The headers as text: those that came several times in one. */
const joined = (
  received: Readonly<Record<string, string | Array<string> | undefined>>
): Response["headers"] => {
  const headers: Record<string, string | undefined> = {}
  for (const name in received) {
    const value = received[name]
    headers[name] = Array.isArray(value) ? value.join(", ") : value
  }
  return headers
}
