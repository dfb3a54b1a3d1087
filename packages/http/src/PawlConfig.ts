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
 * | `hooks` | none | none |
 *
 * A duration in a variable is a number and a unit, such as `10 seconds` or `500 millis`.
 *
 * A wrong value could send the credentials to another host, or refuse every callback. So the layer checks
 * the values when it is built, and fails with `InvalidConfig`, which says how to correct the value.
 *
 * @since 0.1.0
 */
import { isolatedBy } from "@pawl/core/internal/Isolated"
import * as Config from "effect/Config"
import { ConfigProvider } from "effect/ConfigProvider"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Hooks } from "./Hooks.ts"
import * as Settings from "./internal/config/Settings.ts"

/**
 * Service that holds the configuration of the client.
 *
 * - `merchantSecret`: reads the secret anew. If it cannot be read, the last one stays in use.
 * - `currentSecret`: returns the secret that was read last.
 *
 * @category services
 * @since 0.1.0
 */
export class PawlConfig extends Context.Service<
  PawlConfig,
  {
    readonly baseUrl: string
    readonly merchantKey: string
    readonly merchantSecret: Effect.Effect<Redacted.Redacted>
    readonly currentSecret: () => Redacted.Redacted
    readonly attemptTimeout: Duration.Duration
    readonly totalTimeout: Duration.Duration
    readonly maxAttempts: number
    readonly cooldown: Duration.Duration
    readonly connections: number
    readonly retryRatio: number
    readonly headers: Readonly<Record<string, string>>
    readonly hooks: Hooks | undefined
  }
>()("@pawl/http/PawlConfig") {}

