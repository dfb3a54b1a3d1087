/**
 * A network without a network: posts that arrive in the same process.
 */
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"

/** Makes a client whose posts a function takes; undefined is no answer. */
export const client = (
  receive: (incoming: Incoming) => Effect.Effect<number | undefined>
): HttpClient.HttpClient =>
  HttpClient.make((request, url) =>
    Effect.flatMap(receive(toIncoming(request, url)), (status) =>
      status === undefined
        ? Effect.fail(unanswered(request))
        : // A body that is null costs no promise, so virtual time stays exact.
          Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status })))
    )
  )

const toIncoming = (
  { body, headers, method }: HttpClientRequest.HttpClientRequest,
  { search }: URL
): Incoming => ({
  method,
  search,
  contentType: headers["content-type"],
  contentEncoding: undefined,
  checksum: headers["x-checksum"],
  body: body._tag === "Uint8Array" ? body.body : new Uint8Array()
})

const unanswered = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
