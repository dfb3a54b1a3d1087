/**
 * Whom we call, as whom, and how long we try.
 *
 * **Details**
 *
 * A mistake here would send credentials to the wrong place or refuse every callback, so a value that
 * cannot be right is refused when the layer is built, by an error that says what to do about it.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/**
 * Service that holds the configuration of the client.
 *
 * @category services
 * @since 0.1.0
 */
export class PawlConfig extends Context.Service<
  PawlConfig,
  {
    readonly baseUrl: string
    readonly merchantKey: string
    readonly merchantSecret: Redacted.Redacted
    readonly attemptTimeout: Duration.Duration
    readonly totalTimeout: Duration.Duration
    readonly maxAttempts: number
    readonly cooldown: Duration.Duration
  }
>()("@pawl/http/PawlConfig") {}

/**
 * What a merchant configures.
 *
 * - `baseUrl`: the base address of the environment, which ends in `/api`; https, or http to a loopback
 *   host.
 * - `merchantKey`, `merchantSecret`: the credentials of that environment.
 * - `attemptTimeout`: how long one attempt may take; 10 seconds.
 * - `totalTimeout`: how long a call may take with all its attempts and waits; 30 seconds.
 * - `maxAttempts`: how often a call is tried at most; 4.
 * - `cooldown`: for how long calls fail at once after the service refused a fresh token; 30 seconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly baseUrl: string
  readonly merchantKey: string
  readonly merchantSecret: Redacted.Redacted
  readonly attemptTimeout?: Duration.Input | undefined
  readonly totalTimeout?: Duration.Input | undefined
  readonly maxAttempts?: number | undefined
  readonly cooldown?: Duration.Input | undefined
}

/**
 * Error raised when a setting cannot be right. Holds no value, only what to do.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidConfig extends Schema.TaggedError<InvalidConfig>("@pawl/http/InvalidConfig")(
  "InvalidConfig",
  { setting: Schema.String, advice: Schema.String }
) {
  override get message() {
    return `${this.setting} cannot be used: ${this.advice}`
  }
}

/**
 * Checks the options and fills in the defaults.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<PawlConfig["Service"], InvalidConfig> {
  const maxAttempts = options.maxAttempts ?? 4
  if (!(Number.isInteger(maxAttempts) && maxAttempts >= 1)) {
    return yield* new InvalidConfig({
      setting: "maxAttempts",
      advice: "give a whole number, 1 or more"
    })
  }
  return {
    baseUrl: yield* readBaseUrl(options.baseUrl),
    merchantKey: yield* refusePadded("merchantKey", options.merchantKey),
    merchantSecret: Redacted.make(
      yield* refusePadded("merchantSecret", Redacted.value(options.merchantSecret)),
      { label: "merchantSecret" }
    ),
    attemptTimeout: Duration.fromInputUnsafe(options.attemptTimeout ?? "10 seconds"),
    totalTimeout: Duration.fromInputUnsafe(options.totalTimeout ?? "30 seconds"),
    maxAttempts,
    cooldown: Duration.fromInputUnsafe(options.cooldown ?? "30 seconds")
  }
})

/**
 * Layer that provides the configuration from options.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<PawlConfig, InvalidConfig> =>
  Layer.effect(PawlConfig, make(options))

/**
 * Layer that provides the configuration from `PAWL_BASE_URL`, `PAWL_MERCHANT_KEY` and
 * `PAWL_MERCHANT_SECRET`, with the defaults for the rest.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<PawlConfig, Config.ConfigError | InvalidConfig> =
  Layer.effect(
    PawlConfig,
    Effect.flatMap(
      Config.all({
        baseUrl: Config.String("PAWL_BASE_URL"),
        merchantKey: Config.String("PAWL_MERCHANT_KEY"),
        merchantSecret: Config.Redacted("PAWL_MERCHANT_SECRET")
      }),
      make
    )
  )

const loopback = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/u

const readBaseUrl = (text: string): Effect.Effect<string, InvalidConfig> => {
  const refuse = (advice: string) => Effect.fail(new InvalidConfig({ setting: "baseUrl", advice }))
  const url = URL.parse(text)
  if (url === null) return refuse("give an absolute URL such as https://payments.example/api")
  if (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.test(url.hostname))) {
    return refuse("use https; http is for loopback hosts only")
  }
  if (url.username !== "" || url.password !== "") {
    return refuse(
      "take the credentials out of the URL, and give them as merchantKey and merchantSecret"
    )
  }
  if (url.search !== "" || url.hash !== "")
    return refuse("take the query and the fragment out of the URL")
  const path = url.pathname.replace(/\/$/u, "")
  if (!path.endsWith("/api"))
    return refuse("give the address up to and including its last segment, /api")
  return Effect.succeed(url.origin + path)
}

const refusePadded = (setting: string, value: string): Effect.Effect<string, InvalidConfig> =>
  value !== "" && value.trim() === value
    ? Effect.succeed(value)
    : Effect.fail(
        new InvalidConfig({
          setting,
          advice: "give it without spaces or line breaks around it, and not empty"
        })
      )