/**
 * The settings of the client.
 *
 * - `baseUrl`: the base address of the environment (`spec.md`, "Authentication"). It ends in `/api` and is
 *   https, or http for a loopback host.
 * - `merchantKey`, `merchantSecret`: the credentials of that environment. The secret may be an effect that reads
 *   it, for example from a file, so that it changes without a restart. The client reads it when it is built and
 *   before each request for an access token. Until the next one the checksums use the secret that was read last.
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
 * - `hooks`: run before each request and after its response; none. See `Hooks`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly baseUrl: string
  readonly merchantKey: string
  readonly merchantSecret: Redacted.Redacted | Effect.Effect<Redacted.Redacted, unknown>
  readonly attemptTimeout?: Duration.Input | undefined
  readonly totalTimeout?: Duration.Input | undefined
  readonly maxAttempts?: number | undefined
  readonly cooldown?: Duration.Input | undefined
  readonly connections?: number | undefined
  readonly retryRatio?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly hooks?: Hooks | undefined
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
    baseUrl: yield* check("baseUrl", Settings.baseUrl(options.baseUrl)),
    merchantKey: yield* check("merchantKey", Settings.credential(options.merchantKey)),
    ...(yield* readSecret(options.merchantSecret)),
    attemptTimeout: yield* check(
      "attemptTimeout",
      Settings.duration(options.attemptTimeout ?? "10 seconds")
    ),
    totalTimeout: yield* check(
      "totalTimeout",
      Settings.duration(options.totalTimeout ?? "30 seconds")
    ),
    maxAttempts: yield* check("maxAttempts", Settings.count(options.maxAttempts ?? 4)),
    cooldown: yield* check("cooldown", Settings.duration(options.cooldown ?? "30 seconds")),
    connections: yield* check(
      "connections",
      Settings.count(options.connections ?? defaultConnections)
    ),
    retryRatio: yield* check("retryRatio", Settings.ratio(options.retryRatio ?? 0.2)),
    headers: yield* check("headers", Settings.headers(options.headers ?? {})),
    hooks: options.hooks
  }
})

/** Reads the secret once, and makes the function that reads it again. */
const readSecret = Effect.fnUntraced(function* (secret: Options["merchantSecret"]) {
  const read = Effect.isEffect(secret)
    ? Effect.catchCause(secret, () =>
        Effect.fail(invalid("merchantSecret", "its effect failed: it has to return the secret"))
      )
    : Effect.succeed(secret)
  const checked = Effect.flatMap(read, (secret) =>
    Effect.map(check("merchantSecret", Settings.secret(secret)), (text) =>
      Redacted.make(text, { label: "merchantSecret" })
    )
  )
  let current = yield* checked
  const merchantSecret = Effect.matchEffect(checked, {
    onSuccess: (secret) => {
      // The same text stays the same value, whose key of the checksum is prepared.
      if (Redacted.value(secret) !== Redacted.value(current)) current = secret
      return Effect.succeed(current)
    },
    onFailure: ({ message }) =>
      Effect.as(Effect.logWarning(`The last secret stays in use. ${message}`), current)
  })
  return {
    currentSecret: () => current,
    merchantSecret: Effect.isEffect(secret) ? merchantSecret : Effect.succeed(current)
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
} as const satisfies { readonly [Setting in Exclude<keyof Options, "headers" | "hooks">]-?: string }

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
    /* @__PURE__ */ Layer.suspend(() => layerConfigWith({}))
  )

/**
 * Layer that provides the configuration, from environment variables and from the settings that no variable can hold.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfigWith = (
  options: Pick<Options, "headers" | "hooks">
): Layer.Layer<PawlConfig, Config.ConfigError | InvalidConfig> =>
  Layer.effect(PawlConfig, fromVariables(options))

const fromVariables = /* @__PURE__ */ Effect.fnUntraced(function* ({
  headers,
  hooks
}: Pick<Options, "headers" | "hooks">) {
  const { baseUrl, merchantKey, merchantSecret, ...limits } = yield* Config.all(
    Record.map(variables, readVariable)
  )
  if (baseUrl === undefined || merchantKey === undefined || merchantSecret === undefined) {
    const missing = Object.entries({ baseUrl, merchantKey, merchantSecret })
      .filter(([, value]) => value === undefined)
      .map(([setting]) => nameOf(setting))
    return yield* new InvalidConfig({ setting: missing.join(", "), ...absent })
  }
  return yield* make({
    ...parseLimits(limits),
    baseUrl,
    merchantKey,
    merchantSecret: Redacted.make(merchantSecret),
    headers,
    hooks
  }).pipe(Effect.mapError(({ advice, setting }) => invalid(nameOf(setting), advice)))
})

/**
 * The settings of a client with defaults: its time limits, its retries and its connections.
 *
 * @category models
 * @since 0.1.0
 */
export type Limits = Omit<
  Options,
  "baseUrl" | "merchantKey" | "merchantSecret" | "headers" | "hooks"
>

/**
 * Reads the limits from the environment, each with its variable. They are not checked. An empty variable counts as absent.
 *
 * @category constructors
 * @since 0.1.0
 */
export const limitsConfig: Effect.Effect<
  ReadonlyArray<{ readonly variable: string; readonly limit: Limits }>,
  Config.ConfigError
> = /* @__PURE__ */ Effect.suspend(() => {
  const { baseUrl: _url, merchantKey: _key, merchantSecret: _secret, ...limits } = variables
  return Effect.map(Config.all(Record.map(limits, readVariable)), (texts) =>
    Object.entries(texts).flatMap(([setting, text]) =>
      text === undefined || text === ""
        ? []
        : [{ variable: nameOf(setting), limit: parseLimits({ [setting]: text }) }]
    )
  )
})

/** Makes limits of texts. `make` refuses text that is no duration or no number. */
const parseLimits = (texts: Partial<Record<keyof Limits, string | undefined>>): Limits =>
  Object.fromEntries(
    Object.entries(texts).map(([setting, text]) => [
      setting,
      numbers.has(setting) ? toNumber(text) : text
    ])
  )

const numbers: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "maxAttempts",
  "connections",
  "retryRatio"
])

const readVariable = (name: string) => Config.withDefault(Config.String(name), undefined)

const toNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

/** Returns the variable of a setting, or the setting if it has none. */
const nameOf = (setting: string): string => variables[setting as keyof typeof variables] ?? setting

const absent = {
  isMissing: true,
  advice: "there is no default"
}

const invalid = (setting: string, advice: string) => new InvalidConfig({ setting, advice })

const check = <A>(
  setting: string,
  result: Result.Result<A, string>
): Effect.Effect<A, InvalidConfig> =>
  Effect.fromResult(Result.mapError(result, (advice) => invalid(setting, advice)))
