/**
 * The web-standard door: `(Request) => Promise<Response>`, for Hono, workers, Bun, Deno and whatever else
 * speaks it.
 *
 * **Example** (In a worker, or wherever there is a `fetch` handler)
 *
 * ```ts
 * import * as Handler from "@pawl/core/Handler"
 * import * as PortableHmac from "@pawl/core/PortableHmac"
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
 *     Layer.provide(PortableHmac.layer)
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
 * **Details**
 *
 * The body is read as the bytes that came, up to 64 KiB, and never parsed before it was verified; so the
 * handler goes before whatever parses bodies. It answers wherever it is mounted, whatever the path.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Door from "./internal/doors/Door.ts"
import { type StatusCode, Receiver } from "./Receiver.ts"
import { maxBytes } from "./Verifier.ts"

/**
 * A receiver as a function.
 *
 * - `handler` answers one request. The first builds the layer; when that fails, requests are answered 503.
 * - `start` builds it now, and fails as the layer does: what was left undone before is gone on with before
 *   the first callback comes. Not every worker may do that outside a request.
 * - `dispose` ends the receiver.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebReceiver {
  readonly handler: (request: Request) => Promise<Response>
  readonly start: () => Promise<void>
  readonly dispose: () => Promise<void>
}

/**
 * Makes a handler of a receiver's layer.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toHandler = <E>(layer: Layer.Layer<Receiver, E>): WebReceiver => {
  const runtime = ManagedRuntime.make(layer)
  /** Outside of Effect as far as it goes: a promise within it costs as much as the whole receiver. */
  const handler = (request: Request): Promise<Response> => {
    if (request.bodyUsed) {
      runtime.runFork(Effect.logError(Door.alreadyRead))
      return Promise.resolve(new Response(null, { status: 500 }))
    }
    return read(request.body).then((body) => {
      const { promise, resolve } = Promise.withResolvers<Response>()
      const fiber = runtime.runFork(take(request, body))
      fiber.addObserver((exit) => resolve(respond(Exit.isSuccess(exit) ? exit.value : 503)))
      return promise
    })
  }
  return { handler, start: () => runtime.runPromise(Effect.void), dispose: () => runtime.dispose() }
}

const take = ({ headers, method, url }: Request, body: Uint8Array) =>
  Effect.flatMap(Receiver, ({ receive }) =>
    receive({
      method,
      search: Door.searchOf(url),
      contentType: headers.get("content-type") ?? undefined,
      contentEncoding: headers.get("content-encoding") ?? undefined,
      checksum: headers.get("x-checksum") ?? undefined,
      body
    })
  )

const respond = (status: StatusCode): Response =>
  new Response(null, { status, headers: Door.headersOf(status) })

/** Reads no more than one byte over the limit; a body that breaks off is no JSON, and refused as such. */
const read = (body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> => {
  if (body === null) return Promise.resolve(Door.nothing)
  const reader = body.getReader()
  const chunks: Array<Uint8Array> = []
  let length = 0
  const rest = (): Promise<Uint8Array> =>
    reader.read().then(({ done, value }) => {
      if (done) return concat(chunks, length)
      chunks.push(value)
      length += value.length
      return length <= maxBytes ? rest() : reader.cancel().then(() => concat(chunks, maxBytes + 1))
    })
  return rest().catch(() => Door.nothing)
}

const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [first = Door.nothing] = chunks
  if (chunks.length <= 1 && first.length === length) return first
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk.subarray(0, length - at), at)
    at += chunk.length
  }
  return all
}
