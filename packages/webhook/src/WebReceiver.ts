/**
 * Receiver as a web-standard handler, `(Request) => Promise<Response>`: for Hono, Bun, Deno and
 * others.
 *
 * **Details**
 *
 * The checksum covers the bytes as received, so the handler reads the body itself, at most 64 KiB.
 * Put it before body parsers. It ignores the path of the request.
 *
 * **Gotchas**
 *
 * Cloudflare Workers end background work with its request: callbacks are accepted, but the handler
 * is not called. Use `DurableObject` there, or `verifyWith` with a queue of the platform.
 *
 * **Example** (A web-standard handler)
 *
 * ```ts
 * import * as Handler from "@pawl/core/Handler"
 * import * as Hmac from "@pawl/core/Hmac"
 * import { StatusReader } from "@pawl/core/StatusReader"
 * import * as Ledger from "@pawl/webhook/Ledger"
 * import * as Receiver from "@pawl/webhook/Receiver"
 * import * as Verifier from "@pawl/webhook/Verifier"
 * import * as WebReceiver from "@pawl/webhook/WebReceiver"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Redacted from "effect/Redacted"
 *
 * const { dispose, handler } = WebReceiver.toHandler(
 *   Receiver.layer().pipe(
 *     Layer.provide([
 *       Handler.layer(({ to, transactionId }) => Effect.log(`${transactionId} is ${to}`)),
 *       Ledger.layerMemory,
 *       Layer.succeed(StatusReader, {
 *         read: () => Effect.succeed({ kind: "card-payment", status: "SUCCEED" })
 *       }),
 *       Verifier.layer({ current: Redacted.make("merchant-secret") })
 *     ]),
 *     Layer.provide(Hmac.layer)
 *   )
 * )
 *
 * export default { fetch: handler }
 *
 * const response = await handler(new Request("https://shop.example/callback", { method: "GET" }))
 * response.status // => 405
 * await dispose()
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Door from "./internal/doors/Door.ts"
import { type StatusCode, Receiver } from "./Receiver.ts"

type OpenBody = ReturnType<typeof Door.makeBodies>

/**
 * A receiver as a web-standard handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebReceiver {
  /**
   * Responds to one request. The first request builds the layer. If that fails, the response is 503
   * and a request a second later builds it again.
   */
  readonly handler: (request: Request) => Promise<Response>
  /**
   * Builds the layer now, so due rows are worked on before the first callback. Rejects if the
   * layer fails. Some platforms forbid this outside a request.
   */
  readonly start: () => Promise<void>
  /** Ends the receiver. */
  readonly dispose: () => Promise<void>
}

/**
 * Makes a handler from the layer of a receiver.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toHandler = <E>(layer: Layer.Layer<Receiver, E>): WebReceiver => {
  const { dispose, run, start } = Door.make(layer)
  const openBody = Door.makeBodies()
  const handler = (request: Request): Promise<Response> => {
    if (request.bodyUsed || request.body?.locked === true) {
      run(Effect.logError(Door.bodyAlreadyRead))
      return Promise.resolve(new Response(null, { status: 500 }))
    }
    const respondTo = (body: Uint8Array, release?: () => void): Promise<Response> => {
      const { promise, resolve } = Promise.withResolvers<Response>()
      const fiber = run(receive(request, body))
      fiber.addObserver((exit) => {
        release?.()
        resolve(respond(Door.statusOf(exit, run)))
      })
      return promise
    }
    if (request.body === null) return respondTo(Door.emptyBody)
    return readBody(openBody, request.body).then(({ bytes, release }) => {
      if (bytes !== undefined) return respondTo(bytes, release)
      run(Door.countGivenUp)
      return respond(503)
    })
  }
  return { handler, start, dispose }
}

const receive = ({ headers, method, url }: Request, body: Uint8Array) =>
  Effect.flatMap(Receiver, ({ receive }) =>
    receive({
      method,
      path: Door.pathOf(url),
      search: Door.searchOf(url),
      contentType: headers.get("content-type") ?? undefined,
      contentEncoding: headers.get("content-encoding") ?? undefined,
      checksum: headers.get("x-checksum") ?? undefined,
      body
    })
  )

const respond = (status: StatusCode): Response =>
  new Response(null, { status, headers: Door.responseHeaders(status) })

/**
 * Reads a body; it is empty if it ends early, and undefined if it is given up. A chain of promises
 * would keep every chunk.
 */
const readBody = (
  open: OpenBody,
  stream: ReadableStream<Uint8Array>
): Promise<{ readonly bytes: Uint8Array | undefined; readonly release: () => void }> => {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>()
  const reader = stream.getReader()
  const stop = (bytes: Uint8Array | undefined) => {
    resolve(bytes)
    reader.cancel().catch(() => undefined)
  }
  const body = open(() => stop(undefined))
  const take = ({ done, value }: ReadableStreamReadResult<Uint8Array>): undefined => {
    if (done) resolve(body.complete())
    else if (body.add(value)) readNext()
    else stop(Door.tooLargeBody)
  }
  const readNext = (): void => {
    reader.read().then(take, () => resolve(Door.emptyBody))
  }
  readNext()
  return promise.then((bytes) => ({ bytes, release: body.release }))
}
