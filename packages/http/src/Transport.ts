/**
 * The port that sends one HTTP request and reads its response, without retries. An implementation reads at
 * most `maxResponseBytes` of a body, follows no redirect and decompresses nothing.
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
 * An HTTP request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  /** HTTP method. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Absolute URL. */
  readonly url: string
  /** Headers to send. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON text, if the request has a body. */
  readonly body: string | undefined
}

/**
 * An HTTP response.
 *
 * @category models
 * @since 0.1.0
 */
export interface Response {
  /** HTTP status. */
  readonly status: number
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The whole body. */
  readonly body: Uint8Array
}

/**
 * Largest body of a response: 1 MiB, in bytes.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxResponseBytes = 1024 * 1024

/**
 * Service that sends one request and returns its response, whatever its status.
 *
 * @category services
 * @since 0.1.0
 */
export class Transport extends Context.Service<
  Transport,
  {
    /**
     * Sends a request. Fails with `Unreachable` when there is no response (`sent` is false only if no byte
     * has left), and with `UnexpectedResponse` when the body is too long. `within` limits the request,
     * `total`, by default the same, the request with its wait in a queue, and `wait`, by default `total`,
     * that wait alone.
     */
    readonly send: (
      request: Request,
      within: Duration.Duration,
      total?: Duration.Duration,
      wait?: Duration.Duration
    ) => Effect.Effect<Response, Unreachable | UnexpectedResponse>
    /**
     * Whether `send` keeps `within` itself, and so knows whether the request was sent by then; false.
     * Otherwise the caller interrupts it, and the request counts as sent.
     */
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
 * Layer that sends requests with a `fetch`, by default that of the runtime. Fetch decompresses, so the
 * limit of a body counts decompressed bytes.
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
