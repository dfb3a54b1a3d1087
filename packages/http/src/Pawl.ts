/**
 * Layers that provide every service of the client on Node, Bun and Deno. `PawlPortable` has those for
 * other runtimes.
 *
 * **Details**
 *
 * One layer is one merchant in one environment, with one access token and one pool of connections, which
 * end with its scope. The README of `@pawl/http` shows several merchants in a `LayerMap`.
 *
 * **Gotchas**
 *
 * A create of these services is forgotten when its process ends. `Requests` of
 * `@pawl/webhook/Requests` stores it first and sends it again after a crash. Without it, store a
 * requestId of `makeRequestId` before the call, and send the same request again with
 * `inDoubt: true`.
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
 * @since 0.1.0
 */
import * as Defaults from "@pawl/core/internal/Defaults"
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
 * All services of the client.
 *
 * @category models
 * @since 0.1.0
 */
export type Services = PawlPortable.Services

/**
 * Makes a requestId (UUIDv7), the idempotency key of a create. Store it before the call, so that it
 * outlives the process.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeRequestId: Effect.Effect<string> = RequestId.make

/**
 * The settings of the client, with those of Node.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends PawlConfig.Options {
  /** Agent of undici 7 or newer, for another certificate authority or a client certificate. */
  readonly dispatcher?: NodeTransport.Options["dispatcher"]
  /** Switches that differ from the defaults of `@pawl/core/Profile`. */
  readonly profile?: Profile.Options | undefined
}

/**
 * Layer that provides every service on Node, from options. Each call makes a client of its own.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Services, PawlConfig.InvalidConfig> =>
  isolated(layerOver(PawlConfig.layer(options), options))

/**
 * Layer that provides every service on Node, from the given settings and, for the others, from the
 * variables of `PawlConfig`. `PAWL_PROFILE` names a file with switches (`Profile.File`); those of the
 * options take precedence.
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
        // An undefined switch does not hide that of the file.
        const own = { ...options.profile, ...switches }
        const profile: Profile.Options = Defaults.changed(own, options.profile)
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
  // `StatusPoller` takes its poll intervals from the profile too.
  return profile === undefined ? client : Layer.provideMerge(client, Profile.layer(profile))
}
