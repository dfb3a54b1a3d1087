/**
 * The layer behind `open`: the client, the durable requests, the receiver and the store of one merchant.
 *
 * **Details**
 *
 * An Effect program composes the four packages like this.
 *
 * @since 0.1.0
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import * as Pawl from "@pawl/http/Pawl"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as NodeStore from "@pawl/webhook/NodeStore"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Requests from "@pawl/webhook/Requests"
import * as Seal from "@pawl/webhook/Seal"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Log from "./internal/Log.ts"
import * as Options from "./Options.ts"

/**
 * Runs the call of a function of the merchant.
 *
 * @category models
 * @since 0.1.0
 */
export type Outside = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>

/**
 * Layer of everything that `open` opens, over a client and with the settings that `Options.read` returns.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E>(
  client: Layer.Layer<Pawl.Services, E>,
  { callbackUrl, store }: Effect.Success<ReturnType<typeof Options.read>>,
  { logger, onChange, profile, rebuild, ...settings }: Options.Options,
  outside: Outside = (effect) => effect
) =>
  Layer.mergeAll(
    Receiver.layer(),
    Requests.layer({
      callbackUrl,
      rebuild: rebuild && ((requestId, kind) => outside(promised(() => rebuild(requestId, kind))))
    })
  ).pipe(
    Layer.provide([
      Handler.layer((transition) => outside(promised(() => onChange(transition)))),
      Verifier.layerConfig,
      CallbackUrl.layerConfig,
      Seal.layerConfig
    ]),
    Layer.provideMerge([client, NodeStore.layer(store)]),
    Layer.provide(NodeHmac.layer),
    Layer.provide(ConfigProvider.layer(Options.provider(settings))),
    Layer.provideMerge(references({ logger, profile }))
  )

/**
 * Layer of the client, with the settings that no variable can hold.
 *
 * @category layers
 * @since 0.1.0
 */
export const client = ({ dispatcher, headers, hooks }: Options.Options) =>
  Pawl.layerConfig(
    Config.succeed({
      headers,
      hooks: hooks && { onRequest: hook(hooks.onRequest), onResponse: hook(hooks.onResponse) }
    }),
    { dispatcher }
  )

/**
 * Layer of the switches and the logger, for everything that `open` opens.
 *
 * @category layers
 * @since 0.1.0
 */
export const references = ({ logger, profile = {} }: Partial<Options.Options>) =>
  Layer.merge(Profile.layer(profile), Log.layer(logger))

const hook = <Event>(call: ((event: Event) => unknown) | undefined) =>
  call && ((event: Event) => Effect.asVoid(promised(() => call(event))))

/** Runs a function of the merchant. */
const promised = <A>(call: () => A | PromiseLike<A>): Effect.Effect<A, unknown> =>
  // @effect-diagnostics-next-line unknownInEffectCatch:off
  Effect.tryPromise({ try: () => Promise.resolve().then(call), catch: (error) => error })
