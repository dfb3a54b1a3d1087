/**
 * The port that sends one HTTP request and reads its response, without retries.
 *
 * **Details**
 *
 * An implementation reads at most `maxResponseBytes` of a body, returns a redirect as a response instead of
 * following it, and decompresses nothing. `NodeTransport` is the implementation on undici;
 * `layerHttpClient` is one over any Effect `HttpClient`.
 *
 * @since 0.1.0
 */
import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
import { UnexpectedResponse, Unreachable } from "@pawl/core/PaymentsError"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
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
 * Layer that sends requests over any Effect `HttpClient`.
 *
 * **Details**
 *
 * The spans and trace headers of the `HttpClient` are off: the spans would have the URL, and the headers
 * would send the trace to a third party. Fetch does not follow redirects. Fetch decompresses by itself, so
 * there the limit counts decompressed bytes.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHttpClient: Layer.Layer<Transport, never, HttpClient.HttpClient> =
  // PURE lets a bundler drop this layer and Effect's HttpClient where it is not used: 6.4 of 70 kB.
  /* @__PURE__ */ Layer.effect(
    Transport,
    /* @__PURE__ */ Effect.map(HttpClient.HttpClient, (client) =>
      Transport.of({
        send: Effect.fnUntraced(
          function* (request) {
            const response = yield* client.execute(toClientRequest(request))
            const body = yield* readBytes(response.status, response.stream)
            return { status: response.status, headers: response.headers, body }
          },
          Effect.catchTag("HttpClientError", (error) => Effect.fail(toUnreachable(error))),
          Effect.provideService(HttpClient.TracerPropagationEnabled, false),
          Effect.provideService(HttpClient.TracerDisabledWhen, constTrue),
          Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
        )
      })
    )
  )

const toClientRequest = (request: Request): HttpClientRequest.HttpClientRequest => {
  const bare = HttpClientRequest.make(request.method)(request.url, { headers: request.headers })
  return request.body === undefined
    ? bare
    : HttpClientRequest.bodyText(bare, request.body, request.headers["content-type"])
}

const readBytes = <E>(
  status: number,
  stream: Stream.Stream<Uint8Array, E>
): Effect.Effect<Uint8Array, E | UnexpectedResponse> =>
  Effect.suspend(() => {
    const body = new BodyBuffer(maxResponseBytes)
    return Effect.map(
      Stream.runForEach(stream, (chunk) =>
        body.add(chunk) ? Effect.void : Effect.fail(tooLarge(status))
      ),
      () => body.bytes
    )
  })

const toUnreachable = (error: HttpClientError.HttpClientError): Unreachable => {
  const code = ConnectionFailure.codeOf(error)
  return new Unreachable({
    reason: ConnectionFailure.describe(code),
    sent: !ConnectionFailure.isBeforeConnection(code),
    attempts: 1
  })
}
