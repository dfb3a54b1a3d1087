/**
 * Tells another application of every transition, over HTTP: in any language, signed, in order.
 *
 * **Details**
 *
 * A handler that makes one POST of each transition. A 2xx within 10 seconds means told; anything else,
 * a redirect too, fails the call, and the pipeline makes it again as it does for every handler: 1, 2, 4, …
 * seconds later, at most 5 minutes, for 24 hours. So a transition is posted at least once, and one
 * transaction's in rank order, one at a time.
 *
 * | header | value |
 * |---|---|
 * | `X-Pawl-Id` | the transition's `id`, the same in every attempt |
 * | `X-Pawl-Timestamp` | Unix seconds of this attempt |
 * | `X-Pawl-Signature` | `v1=` and the lower-case hex HMAC-SHA256 of `{id}.{timestamp}.{body}` |
 *
 * @since 0.1.0
 */
import * as Handler from "@pawl/core/Handler"
import { Hmac } from "@pawl/core/Hmac"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

/**
 * Where transitions go, and the secret they are signed with.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly url: string
  readonly secret: Redacted.Redacted
}

/**
 * Error raised when an application did not take a transition. Holds nothing of what it answered but the
 * status; undefined when it did not answer. The message names where it was posted to, without the query.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotTaken extends Data.TaggedError("NotTaken")<{
  readonly status: number | undefined
  readonly message: string
}> {}

/**
 * Returns a transition as it is forwarded.
 *
 * @category conversions
 * @since 0.1.0
 */
export const bodyOf = (transition: Handler.Transition): string => {
  const { attempt, callback, confirmed, conflict, from, id, kind, method, signed, to } = transition
  const { transactionId } = transition
  return JSON.stringify({
    id,
    method,
    kind,
    transactionId,
    from,
    to,
    confirmed,
    conflict,
    attempt,
    callback,
    signed
  })
}

const patience = Duration.seconds(10)
const leisure = Duration.seconds(1)

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "unknown host",
  UND_ERR_SOCKET: "connection closed"
}

/** Says why there was no answer; the platform's own words may quote what was sent. */
const reasonOf = ({ cause }: HttpClientError.HttpClientError): string =>
  (Predicate.hasProperty(cause, "code") && reasons[String(cause.code)]) || "connection failed"

/**
 * Layer that forwards transitions over the `HttpClient` there is, which must not follow redirects:
 * `NodeHttpClient.layerUndici` does not.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = ({
  secret,
  url
}: Options): Layer.Layer<Handler.Handler, never, HttpClient.HttpClient | Hmac> =>
  Layer.effect(
    Handler.Handler,
    Effect.gen(function* () {
      const sign = (yield* Hmac).keyed(secret)
      const client = HttpClient.withScope(yield* HttpClient.HttpClient)
      const place = url.replace(/[?#].*$/su, "").replace(/\/\/[^/]*@/u, "//")
      const unanswered = (reason: string) =>
        new NotTaken({ status: undefined, message: `${place} did not answer: ${reason}` })

      const handle = Effect.fn("Forwarder.handle")(
        function* (transition: Handler.Transition) {
          const body = bodyOf(transition)
          const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const request = HttpClientRequest.post(url, {
            headers: {
              "x-pawl-id": transition.id,
              "x-pawl-timestamp": String(timestamp),
              "x-pawl-signature": `v1=${Hex.encode(sign(`${transition.id}.${timestamp}.${body}`))}`
            },
            body: HttpBody.text(body, "application/json")
          })
          const { status, stream } = yield* client.execute(request)
          // What it says besides is of no use, but an answer read to its end leaves the connection free.
          yield* Effect.ignore(Effect.timeout(Stream.runDrain(stream), leisure))
          if (status < 200 || status >= 300) {
            return yield* new NotTaken({ status, message: `${place} answered ${status}` })
          }
        },
        Effect.timeout(patience),
        Effect.scoped,
        Effect.catchTags({
          HttpClientError: (error) => unanswered(reasonOf(error)),
          TimeoutError: () => unanswered(`nothing came for ${Duration.format(patience)}`)
        }),
        Effect.provideService(HttpClient.TracerPropagationEnabled, false)
      )

      return { handle }
    })
  )
