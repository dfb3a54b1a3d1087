/**
 * Signs the operation of a request into its callback URL.
 *
 * The service keeps the query of a callback URL (`spec.md`, "Events"), so every callback brings the
 * token, which `Verifier` reads. It names the operation where the callback does not: for a hosted
 * page, and for a refund whose callbacks carry the id of the payment. The callback still needs its
 * checksum
 * (`docs/decisions/0020-a-callback-is-matched-to-its-order-by-a-signed-token-and-by-its-amount.md`).
 *
 * @since 0.1.0
 */
import type { InvalidSecret } from "@pawl/core/CallbackError"
import { Hmac } from "@pawl/core/Hmac"
import * as Grammar from "@pawl/core/internal/Grammar"
import { isolatedBy } from "@pawl/core/internal/Isolated"
import type * as Config from "effect/Config"
import { ConfigProvider } from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Secret from "./internal/verify/Secret.ts"
import * as Token from "./internal/verify/Token.ts"
import { type CreateRequest, orderedOf } from "./internal/rule/Row.ts"

/**
 * Service that makes callback URLs.
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
    /**
     * Returns `url` with the signed token. The operation of an intent is `payment` or `payout`,
     * that of a subscription is `card-payment`. Amount and currency are signed only for APM
     * payments, payouts and refunds, because the others may change.
     */
    readonly make: (
      url: string,
      operation: Operation,
      request: CreateRequest & { readonly requestId: string }
    ) => Effect.Effect<string, InvalidCallbackUrl>
  }
>()("@pawl/webhook/CallbackUrl") {}

/**
 * An operation that takes a `callbackUrl`: a kind of transaction, or `payment` or `payout` for an
 * intent.
 *
 * @category models
 * @since 0.1.0
 */
export type Operation = Token.Operation

/**
 * Error raised when a URL cannot be a callback URL, or its token is longer than 1,024 characters.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidCallbackUrl extends Data.TaggedError("InvalidCallbackUrl")<{
  /** The problem, without the URL. */
  readonly message: string
}> {
  /** The tag, for programs without Effect. */
  readonly code = "InvalidCallbackUrl"
}

/**
 * The options of the service.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The id of the merchant in a receiver of several (`Merchants`). */
  readonly merchant?: string | undefined
}

/**
 * Layer that signs with the merchant secret.
 *
 * @see {@link layerConfig} to read the secret from the environment
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  secret: Redacted.Redacted,
  options?: Options
): Layer.Layer<CallbackUrl, InvalidSecret, Hmac> =>
  Layer.effect(CallbackUrl, build(secret, options))

/**
 * Layer that takes the secret from `PAWL_MERCHANT_SECRET`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<CallbackUrl, Config.ConfigError | InvalidSecret, Hmac> =
  // PURE: without this layer a bundle drops Config and Schema, 18 of 31 kB.
  /* @__PURE__ */ isolatedBy(
    [ConfigProvider, Hmac],
    /* @__PURE__ */ Layer.suspend(() =>
      Layer.effect(
        CallbackUrl,
        Effect.flatMap(Secret.config(), (secret) => build(secret))
      )
    )
  )

const build = Effect.fnUntraced(function* (secret: Redacted.Redacted, options?: Options) {
  const sign = (yield* Hmac).keyed(yield* Secret.check("current", secret))
  const make: CallbackUrl["Service"]["make"] = (url, operation, request) => {
    const problem = problemOf(url)
    if (problem !== undefined) return Effect.fail(new InvalidCallbackUrl({ message: problem }))
    const { amount, currency, ...rest } = request
    const ordered =
      orderedOf(canChangeAmount(operation) ? rest : { ...rest, amount, currency }) ?? {}
    const [base = "", ...fragment] = url.split(/(?=#)/u)
    const token = Token.encode(sign, { operation, ordered, merchant: options?.merchant })
    if (token.length > Token.maxLength) {
      const message = "A callback URL has no room for a requestId or an account of this length"
      return Effect.fail(new InvalidCallbackUrl({ message }))
    }
    const separator = !base.includes("?") ? "?" : /[?&]$/u.test(base) ? "" : "&"
    return Effect.succeed(`${base}${separator}${Token.parameter}=${token}${fragment.join("")}`)
  }
  return CallbackUrl.of({ make })
})

const canChangeAmount = (operation: Operation): boolean =>
  operation === "card-payment" || operation === "payment" || operation === "payout"

const token = /^pawl(?:\[|$)/iu

const problemOf = (text: string): string | undefined => {
  const url = /^https?:\/\//iu.test(text) ? URL.parse(text) : null
  if (url === null || /\s/u.test(text)) return "A callback URL must be an absolute http(s) URL"
  const name = [...url.searchParams.keys()].find(
    (each) => Grammar.routing.test(each) || token.test(each)
  )
  return name === undefined
    ? undefined
    : "A callback URL must not have the query parameters paymentMethod, apmType or pawl"
}
