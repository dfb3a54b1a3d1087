import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"

/**
 * Makes a client that hands each request to a function; `undefined` means no response. A failure of
 * the function is 500, and so is an impossible status.
 */
export const client = (
  receive: (incoming: Incoming) => Effect.Effect<number | undefined>
): HttpClient.HttpClient =>
  HttpClient.make((request, url) =>
    Effect.suspend(() => receive(toIncoming(request, url))).pipe(
      // A null body needs no promise, so virtual time stays exact.
      Effect.map((status) => status && new Response(null, { status })),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logError("The receiver failed on a callback", cause),
          new Response(null, { status: 500 })
        )
      ),
      Effect.flatMap((response) =>
        response
          ? Effect.succeed(HttpClientResponse.fromWeb(request, response))
          : Effect.fail(unanswered(request))
      )
    )
  )

const toIncoming = (
  { body, headers, method }: HttpClientRequest.HttpClientRequest,
  { pathname, search }: URL
): Incoming => ({
  method,
  path: pathname,
  search,
  contentType: headers["content-type"],
  contentEncoding: undefined,
  checksum: headers["x-checksum"],
  body: body._tag === "Uint8Array" ? body.body : new Uint8Array()
})

const unanswered = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
