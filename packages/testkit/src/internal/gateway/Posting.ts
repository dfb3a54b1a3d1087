/**
 * Posts one callback once, as the service does (`spec.md`, "Events").
 */
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Callback } from "../../Courier.ts"
import { GatewayConfig } from "../../GatewayConfig.ts"
import { VirtualClock } from "../../VirtualClock.ts"
import { isLoopback } from "@pawl/core/Loopback"

/** What came of a try: the HTTP status that came back, or why none did. */
export type Answer = number | "timeout" | "unreachable" | "refused"

/** The time a receiver has to answer. */
export const answerTimeout = Duration.seconds(10)

/** Returns a callback URL with the routing parameters appended; its own query is kept as it is. */
export const address = (
  callbackUrl: string,
  parameters: Readonly<Record<string, string>>
): string => {
  const [url = ""] = callbackUrl.split("#")
  const query = Object.entries(parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`
  )
  return `${url}${url.includes("?") ? "&" : "?"}${query.join("&")}`
}

/**
 * Makes the function that posts a callback.
 *
 * **Details**
 *
 * An answer counts when it has come to its end; what it says is thrown away. What is no URL, or not an
 * allowed one, is refused before anything is sent.
 */
export const make = Effect.fnUntraced(function* (
  isAllowed: (url: URL) => boolean
): Effect.fn.Return<
  (callback: Callback) => Effect.Effect<Answer>,
  never,
  GatewayConfig | HttpClient.HttpClient | Hmac
> {
  const { merchantSecret } = yield* GatewayConfig
  const sign = (yield* Hmac).keyed(merchantSecret)
  const client = yield* HttpClient.HttpClient
  // A receiver takes its time in the real world, however the clock is moved.
  const clock = yield* Effect.serviceOption(VirtualClock)
  const outside = <A>(posting: Effect.Effect<A>): Effect.Effect<A> =>
    Option.isSome(clock) ? clock.value.outside(posting) : posting
  return Effect.fnUntraced(
    function* ({ body, signed, status, url }) {
      const target = Result.try(() => new URL(url))
      if (Result.isFailure(target) || !isAllowed(target.success)) return "refused"
      const request = HttpClientRequest.post(target.success.href, {
        headers: { "x-checksum": Checksum.callback(sign, signed) },
        body: HttpBody.text(
          JSON.stringify({ ...body, transactionStatus: status }),
          "application/json"
        )
      })
      return yield* client.execute(request).pipe(
        Effect.tap((response) => Effect.ignore(Stream.runDrain(response.stream))),
        Effect.map((response): Answer => response.status),
        Effect.catchTag("HttpClientError", () => Effect.succeed("unreachable" as const)),
        Effect.timeoutOrElse({
          duration: answerTimeout,
          orElse: () => Effect.succeed("timeout" as const)
        })
      )
    },
    Effect.provideService(HttpClient.TracerPropagationEnabled, false),
    outside
  )
})

/** Tells whether a URL is on this machine, and carries no credentials. */
export const isHere = (url: URL): boolean =>
  isLoopback(url.hostname) && url.username === "" && url.password === ""
