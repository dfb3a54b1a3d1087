/**
 * Layers that provide every service of the client on Node, Bun and Deno. `PawlPortable` has those for other
 * runtimes.
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
 * }).pipe(Effect.provide(Pawl.layerConfig()))
 * ```
 *
 * **Details**
 *
 * One layer is one merchant in one environment. It has one access token and one pool of connections; both
 * end with the scope of the layer. Each call of `layer` makes another client, so several merchants can be in
 * one program; the README of `@pawl/http` shows them in a `LayerMap`. `Profile` of `@pawl/core/Profile` has the switches for the silences of
 * the specification. They are an option of `layer`, or a service that is provided to any of the layers.
 *
 * **Gotchas**
 *
 * A create of these services is not known after its process has ended. `Requests` of `@pawl/webhook/Requests` writes it
 * to a database before it is sent, and sends it again after a crash, by the `RequestSender` of the client. Without it, choose the requestId yourself, or make it with `makeRequestId`, and store it with the order before the call. The
 * next process then sends the same request again, with `inDoubt: true`, and gets the original response.
 *
 * @since 0.1.0
 */
import { isolated, isolatedBy } from "@pawl/core/internal/Isolated"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import * as RequestId from "@pawl/core/internal/RequestId"
import type * as Config from "effect/Config"
import { ConfigProvider } from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeTransport from "./NodeTransport.ts"
import * as ProfileFile from "./internal/NodeProfileFile.ts"
import * as PawlConfig from "./PawlConfig.ts"
import * as PawlPortable from "./PawlPortable.ts"

/**
 * Type of all the services of the client.
 *
 * @category models
 * @since 0.1.0
 */
export type Services = PawlPortable.Services

/**
 * Makes a new requestId (UUIDv7). Store it before the call that it is for: then it is known also when the call
 * is interrupted or the process ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeRequestId: Effect.Effect<string> = RequestId.make

/**
 * The settings of the client, the dispatcher of its requests, and the switches of the profile that differ
 * from their defaults.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends PawlConfig.Options {
  readonly dispatcher?: NodeTransport.Options["dispatcher"]
  readonly profile?: Profile.Options | undefined
}

/**
 * Layer that provides every service on Node, configured by options. Two calls make two clients, each with its
 * own access token and connections; one layer that is used twice is one client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Services, PawlConfig.InvalidConfig> =>
  isolated(layerOver(PawlConfig.layer(options), options))

/**
 * Layer that provides every service on Node, configured by the given settings and, for the others, by environment
 * variables: `PAWL_BASE_URL`, `PAWL_MERCHANT_KEY`, `PAWL_MERCHANT_SECRET` and the optional ones listed in
 * `PawlConfig`. `PAWL_PROFILE` names a file with switches (`Profile.File`); those of the options count before them. Two calls make
 * two clients.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  config?: Config.Wrap<Partial<PawlConfig.Options>>,
  options: Pick<Options, "dispatcher" | "profile"> = {}
): Layer.Layer<Services, PawlConfig.InvalidConfig | Config.ConfigError> =>
  isolatedBy(
    [ConfigProvider, Profile.Profile],
    Layer.unwrap(
      Effect.map(ProfileFile.switches, (switches) => {
        const profile = { ...switches, ...options.profile }
        const isEmpty = Object.keys(profile).length === 0
        return layerOver(PawlConfig.layerConfig(config), {
          ...options,
          profile: isEmpty ? undefined : profile
        })
      })
    )
  )

const layerOver = <E>(
  config: Layer.Layer<PawlConfig.PawlConfig, E>,
  { dispatcher, profile }: Pick<Options, "dispatcher" | "profile">
): Layer.Layer<Services, E | PawlConfig.InvalidConfig> => {
  const transport = Layer.unwrap(
    Effect.map(PawlConfig.PawlConfig, ({ connections }) =>
      NodeTransport.layerWith({ connections, dispatcher })
    )
  )
  const client = PawlPortable.layer.pipe(
    Layer.provide([transport, NodeHmac.layer]),
    Layer.provide(config)
  )
  // The polling of `StatusPoller` takes its gaps from the profile too.
  return profile === undefined ? client : Layer.provideMerge(client, Profile.layer(profile))
}
