/**
 * Forwards transitions to another application over HTTP, signed.
 *
 * **Details**
 *
 * The forwarder is a handler that posts each transition. The application accepts it by a 2xx
 * response within 10 seconds. Any other response, including a redirect, fails the call, which is
 * retried like every call of a handler. A late response fails with a `TimeoutError`, and the next
 * call comes after 30 seconds or more.
 *
 * The headers are those of [Standard Webhooks](https://www.standardwebhooks.com), so its libraries
 * verify them:
 *
 * | header | value |
 * |---|---|
 * | `webhook-id` | `id` of the transition, percent-encoded like `ce-id`, the same in every attempt |
 * | `webhook-timestamp` | time of this attempt, in Unix seconds |
 * | `webhook-signature` | `v1,` and the HMAC-SHA256 in base64 of `{id}.{timestamp}.{body}` |
 *
 * The headers `ce-*` make each post a CloudEvent 1.0 in the binary content mode (see `CloudEvent`).
 *
 * **Gotchas**
 *
 * The signature does not cover the headers `ce-*`: read the body instead.
 *
 * @since 0.1.0
 */
import * as Handler from "@pawl/core/Handler"
import { Hmac } from "@pawl/core/Hmac"
import * as ConnectionFailure from "@pawl/http/internal/wire/ConnectionFailure"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as CloudEvent from "./CloudEvent.ts"
import { headerText } from "./internal/HeaderText.ts"
import { escaped } from "./internal/LogLine.ts"

/**
 * The settings of a forwarder.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends CloudEvent.Options {
  /** The URL that transitions are posted to. */
  readonly url: string
  /**
   * The secret that signs the posts: `whsec_` and the key in base64, or any other text, whose UTF-8
   * encoding is the key. The layer dies if no base64 follows `whsec_`.
   */
  readonly secret: Redacted.Redacted
}

/**
 * Error raised when the application did not accept a transition.
 *
 * @category errors
 * @since 0.1.0
 */
export class ForwardFailed extends Data.TaggedError("ForwardFailed")<{
  /** The HTTP status of the response; undefined without one. */
  readonly status: number | undefined
  /** The reason, with the URL without its query. */
  readonly message: string
}> {}

/**
 * Returns the JSON body of a forwarded transition. The character `|` is escaped: the signed text of
 * each callback has it, so under the merchant secret neither signature verifies the other. So are
 * control characters, line ends and marks of direction, because a terminal may show the body.
 *
 * @category conversions
 * @since 0.1.0
 */
export const bodyOf = (transition: Handler.Transition): string =>
  escaped(
    JSON.stringify(Object.fromEntries(fields.map((name) => [name, transition[name]])))
  ).replaceAll("|", String.raw`\u007c`)

/** The fields of a body, in their order. */
const fields = [
  "id",
  "method",
  "kind",
  "transactionId",
  "from",
  "to",
  "confirmed",
  "conflict",
  "sequence",
  "attempt",
  "requestId",
  "callback",
  "signed"
] as const

/** A secret without `whsec_` is its own key. */
const keyOf = (
  secret: Redacted.Redacted
): Effect.Effect<Redacted.Redacted<string | Uint8Array>> => {
  const text = Redacted.value(secret)
  if (!text.startsWith("whsec_")) return Effect.succeed(secret)
  const key = Result.getOrUndefined(Base64.decode(text.slice("whsec_".length)))
  return key === undefined || key.length === 0
    ? Effect.die(
        new Error("The forward secret cannot be used: after whsec_ give the key in base64")
      )
    : Effect.succeed(Redacted.make(key))
}

const responseTimeout = Duration.seconds(10)
const drainTimeout = Duration.seconds(1)

/** Returns the reason without the message of the platform, which may quote the request. */
const reasonOf = ({ cause }: HttpClientError.HttpClientError): string =>
  ConnectionFailure.describe(ConnectionFailure.codeOf(cause))

/**
 * Layer that forwards transitions over the `HttpClient` in context, which must not follow
 * redirects; `NodeHttpClient.layerUndici` follows none.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = ({
  secret,
  source,
  url
}: Options): Layer.Layer<Handler.Handler, never, HttpClient.HttpClient | Hmac> =>
  Layer.effect(
    Handler.Handler,
    Effect.gen(function* () {
      const sign = (yield* Hmac).keyed(yield* keyOf(secret))
      const client = HttpClient.withScope(yield* HttpClient.HttpClient)
      const target = url.replace(/[?#].*$/su, "").replace(/\/\/[^/]*@/u, "//")
      const noResponse = (reason: string) =>
        new ForwardFailed({ status: undefined, message: `${target} did not answer: ${reason}` })

      const handle = Effect.fn("Forwarder.handle")(
        function* (transition: Handler.Transition) {
          const body = bodyOf(transition)
          const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const id = headerText(transition.id)
          const request = HttpClientRequest.post(url, {
            headers: {
              ...CloudEvent.headersOf(transition, { source }),
              "webhook-id": id,
              "webhook-timestamp": String(timestamp),
              "webhook-signature": `v1,${Base64.encode(sign(`${id}.${timestamp}.${body}`))}`
            },
            body: HttpBody.text(body, "application/json")
          })
          const { status, stream } = yield* Effect.timeout(client.execute(request), responseTimeout)
          // A connection can be reused only after the body was read.
          yield* Effect.ignore(Effect.timeout(Stream.runDrain(stream), drainTimeout))
          if (status < 200 || status >= 300) {
            return yield* new ForwardFailed({ status, message: `${target} answered ${status}` })
          }
        },
        Effect.scoped,
        Effect.catchTags({
          HttpClientError: (error) => noResponse(reasonOf(error)),
          TimeoutError: () =>
            new Cause.TimeoutError(
              `${target} did not answer: no response within ${Duration.format(responseTimeout)}`
            )
        }),
        // Its span would have the query of the URL.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
      )

      return { handle }
    })
  )
