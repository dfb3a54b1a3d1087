/**
 * A merchant as one layer, for programs with effects: the client, the durable requests, the receiver of
 * callbacks, and their store. `@pawl/testkit/Merchant` is its twin over a fake.
 *
 * **Example** (A payment, and its end)
 *
 * ```ts
 * import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
 * import { Requests } from "@pawl/webhook/Requests"
 * import * as Effect from "effect/Effect"
 * import * as Merchant from "pawl/Merchant"
 *
 * const order = {
 *   requestId: "17",
 *   accountId: "4711",
 *   amount: "10.00",
 *   currency: "EUR",
 *   apmPayload: { paymentMethod: "WALLET" }
 * }
 * const pay = Requests.use(({ send }) => send("apm-payment", order))
 * const merchant = Merchant.layerConfig(Merchant.config, {
 *   handle: ({ requestId, to }) => Effect.log(`Order ${requestId} is ${to}`)
 * })
 * NodeRuntime.runMain(Effect.provide(Effect.andThen(pay, Effect.never), merchant))
 * ```
 *
 * @since 0.1.0
 */
import type { InvalidSecret } from "@pawl/core/CallbackError"
import * as Handler from "@pawl/core/Handler"
import type * as Profile from "@pawl/core/Profile"
import type { RequestInput, RequestKind } from "@pawl/core/RequestSender"
import type { Hooks } from "@pawl/http/Hooks"
import * as Client from "@pawl/http/Pawl"
import type { InvalidConfig } from "@pawl/http/PawlConfig"
import type { Journal } from "@pawl/webhook/Journal"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import type { StoreUnusable } from "@pawl/webhook/internal/ledger/NodeStore"
import type { Receiver } from "@pawl/webhook/Receiver"
import { Requests } from "@pawl/webhook/Requests"
import type { InvalidSealKey } from "@pawl/webhook/Seal"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Doors from "./internal/Doors.ts"
import * as Options from "./internal/Options.ts"
import * as Parts from "./internal/Parts.ts"

/**
 * A `Duration`, milliseconds, or text such as `"2 seconds"`.
 *
 * @category models
 * @since 0.1.0
 */
export type Time = Duration.Duration | number | string

/**
 * The settings of a merchant.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  /** Base URL of the service's environment; it ends in `/api`. */
  readonly baseUrl: string
  /** Key of the merchant. */
  readonly merchantKey: string
  /** Secret of the merchant. */
  readonly merchantSecret: Redacted.Redacted
  /** Previous secret of the merchant, while callbacks may still be signed with it. */
  readonly previousSecret?: Redacted.Redacted | undefined
  /**
   * Store of requests, callbacks and statuses: `memory` (lost at the end), `sqlite:FILE` or
   * `postgres://…`.
   */
  readonly store: string | Redacted.Redacted
  /** Public URL of this program for callbacks; without it every status is polled. */
  readonly publicUrl?: string | undefined
  /** Path of the callbacks below `publicUrl`; default: `/callback`. */
  readonly callbackPath?: string | undefined
  /**
   * Port on which the layer listens for callbacks; without it the program serves `Receiver.route` itself.
   */
  readonly port?: number | undefined
  /** Address on which the layer listens; default: `127.0.0.1`. */
  readonly host?: string | undefined
  /** Path of a file with switches, such as `doctor` writes. */
  readonly profile?: string | undefined
  /** 32 bytes in base64 or hex that seal stored requests; default: the merchant secret (`Seal`). */
  readonly sealKey?: Redacted.Redacted | undefined
  /** Previous seal key, while stored requests may be sealed with it. */
  readonly previousSealKey?: Redacted.Redacted | undefined
  /** Time limit of one attempt; default: 10 seconds. */
  readonly attemptTimeout?: Time | undefined
  /** Time limit of a call with all its attempts and waits; default: 30 seconds. */
  readonly totalTimeout?: Time | undefined
  /** Maximum attempts of a call; default: 4. */
  readonly maxAttempts?: number | undefined
}

/**
 * The functions of the merchant, and the settings that no variable can hold.
 *
 * @category models
 * @since 0.1.0
 */
export interface Handlers<R = never> {
  /**
   * Handles each transition: at least once, in rank order, one at a time per transaction. It may use
   * the client, `Ledger` and `Requests` of the layer.
   */
  readonly handle: (transition: Handler.Transition) => Effect.Effect<unknown, unknown, R>
  /** Returns the input of a create with card data after a crash, because card data is not stored. */
  readonly rebuild?:
    | ((requestId: string, kind: RequestKind) => Effect.Effect<RequestInput<RequestKind>, unknown>)
    | undefined
  /** Hooks before each request and after its response. */
  readonly hooks?: Hooks | undefined
  /** Additional headers of each request, such as the key of an API gateway. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Agent of undici 7 or newer. */
  readonly dispatcher?: Client.Options["dispatcher"]
  /** Switches of `@pawl/core/Profile`, which take precedence over those of the file. */
  readonly profile?: Profile.Options | undefined
}

/**
 * The services of a merchant.
 *
 * @category models
 * @since 0.1.0
 */
