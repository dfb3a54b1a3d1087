/**
 * Configuration of the client: base URL, credentials, timeouts, retries and connections.
 *
 * **Details**
 *
 * | option | variable | default |
 * |---|---|---|
 * | `baseUrl` | `PAWL_BASE_URL` | none: required |
 * | `merchantKey` | `PAWL_MERCHANT_KEY` | none: required |
 * | `merchantSecret` | `PAWL_MERCHANT_SECRET` | none: required |
 * | `attemptTimeout` | `PAWL_ATTEMPT_TIMEOUT` | 10 seconds |
 * | `totalTimeout` | `PAWL_TOTAL_TIMEOUT` | 30 seconds |
 * | `maxAttempts` | `PAWL_MAX_ATTEMPTS` | 4 |
 * | `cooldown` | `PAWL_COOLDOWN` | 30 seconds |
 * | `connections` | `PAWL_CONNECTIONS` | 256 |
 * | `retryRatio` | `PAWL_RETRY_RATIO` | 0.2 |
 * | `headers` | none | none |
 *
 * A duration in a variable is a number and a unit, such as `10 seconds` or `500 millis`.
 *
 * A wrong value could send the credentials to another host, or refuse every callback. So the layer checks
 * the values when it is built, and fails with `InvalidConfig`, which says how to correct the value.
 *
 * @since 0.1.0
 */
import { isolatedBy } from "@pawl/core/Isolated"
import { isLoopback } from "@pawl/core/Loopback"
import * as Config from "effect/Config"
import { ConfigProvider } from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
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
    readonly connections: number
    readonly retryRatio: number
    readonly headers: Readonly<Record<string, string>>
  }
>()("@pawl/http/PawlConfig") {}

/**
 * The settings of the client.
 *
 * - `baseUrl`: the base address of the environment (`spec.md`, "Authentication"). It ends in `/api` and is
 *   https, or http for a loopback host.
 * - `merchantKey`, `merchantSecret`: the credentials of that environment.
 * - `attemptTimeout`: time limit of one attempt; 10 seconds.
 * - `totalTimeout`: time limit of a call with all its attempts and waits; 30 seconds.
 * - `maxAttempts`: most attempts of a call; 4.
 * - `cooldown`: least time between two requests for an access token that a 401 causes, while no operation has
 *   succeeded with the newest token; also the time for which one operation that was refused with a new token
 *   causes none; 30 seconds.
 * - `connections`: most connections on Node; 256. Further requests wait for one within their time limits.
 * - `retryRatio`: most retries per call, over all calls; 0.2. In an outage the client sends at most 1.2 times the
 *   usual traffic, and a reserve of retries that earlier calls left.
 * - `headers`: further headers of each request, such as the key of a gateway; none. The client sets
 *   `authorization`, `accept` and `content-type` itself.
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
  readonly connections?: number | undefined
  readonly retryRatio?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Most connections by default.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultConnections = 256

/**
 * Error raised when a setting is missing or invalid. It says how to correct the setting, and never has its
 * value.
 *
 * **Details**
 *
 * `setting` is the name of the option, or of the environment variable. It lists all variables when several
 * are missing.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidConfig extends Schema.TaggedError<InvalidConfig>("@pawl/http/InvalidConfig")(
  "InvalidConfig",
  {
    setting: Schema.String,
    advice: Schema.String,
    isMissing: Schema.optionalKey(Schema.Boolean)
  }
) {
  /** Empty, so that a program prints the message alone. */
  override readonly stack = ""
  override get message() {
    return this.isMissing === true
      ? `Set ${this.setting} in the environment: ${this.advice}`
      : `${this.setting} cannot be used: ${this.advice}`
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
  return {
    baseUrl: yield* readBaseUrl(options.baseUrl),
    merchantKey: yield* refusePadded("merchantKey", options.merchantKey),
    merchantSecret: Redacted.make(
      yield* refusePadded("merchantSecret", yield* readSecret(options.merchantSecret)),
      { label: "merchantSecret" }
    ),
    attemptTimeout: yield* readDuration("attemptTimeout", options.attemptTimeout ?? "10 seconds"),
    totalTimeout: yield* readDuration("totalTimeout", options.totalTimeout ?? "30 seconds"),
    maxAttempts: yield* readCount("maxAttempts", options.maxAttempts ?? 4),
    cooldown: yield* readDuration("cooldown", options.cooldown ?? "30 seconds"),
    connections: yield* readCount("connections", options.connections ?? defaultConnections),
    retryRatio: yield* readRatio(options.retryRatio ?? 0.2),
    headers: yield* readHeaders(options.headers ?? {})
  }
})

