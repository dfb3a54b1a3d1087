/**
 * Configuration of the client, from options or from environment variables. A duration in a variable is a
 * number and a unit, such as `10 seconds` or `500 millis`.
 *
 * @since 0.1.0
 */
import type { ReadError } from "@pawl/core/PaymentsError"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { Hooks } from "./Hooks.ts"
import * as Settings from "./internal/config/Settings.ts"

/**
 * Service that holds the checked configuration.
 *
 * @category services
 * @since 0.1.0
 */
export class PawlConfig extends Context.Service<
  PawlConfig,
  {
    /** See `Options`. */
    readonly baseUrl: string
    /** See `Options`. */
    readonly merchantKey: string
    /** Reads the secret anew. If that fails, the last one stays in use. */
    readonly merchantSecret: Effect.Effect<Redacted.Redacted>
    /** Returns the secret that was read last. */
    readonly currentSecret: () => Redacted.Redacted
    /** See `Options`. */
    readonly attemptTimeout: Duration.Duration
    /** See `Options`. */
    readonly totalTimeout: Duration.Duration
    /** See `Options`. */
    readonly maxAttempts: number
    /** See `Options`. */
    readonly cooldown: Duration.Duration
    /** See `Options`. */
    readonly connections: number
    /** See `Options`. */
    readonly retryRatio: number
    /** See `Options`. */
    readonly headers: Readonly<Record<string, string>>
    /** See `Options`. */
    readonly hooks: Hooks | undefined
    /** See `Options`. */
    readonly retrySchedule?: Options["retrySchedule"]
  }
>()("@pawl/http/PawlConfig") {}

/**
 * The settings of the client. The layer checks them and fails with `InvalidConfig`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * Base URL of the environment (`spec.md`, "Authentication"): https, or http for a loopback host, ending
   * in `/api`; `PAWL_BASE_URL`, required.
   */
  readonly baseUrl: string
  /** Key of the merchant; `PAWL_MERCHANT_KEY`, required. */
  readonly merchantKey: string
  /**
   * Secret of the merchant; `PAWL_MERCHANT_SECRET`, required. An effect reads it at the start and before
   * each request for an access token, within `attemptTimeout`, so that it changes without a restart.
   */
  readonly merchantSecret: Redacted.Redacted | Effect.Effect<Redacted.Redacted, unknown>
  /** Time limit of one attempt; `PAWL_ATTEMPT_TIMEOUT`; default: 10 seconds. */
  readonly attemptTimeout?: Duration.Input | undefined
  /** Time limit of a call with all its attempts and waits; `PAWL_TOTAL_TIMEOUT`; default: 30 seconds. */
  readonly totalTimeout?: Duration.Input | undefined
  /** Maximum attempts of a call; `PAWL_MAX_ATTEMPTS`; default: 4. */
  readonly maxAttempts?: number | undefined
  /**
   * Minimum time between two requests for an access token that 401s cause, until an operation succeeds with
   * the newest token; `PAWL_COOLDOWN`; default: 30 seconds.
   */
  readonly cooldown?: Duration.Input | undefined
  /**
   * Maximum connections on Node; `PAWL_CONNECTIONS`; default: 256. Further requests wait for one within their time
   * limits.
   */
  readonly connections?: number | undefined
  /**
   * Maximum ratio of retries to calls, over all calls; `PAWL_RETRY_RATIO`; default: 0.2. An outage adds at most 20 % of
   * traffic, beyond a reserve.
   */
  readonly retryRatio?: number | undefined
  /**
   * Backoff between the attempts of a call; default: 200, 400, 800, … ms, at most 5 s, ±20 %. Its input is the last
   * error. The other limits and `Retry-After` hold with any schedule.
   */
  readonly retrySchedule?: Schedule.Schedule<unknown, ReadError> | undefined
  /**
   * Additional headers of each request, such as the key of an API gateway. The client sets `authorization`,
   * `accept` and `content-type` itself.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Hooks before each request and after its response. */
  readonly hooks?: Hooks | undefined
}

/**
 * Default of `connections`.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultConnections = 256

/**
 * Error raised when a setting is missing or invalid. It never has the value.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidConfig extends Schema.TaggedError<InvalidConfig>("@pawl/http/InvalidConfig")(
  "InvalidConfig",
  {
    /** Name of the option or variable; all variables when several are missing. */
    setting: Schema.String,
    /** Says how to correct the setting. */
    advice: Schema.String,
    /** True if the setting is missing. */
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
export const make = Effect.fnUntraced(function* ({
  headers = {},
  hooks,
  merchantSecret,
  retrySchedule,
  ...given
}: Options): Effect.fn.Return<PawlConfig["Service"], InvalidConfig> {
  const checked = yield* Effect.fromResult(
    Result.all({
      baseUrl: check("baseUrl", Settings.baseUrl(given.baseUrl)),
      merchantKey: check("merchantKey", Settings.credential(given.merchantKey)),
      attemptTimeout: check(
        "attemptTimeout",
        Settings.duration(given.attemptTimeout ?? "10 seconds")
      ),
      totalTimeout: check("totalTimeout", Settings.duration(given.totalTimeout ?? "30 seconds")),
      maxAttempts: check("maxAttempts", Settings.count(given.maxAttempts ?? 4)),
      cooldown: check("cooldown", Settings.duration(given.cooldown ?? "30 seconds")),
      connections: check("connections", Settings.count(given.connections ?? defaultConnections)),
      retryRatio: check("retryRatio", Settings.ratio(given.retryRatio ?? 0.2)),
      headers: check("headers", Settings.headers(headers))
    })
  )
  return {
    ...checked,
    ...(yield* readSecret(merchantSecret, checked.attemptTimeout)),
    hooks,
    ...(retrySchedule && { retrySchedule })
  }
})