export type Services = Client.Services | Journal | Ledger | Receiver | Requests

/** The services that a handler may use. */
type Own = Client.Services | Ledger | Requests

/**
 * The errors of the start. Each says what to correct.
 *
 * @category errors
 * @since 0.1.0
 */
export type StartError =
  | Config.ConfigError
  | InvalidConfig
  | InvalidSealKey
  | InvalidSecret
  | NodeReceiver.CannotListen
  | StoreUnusable

/**
 * Layer of a merchant, from settings.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(
  settings: Settings,
  handlers: Handlers<R>
): Layer.Layer<Services, StartError, Exclude<R, Own>> =>
  Layer.unwrap(
    Effect.gen(function* () {
      // A layer beneath the handler would be drained after it, not with it.
      const requests = yield* Deferred.make<Requests["Service"]>()
      const provider = Options.providerOf(
        Object.entries<Settings[keyof Settings]>({ ...settings }).flatMap(textOf)
      )
      const read = yield* Options.readStore(settings).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, provider)
      )
      yield* Parts.warning(read)
      const { headers, hooks } = handlers
      const client = Client.layerConfig(Config.succeed({ headers, hooks }), handlers)
      // TypeScript does not compare nested exclusions from a type parameter.
      // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off
      const merchant = Parts.layer(client, read, {
        handler: Handler.layer((transition) =>
          Effect.provideServiceEffect(
            Effect.asVoid(handlers.handle(transition)),
            Requests,
            Deferred.await(requests)
          )
        ),
        rebuild: handlers.rebuild,
        profile: handlers.profile,
        provider
      }).pipe(
        Layer.tap((built) => Deferred.succeed(requests, Context.get(built, Requests)))
      ) as Layer.Layer<Services, StartError, Exclude<R, Own>>
      return settings.port === undefined
        ? merchant
        : Layer.provideMerge(served(read, settings.port, settings.host), merchant)
    })
  )

/**
 * Layer of a merchant, from a `Config` such as `config`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = <R = never>(
  config: Config.Wrap<Settings>,
  handlers: Handlers<R>
): Layer.Layer<Services, StartError, Exclude<R, Own>> =>
  Layer.unwrap(Effect.map(Config.unwrap(config), (settings) => layer(settings, handlers)))

const optional = <A>(config: Config.Config<A>) => Config.withDefault(config, undefined)
/**
 * Reads a setting, which is empty if missing: the layer then names all missing settings at once.
 */
const text = (name: string) => Config.withDefault(Config.String(name), "")
const secret = (name: string) => Config.withDefault(Config.Redacted(name), Redacted.make(""))

/**
 * The settings in the environment: `PAWL_BASE_URL`, `PAWL_MERCHANT_KEY`, `PAWL_MERCHANT_SECRET` and
 * `PAWL_STORE` are required. `PAWL_PUBLIC_URL` and `PAWL_PORT` say where callbacks come.
 *
 * @category config
 * @since 0.1.0
 */
export const config: Config.Config<Settings> = Config.all({
  baseUrl: text("PAWL_BASE_URL"),
  merchantKey: text("PAWL_MERCHANT_KEY"),
  merchantSecret: secret("PAWL_MERCHANT_SECRET"),
  previousSecret: optional(Config.Redacted("PAWL_MERCHANT_SECRET_PREVIOUS")),
  store: secret("PAWL_STORE"),
  publicUrl: optional(Config.String("PAWL_PUBLIC_URL")),
  callbackPath: optional(Config.String("PAWL_CALLBACK_PATH")),
  port: optional(Config.Port("PAWL_PORT")),
  host: optional(Config.String("PAWL_HOST")),
  profile: optional(Config.String("PAWL_PROFILE")),
  sealKey: optional(Config.Redacted("PAWL_SEAL_KEY")),
  previousSealKey: optional(Config.Redacted("PAWL_SEAL_KEY_PREVIOUS")),
  attemptTimeout: optional(Config.String("PAWL_ATTEMPT_TIMEOUT")),
  totalTimeout: optional(Config.String("PAWL_TOTAL_TIMEOUT")),
  maxAttempts: optional(Config.Int("PAWL_MAX_ATTEMPTS"))
})

const served = (
  address: Doors.Address,
  port: number,
  host = "127.0.0.1"
): Layer.Layer<never, NodeReceiver.CannotListen, Receiver> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const listener = yield* NodeReceiver.listener
      const node = Doors.nodeOf(listener, address, yield* Effect.context())
      yield* NodeReceiver.listen(node, { host, port })
    })
  )

const textOf = ([name, value]: [string, Settings[keyof Settings]]): ReadonlyArray<
  readonly [string, string]
> => {
  const plain = Redacted.isRedacted(value) ? Redacted.value(value) : value
  if (plain === undefined || plain === "") return []
  if (Duration.isDuration(plain)) return [[name, `${Duration.toMillis(plain)} millis`]]
  const isTime = typeof plain === "number" && name.endsWith("Timeout")
  return [[name, isTime ? `${plain} millis` : String(plain)]]
}
