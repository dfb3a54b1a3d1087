/**
 * The port that sends one HTTP request and reads its response, without retries.
 *
 * **Details**
 *
 * An implementation reads at most `maxResponseBytes` of a body, returns a redirect as a response instead of
 * following it, and decompresses nothing. `NodeTransport` is the implementation on undici;
 * `layerFetch` is one over the `fetch` of any runtime.
 *
 * @since 0.1.0
 */
import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
import { UnexpectedResponse, Unreachable } from "@pawl/core/PaymentsError"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ConnectionFailure from "./internal/wire/ConnectionFailure.ts"

/**
 * An HTTP request. `url` is absolute.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/**
 * An HTTP response with its whole body. Header names are in lower case.
 *
 * @category models
 * @since 0.1.0
 */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/**
 * Largest body of a response, in bytes: 1 MiB.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxResponseBytes = 1024 * 1024

/**
 * Service that sends one request and returns its response, whatever its status is.
 *
 * - `send`: fails with `Unreachable` when there is no response, and with `UnexpectedResponse` when the body is
 *   longer than `maxResponseBytes`. `sent` of `Unreachable` is false only if no byte of the request has left.
 *   `within` is the time limit of the request. A transport with a queue may let it wait before that, and
 *   ends both at `total`, by default `within`.
 * - `keepsTime`: whether `send` fails by itself when there is no response `within` the time limit. Only the
 *   transport knows whether the request was sent by then. Without `keepsTime` the caller interrupts `send`
 *   at the time limit, and the request counts as sent.
 *
 * @category services
 * @since 0.1.0
 */
export class Transport extends Context.Service<
  Transport,
  {
    readonly send: (
      request: Request,
      within: Duration.Duration,
      total?: Duration.Duration
    ) => Effect.Effect<Response, Unreachable | UnexpectedResponse>
    readonly keepsTime?: boolean | undefined
  }
>()("@pawl/http/Transport") {}

/**
 * Creates the error for a response that is longer than `maxResponseBytes`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const tooLarge = (status: number): UnexpectedResponse =>
  new UnexpectedResponse({ status, reason: `it is longer than ${maxResponseBytes} bytes` })

/**
 * Layer that sends requests with a `fetch`, by default that of the runtime.
 *
 * **Details**
 *
 * Fetch does not follow redirects here. It decompresses by itself, so the limit counts decompressed bytes.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerFetch = (
  // @effect-diagnostics-next-line globalFetch:off
  fetch: typeof globalThis.fetch = (...args) => globalThis.fetch(...args)
): Layer.Layer<Transport> =>
  Layer.succeed(Transport, {
    send: (request) =>
      Effect.suspend(() => {
        const controller = new AbortController()
        return Effect.ensuring(
          sendBy(fetch, request, controller.signal),
          Effect.sync(() => controller.abort())
        )
      })
  })

const sendBy = Effect.fnUntraced(function* (
  fetch: typeof globalThis.fetch,
  { body, headers, method, url }: Request,
  signal: AbortSignal
) {
  const init = { method, headers, body: body ?? null, redirect: "manual", signal } as const
  const response = yield* step(() => fetch(url, init))
  const { status } = response
  const bytes = new BodyBuffer(maxResponseBytes)
  const reader = response.body?.getReader()
  if (reader !== undefined) {
    for (let read = yield* step(() => reader.read()); !read.done;) {
      if (!bytes.add(read.value)) return yield* Effect.fail(tooLarge(status))
      read = yield* step(() => reader.read())
    }
  }
  return { status, headers: Object.fromEntries(response.headers), body: bytes.bytes }
})

const step = <A>(run: () => Promise<A>): Effect.Effect<A, Unreachable> =>
  Effect.tryPromise({ try: run, catch: toUnreachable })

const toUnreachable = (error: unknown): Unreachable => {
  const code = ConnectionFailure.codeOf(error)
  return new Unreachable({
    reason: ConnectionFailure.describe(code),
    sent: !ConnectionFailure.isBeforeConnection(code),
    attempts: 1
  })
}
