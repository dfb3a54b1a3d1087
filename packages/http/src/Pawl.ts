/**
 * The client, put together.
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
 * One layer is one merchant at one environment: it holds one token and one pool of connections, which
 * end with it. The switches for where the service's documents are silent are `Profile` of
 * `@pawl/core/Profile`; they stand among the options of `layer`, or are provided to any of the layers.
 *
 * **Gotchas**
 *
 * Choose the requestId yourself, and store it with the order before the call. Only then can a process
 * that dies between the request and the answer be started again and learn what became of it: it sends the
 * same request, and gets the original answer. `examples/src/recover.ts` shows how.
 *
 * @since 0.1.0
 */
import type { Hmac } from "@pawl/core/Hmac"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import type { StatusReader } from "@pawl/core/StatusReader"
import type * as Config from "effect/Config"
import * as SecureRandom from "effect/crypto/SecureRandom"
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
import * as Subscriptions from "./Subscriptions.ts"
import type { Transport } from "./Transport.ts"

/**
 * The services of the client.
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
 * Layer that provides every service over whatever transport and HMAC there are: those of another
 * runtime, or of a service in memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerPortable: Layer.Layer<Services, never, PawlConfig.PawlConfig | Transport | Hmac> =
  Layer.mergeAll(
    ApmPayments.layer,
    ApmPayouts.layer,
    CardPayments.layer,
    CardPayouts.layer,
    PaymentIntents.layer,
    Refunds.layer,
    Subscriptions.layer,
    Layer.provideMerge(StatusPoller.layer, StatusPoller.layerReader)
  ).pipe(
    Layer.provide(Caller.layer),
    Layer.provide(AccessToken.layer),
    Layer.provide(SecureRandom.layerWebCrypto)
  )

/**
 * What a merchant configures, and which switches of the profile are not at their defaults.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends PawlConfig.Options {
  readonly profile?: Partial<Profile.Switches> | undefined
}

const layerNode = Layer.provide(layerPortable, [NodeTransport.layer, NodeHmac.layer])

/**
 * Layer that provides every service on Node, from options.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Services, PawlConfig.InvalidConfig> => {
  const client = Layer.provide(layerNode, PawlConfig.layer(options))
  const { profile } = options
  return profile === undefined ? client : Layer.provide(client, Profile.layer(profile))
}

/**
 * Layer that provides every service on Node, from the environment: `PAWL_BASE_URL`,
 * `PAWL_MERCHANT_KEY` and `PAWL_MERCHANT_SECRET`, and what else `PawlConfig` has a variable for.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<Services, PawlConfig.InvalidConfig | Config.ConfigError> =
  // So marked, as that of PawlConfig.
  /* @__PURE__ */ Layer.provide(layerNode, PawlConfig.layerConfig)
