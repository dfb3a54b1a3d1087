/**
 * One POST of one callback, as the service makes it (`spec.md`, "Events").
 */
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import { isLoopback } from "@pawl/core/internal/Loopback"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { GatewayConfig } from "../GatewayConfig.ts"
import type { Message } from "../../Courier.ts"
import { VirtualClock } from "../../VirtualClock.ts"

type CallbackRequest = Omit<Message, "transactionId"> & { readonly status: Status }

/** The HTTP status of the response, or the reason there is none. */
export type DeliveryResult = number | "timeout" | "unreachable" | "refused"

/** Appends the routing parameters to a callback URL, without its fragment. */
export const withRouting = (
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
 * Makes the function that posts one attempt. An invalid URL, or one that is not allowed, is
 * `refused` before anything is sent.
 */
export const make = Effect.fnUntraced(function* (
  isAllowed: (url: URL) => boolean
): Effect.fn.Return<
  (request: CallbackRequest) => Effect.Effect<DeliveryResult>,
  never,
  GatewayConfig | HttpClient.HttpClient | Hmac
> {
  const { behaviour, merchantSecret } = yield* GatewayConfig
  const sign = (yield* Hmac).keyed(merchantSecret)
  const client = yield* HttpClient.HttpClient
  // A receiver responds in real time, also while the virtual clock is advanced.
  const clock = yield* Effect.serviceOption(VirtualClock)
  const outside = <A>(post: Effect.Effect<A>): Effect.Effect<A> =>
    Option.isSome(clock) ? clock.value.outside(post) : post
  return Effect.fnUntraced(
    function* (callback) {
      const { contentType = "application/json", signed, url } = callback
      const target = Result.try(() => new URL(url))
      if (Result.isFailure(target) || !isAllowed(target.success)) return "refused"
      const request = HttpClientRequest.post(target.success.href, {
        headers: { "x-checksum": Checksum.callback(sign, signed) },
        body: HttpBody.text(textOf(callback), contentType)
      })
      return yield* client.execute(request).pipe(
        Effect.tap((response) => Effect.ignore(Stream.runDrain(response.stream))),
        Effect.map((response): DeliveryResult => response.status),
        Effect.catchTag("HttpClientError", () => Effect.succeed("unreachable" as const)),
        Effect.timeoutOrElse({
          duration: behaviour.responseTimeout,
          orElse: () => Effect.succeed("timeout" as const)
        })
      )
    },
    Effect.provideService(HttpClient.TracerPropagationEnabled, false),
    outside
  )
})

export const textOf = ({ body, status }: Pick<CallbackRequest, "body" | "status">): string =>
  JSON.stringify({ ...body, transactionStatus: status })

/** Tells whether a URL is on this machine and has no credentials. */
export const isLocal = (url: URL): boolean =>
  isLoopback(url.hostname) && url.username === "" && url.password === ""