const readSecret = Effect.fnUntraced(function* (
  secret: Options["merchantSecret"],
  duration: Duration.Duration
) {
  const failed = Effect.fail(
    invalid("merchantSecret", "its effect failed: it has to return the secret")
  )
  const read = Effect.isEffect(secret)
    ? Effect.catchCause(
        Effect.timeoutOrElse(secret, { duration, orElse: () => failed }),
        () => failed
      )
    : Effect.succeed(secret)
  const checked = Effect.flatMap(read, (secret) =>
    Effect.fromResult(
      Result.map(check("merchantSecret", Settings.secret(secret)), (text) =>
        Redacted.make(text, { label: "merchantSecret" })
      )
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
} as const

/**
 * Layer that provides the configuration, from the given settings and, for the others, from environment
 * variables. Fails with one `InvalidConfig` that names every missing variable.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  config: Config.Wrap<Partial<Options>> = {}
): Layer.Layer<PawlConfig, Config.ConfigError | InvalidConfig> =>
  Layer.effect(
    PawlConfig,
    Effect.gen(function* () {
      const given = yield* Config.unwrap<Partial<Options>>(config)
      const own: Partial<Options> = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined)
      )
      const options: Partial<Options> = { ...(yield* fromVariables), ...own }
      const { baseUrl, merchantKey, merchantSecret } = options
      if (baseUrl === undefined || merchantKey === undefined || merchantSecret === undefined) {
        const missing = Object.entries({ baseUrl, merchantKey, merchantSecret })
          .filter(([, value]) => value === undefined)
          .map(([setting]) => nameOf(setting))
        return yield* new InvalidConfig({
          setting: missing.join(", "),
          advice: "there is no default",
          isMissing: true
        })
      }
      return yield* make({ ...options, baseUrl, merchantKey, merchantSecret }).pipe(
        Effect.mapError(({ advice, setting }) =>
          invalid(setting in own ? setting : nameOf(setting), advice)
        )
      )
    })
  )

/**
 * The settings with defaults that a variable can hold.
 *
 * @category models
 * @since 0.1.0
 */
export type Limits = Omit<
  Options,
  "baseUrl" | "merchantKey" | "merchantSecret" | "headers" | "hooks" | "retrySchedule"
>

/**
 * Reads the limits from the environment, unchecked, each with its variable. An empty variable counts as
 * absent.
 *
 * @category constructors
 * @since 0.1.0
 */
export const limitsConfig: Effect.Effect<
  ReadonlyArray<{ readonly variable: string; readonly limit: Limits }>,
  Config.ConfigError
> = /* @__PURE__ */ Effect.suspend(() =>
  Effect.map(
    fromVariables,
    ({ baseUrl: _url, merchantKey: _key, merchantSecret: _secret, ...limits }) =>
      Object.entries(limits).map(([setting, value]) => ({
        variable: nameOf(setting),
        limit: { [setting]: value }
      }))
  )
)

/** The settings whose variables are set, unchecked. */
const fromVariables: Effect.Effect<
  Partial<Options>,
  Config.ConfigError
> = /* @__PURE__ */ Effect.suspend(() =>
  Effect.map(Config.all(Record.map(variables, readVariable)), (texts) =>
    Object.fromEntries(
      Object.entries(texts).flatMap(([setting, secret]) => {
        if (secret === undefined || Redacted.value(secret) === "") return []
        const text = Redacted.value(secret)
        const value = numbers.has(setting) ? Number(text.trim() || NaN) : text
        return [[setting, setting === "merchantSecret" ? secret : value]]
      })
    )
  )
)

const numbers: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "maxAttempts",
  "connections",
  "retryRatio"
])

const readVariable = (name: string) => Config.withDefault(Config.Redacted(name), undefined)

const nameOf = (setting: string): string => variables[setting as keyof typeof variables] ?? setting

const invalid = (setting: string, advice: string) => new InvalidConfig({ setting, advice })

const check = <A>(
  setting: string,
  result: Result.Result<A, string>
): Result.Result<A, InvalidConfig> => Result.mapError(result, (advice) => invalid(setting, advice))
