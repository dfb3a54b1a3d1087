/**
 * Layers that provide every service of the client.
 *
 * **Example** (Starting a payment)
 *
 * ```ts
 * import { ApmPayments } from "@pawl/http/ApmPayments"
 * import * as Pawl from "@pawl/http/Pawl"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const payments = yield* ApmPayments
 *   const payment = yield* payments.create({
 *     requestId: "order-4711-1",
 *     accountId: "1001",
 *     apmPayload: { paymentType: "APM", paymentMethod: "EWALLET" },
 *     amount: "10.50",
 *     currency: "EUR",
 *     callbackUrl: "https://shop.example/callback"
 *   })
 *   return payment.apmResponseData?.redirectUrl
 * }).pipe(Effect.provide(Pawl.layerConfig))
 * ```
 *
 * **Details**
 *
 * One layer is one merchant in one environment. It has one access token and one pool of connections; both
 * end with the scope of the layer. Each call of `layer` makes another client, so several merchants can be in
 * one program; `packages/http/README.md` shows them in a `LayerMap`. `Profile` of `@pawl/core/Profile` has the switches for the silences of
 * the specification. They are an option of `layer`, or a service that is provided to any of the layers.
 *
 * **Gotchas**
 *
 * Choose the requestId yourself, or make it with `makeRequestId`, and store it with the order before the call.
 * If the process dies between the request and the response, the next process sends the same request again, with
 * `inDoubt: true`, and gets the original response. See `examples/src/recover.ts`. A requestId that the client
 * makes is lost when the call is interrupted.
 *
 * @since 0.1.0
 */
import { Hmac } from "@pawl/core/Hmac"
import { isolated, isolatedBy } from "@pawl/core/Isolated"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import type { StatusReader } from "@pawl/core/StatusReader"
import type * as Config from "effect/Config"
import { ConfigProvider } from "effect/ConfigProvider"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AccessToken from "./AccessToken.ts"
import * as ApmPayments from "./ApmPayments.ts"
import * as ApmPayouts from "./ApmPayouts.ts"
import * as Caller from "./Caller.ts"
import * as CardPayments from "./CardPayments.ts"
import * as CardPayouts from "./CardPayouts.ts"
import * as NodeTransport from "./NodeTransport.ts"
import * as PawlConfig from "./PawlConfig.ts"
import * as PaymentIntents from "./PaymentIntents.ts"
import * as Refunds from "./Refunds.ts"
import * as StatusPoller from "./StatusPoller.ts"
import { layer as layerStatusReader } from "./StatusReader.ts"
import * as Subscriptions from "./Subscriptions.ts"
import { Transport } from "./Transport.ts"

/**
 * Type of all the services of the client.
 *
 * @category models
 * @since 0.1.0
 */
export type Services =
  | ApmPayments.ApmPayments
  | ApmPayouts.ApmPayouts
  | CardPayments.CardPayments
  | CardPayouts.CardPayouts
  | PaymentIntents.PaymentIntents
  | Refunds.Refunds
  | StatusPoller.StatusPoller
  | StatusReader
  | Subscriptions.Subscriptions

/**
 * Layer that provides every service over any transport and HMAC: those of another runtime than Node, or of
 * a test. With another configuration, transport, HMAC or profile in its context it is another client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerPortable: Layer.Layer<Services, never, PawlConfig.PawlConfig | Transport | Hmac> =
  isolatedBy(
    [PawlConfig.PawlConfig, Transport, Hmac, Profile.Profile],
    Layer.mergeAll(
      ApmPayments.layer,
      ApmPayouts.layer,
      CardPayments.layer,
      CardPayouts.layer,
      PaymentIntents.layer,
      Refunds.layer,
      Subscriptions.layer,
      Layer.provideMerge(StatusPoller.layer, layerStatusReader)
    ).pipe(
      Layer.provide(Caller.layer),
      Layer.provide(AccessToken.layer),
      Layer.provide(SecureRandom.layerWebCrypto)
    )
  )

/**
 * Makes a new requestId (UUIDv7). Store it before the call that it is for: then it is known also when the call
 * is interrupted or the process ends.
 *
 * **Example** (A requestId that is never lost)
 *
 * ```ts
 * import { ApmPayments } from "@pawl/http/ApmPayments"
 * import * as Pawl from "@pawl/http/Pawl"
 * import * as Effect from "effect/Effect"
 *
 * const pay = Effect.fn("pay")(function* (save: (requestId: string) => Effect.Effect<void>) {
 *   const requestId = yield* Pawl.makeRequestId
 *   yield* save(requestId)
 *   const payments = yield* ApmPayments
 *   return yield* payments.create({
 *     requestId,
 *     accountId: "1001",
 *     apmPayload: { paymentMethod: "EWALLET" },
 *     amount: "10.50",
 *     currency: "EUR"
 *   })
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeRequestId: Effect.Effect<string> = /* @__PURE__ */ Effect.provide(
  /* @__PURE__ */ SecureRandom.SecureRandom.use((random) => random.uuidV7()),
  SecureRandom.layerWebCrypto
)

/**
 * The settings of the client, and the switches of the profile that differ from their defaults.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends PawlConfig.Options {
  readonly profile?: Partial<Profile.Switches> | undefined
}

const layerNode = Layer.provide(layerPortable, [NodeTransport.layer, NodeHmac.layer])

/**
 * Layer that provides every service on Node, configured by options. Two calls make two clients, each with its
 * own access token and connections; one layer that is used twice is one client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Services, PawlConfig.InvalidConfig> => {
  const client = Layer.provide(layerNode, PawlConfig.layer(options))
  const { profile } = options
  return isolated(profile === undefined ? client : Layer.provide(client, Profile.layer(profile)))
}

/**
 * Layer that provides every service on Node, configured by environment variables: `PAWL_BASE_URL`,
 * `PAWL_MERCHANT_KEY`, `PAWL_MERCHANT_SECRET` and the optional ones listed in `PawlConfig`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<Services, PawlConfig.InvalidConfig | Config.ConfigError> =
  // PURE lets a bundler drop this layer where it is not used, as in PawlConfig.
  /* @__PURE__ */ isolatedBy(
    [ConfigProvider, Profile.Profile],
    /* @__PURE__ */ Layer.provide(layerNode, PawlConfig.layerConfig)
  )