/**
 * Layer that provides the configuration, from options.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<PawlConfig, InvalidConfig> =>
  Layer.effect(PawlConfig, make(options))

const variables = {
  baseUrl: "PAWL_BASE_URL",
  merchantKey: "PAWL_MERCHANT_KEY",
  merchantSecret: "PAWL_MERCHANT_SECRET",
  attemptTimeout: "PAWL_ATTEMPT_TIMEOUT",
  totalTimeout: "PAWL_TOTAL_TIMEOUT",
  maxAttempts: "PAWL_MAX_ATTEMPTS",
  cooldown: "PAWL_COOLDOWN",
  connections: "PAWL_CONNECTIONS",
  retryRatio: "PAWL_RETRY_RATIO"
} as const satisfies { readonly [Setting in Exclude<keyof Options, "headers">]-?: string }

/**
 * Layer that provides the configuration, from environment variables. Fails with one `InvalidConfig` that
 * names every missing variable.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<PawlConfig, Config.ConfigError | InvalidConfig> =
  // PURE lets a bundler drop this layer and Effect's Config where it is not used: 2 of 66 kB.
  /* @__PURE__ */ isolatedBy(
    [ConfigProvider],
    /* @__PURE__ */ Layer.effect(
      PawlConfig,
      /* @__PURE__ */ Effect.gen(function* () {
        const {
          baseUrl,
          connections,
          maxAttempts,
          merchantKey,
          merchantSecret,
          retryRatio,
          ...durations
        } = yield* Config.all(Record.map(variables, readVariable))
        if (baseUrl === undefined || merchantKey === undefined || merchantSecret === undefined) {
          const missing = Object.entries({ baseUrl, merchantKey, merchantSecret })
            .filter(([, value]) => value === undefined)
            .map(([setting]) => nameOf(setting))
          return yield* new InvalidConfig({ setting: missing.join(", "), ...absent })
        }
        return yield* make({
          // `make` refuses text that is no duration.
          ...(durations as Pick<Options, keyof typeof durations>),
          baseUrl,
          merchantKey,
          merchantSecret: Redacted.make(merchantSecret),
          maxAttempts: toNumber(maxAttempts),
          connections: toNumber(connections),
          retryRatio: toNumber(retryRatio)
        }).pipe(Effect.mapError(({ advice, setting }) => invalid(nameOf(setting), advice)))
      })
    )
  )

const readVariable = (name: string) => Config.withDefault(Config.String(name), undefined)

const toNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

const nameOf = (setting: string): string => variables[setting as keyof typeof variables]

const absent = {
  isMissing: true,
  advice: "there is no default"
}

const invalid = (setting: string, advice: string) => new InvalidConfig({ setting, advice })

const readCount = (setting: string, count: number): Effect.Effect<number, InvalidConfig> =>
  Number.isInteger(count) && count >= 1
    ? Effect.succeed(count)
    : Effect.fail(invalid(setting, "give a whole number, 1 or more"))

const readRatio = (ratio: number): Effect.Effect<number, InvalidConfig> =>
  ratio >= 0
    ? Effect.succeed(ratio)
    : Effect.fail(invalid("retryRatio", "give a number that is not negative"))

/** Headers that the client or the connection sets. */
const reservedHeader =
  /^(accept|authorization|connection|content-length|content-type|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/u

/** Checks the headers, and returns them with their names in lower case. */
const readHeaders = (
  headers: Readonly<Record<string, string>>
): Effect.Effect<Readonly<Record<string, string>>, InvalidConfig> => {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const
  )
  return entries.every(
    ([name, value]) =>
      /^[!#$%&'*+.^_`|~0-9a-z-]+$/u.test(name) &&
      !reservedHeader.test(name) &&
      /^[\t\x20-\x7e]*$/u.test(value)
  )
    ? Effect.succeed(Object.fromEntries(entries))
    : Effect.fail(
        invalid("headers", "give names and ASCII values of headers that the client does not set")
      )
}

const readDuration = (
  setting: string,
  input: Duration.Input
): Effect.Effect<Duration.Duration, InvalidConfig> =>
  Option.match(Option.filter(Duration.fromInput(input), isUsable), {
    onSome: Effect.succeed,
    onNone: () =>
      Effect.fail(invalid(setting, "give a number above 0 and its unit, such as 10 seconds"))
  })

const isUsable = (duration: Duration.Duration): boolean =>
  Duration.isFinite(duration) && Duration.isPositive(duration)

const readBaseUrl = (text: string): Effect.Effect<string, InvalidConfig> => {
  const refuse = (advice: string) => Effect.fail(invalid("baseUrl", advice))
  const url = URL.parse(text)
  if (url === null) return refuse("give an absolute URL such as https://payments.example/api")
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
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

/** Plain text is refused, because the next log of the options would print it. */
const readSecret = (secret: Redacted.Redacted): Effect.Effect<string, InvalidConfig> =>
  Redacted.isRedacted(secret)
    ? Effect.succeed(Redacted.value(secret))
    : Effect.fail(invalid("merchantSecret", "give it as Redacted.make(secret), not as plain text"))

const refusePadded = (setting: string, value: string): Effect.Effect<string, InvalidConfig> =>
  value !== "" && value.trim() === value
    ? Effect.succeed(value)
    : Effect.fail(
        invalid(setting, "give it without spaces or line breaks around it, and not empty")
      )
