/**
 * The port through which a request leaves: one exchange, no retry, no interpretation.
 *
 * **Details**
 *
 * Whoever implements it keeps three promises: a response is read up to `maxBytes` and no further,
 * whatever its headers say; a redirect is handed over as it came, never followed; nothing is
 * decompressed. `NodeTransport` does so on undici; the layer here does so over any Effect
 * `HttpClient`.
 *
 * @since 0.1.0
 */
import { UnexpectedResponse, Unreachable } from "@pawl/core/PaymentsError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Reason from "./internal/Reason.ts"

/**
 * A request, ready to be sent.
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
 * A response, read to its end. Header names are lower case.
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
 * The most bytes of a response that are read: 1 MiB.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxBytes = 1024 * 1024

/**
 * Service that sends one request and reads its response.
 *
 * @category services
 * @since 0.1.0
 */
export class Transport extends Context.Service<
  Transport,
  {
    readonly send: (request: Request) => Effect.Effect<Response, Unreachable | UnexpectedResponse>
  }
>()("@pawl/http/Transport") {}

/**
 * Creates the error for a response with more than `maxBytes` bytes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const tooLarge = (status: number): UnexpectedResponse =>
  new UnexpectedResponse({ status, reason: `it is longer than ${maxBytes} bytes` })

/**
 * Layer that sends requests over any Effect `HttpClient`.
 *
 * **Details**
 *
 * The client's own spans and trace headers are switched off: they would carry the URL to the tracer
 * and the trace to a third party. Fetch is told not to follow redirects. What fetch decompresses is
 * counted as it comes out.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHttpClient: Layer.Layer<Transport, never, HttpClient.HttpClient> =
  // So marked, it leaves a bundle that goes without, and Effect's HttpClient with it: 6.4 of a client's 70 kB.
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
    const chunks: Array<Uint8Array> = []
    let size = 0
    return Stream.runForEach(stream, (chunk) => {
      size += chunk.length
      if (size > maxBytes) return Effect.fail(tooLarge(status))
      chunks.push(chunk)
      return Effect.void
    }).pipe(Effect.map(() => concat(chunks, size)))
  })

const concat = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const toUnreachable = (error: HttpClientError.HttpClientError): Unreachable => {
  const code = Reason.codeOf(error)
  return new Unreachable({
    reason: Reason.describe(code),
    sent: !Reason.isUnmade(code),
    attempts: 1
  })
}
