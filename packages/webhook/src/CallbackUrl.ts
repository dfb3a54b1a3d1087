/**
 * Makes the callback URL of a request name the operation it is for.
 *
 * **Details**
 *
 * The service posts callbacks to the URL of each request and keeps its query (`spec.md`, "Events"). So a
 * signed token in it tells, of every callback, which operation it is about, even for hosted pages, where
 * nothing else does, and where a refund's callback names the payment. The verifier reads it.
 *
 * A token says nothing that is secret, and opens nothing: a callback still needs its checksum. One that
 * does not verify counts as none
 * (`docs/decisions/0043-a-token-that-does-not-verify-counts-as-none.md`).
 *
 * @since 0.1.0
 */
import type { InvalidSecret } from "@pawl/core/CallbackError"
import { Hmac } from "@pawl/core/Hmac"
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Secret from "./internal/verify/Secret.ts"
import * as Token from "./internal/verify/Token.ts"
import { type CreateRequest, orderedOf } from "./Row.ts"

/**
 * Service that makes callback URLs.
 *
 * **Details**
 *
 * `make` takes the merchant's own URL, the kind of the operation (`payment` and `payout` of an intent,
 * whose customer chooses the method later; `card-payment` of a subscription), and its request. The amount
 * and currency of what may change (card payments, intents, subscriptions) are left out.
 *
 * **Example** (An APM payment)
 *
 * ```ts
 * import * as NodeHmac from "@pawl/core/NodeHmac"
 * import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Redacted from "effect/Redacted"
 *
 * const request = { requestId: "order-17", accountId: "4711", amount: "10.00", currency: "EUR" }
 *
 * const program = Effect.gen(function* () {
 *   const callbackUrl = yield* CallbackUrl.CallbackUrl
 *   return yield* callbackUrl.make("https://shop.example/callback", "apm-payment", request)
 * })
 * const layer = CallbackUrl.layer(Redacted.make("s3cr3t")).pipe(Layer.provide(NodeHmac.layer))
 *
 * const url = Effect.runSync(Effect.provide(program, layer))
 * url.startsWith("https://shop.example/callback?pawl=") // => true
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class CallbackUrl extends Context.Service<
  CallbackUrl,
  {
    readonly make: (
      url: string,
      kind: Kind,
      request: CreateRequest & { readonly requestId: string }
    ) => Effect.Effect<string, InvalidCallbackUrl>
  }
>()("@pawl/webhook/CallbackUrl") {}

/**
 * The operations that take a callbackUrl.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = Token.Origin

/**
 * Error raised when a URL cannot be a callback URL. Names what is wrong, never the URL.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidCallbackUrl extends Data.TaggedError("InvalidCallbackUrl")<{
  readonly message: string
}> {}

/**
 * Layer that signs with the merchant secret.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (secret: Redacted.Redacted): Layer.Layer<CallbackUrl, InvalidSecret, Hmac> =>
  Layer.effect(CallbackUrl, build(secret))

/**
 * Layer that takes the secret from `PAWL_MERCHANT_SECRET`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<CallbackUrl, Config.ConfigError | InvalidSecret, Hmac> =
  // So marked, as the verifier's: 18 of 31 kB.
  /* @__PURE__ */ Layer.suspend(() =>
    Layer.effect(CallbackUrl, Effect.flatMap(Secret.config(), build))
  )

const build = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
  const sign = (yield* Hmac).keyed(yield* Secret.check("current", secret))
  const make: CallbackUrl["Service"]["make"] = (url, kind, request) => {
    const fault = faultOf(url)
    if (fault !== undefined) return Effect.fail(new InvalidCallbackUrl({ message: fault }))
    const { amount, currency, ...rest } = request
    const ordered = orderedOf(mayChange(kind) ? rest : { ...rest, amount, currency }) ?? {}
    const [whole = "", ...fragment] = url.split(/(?=#)/u)
    const token = Token.encode(sign, { origin: kind, ordered })
    const mark = !whole.includes("?") ? "?" : /[?&]$/u.test(whole) ? "" : "&"
    return Effect.succeed(`${whole}${mark}${Token.parameter}=${token}${fragment.join("")}`)
  }
  return CallbackUrl.of({ make })
})

const mayChange = (kind: Kind): boolean =>
  kind === "card-payment" || kind === "payment" || kind === "payout"

/** The parameters that the service appends, in every spelling, and ours. */
const taken = /^(?:paymentmethod|apmtype|pawl)(?:\[|$)/iu

const faultOf = (text: string): string | undefined => {
  const url = /^https?:\/\//iu.test(text) ? URL.parse(text) : null
  if (url === null || /\s/u.test(text)) return "A callback URL is an absolute http(s) URL"
  const name = [...url.searchParams.keys()].find((each) => taken.test(each))
  return name === undefined
    ? undefined
    : "A callback URL has no parameter paymentMethod, apmType or pawl of its own"
}
