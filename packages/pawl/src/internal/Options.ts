/**
 * The options of `open`. Further variables are those of `@pawl/http/PawlConfig` and `@pawl/webhook/Seal`.
 */
import type { Transition } from "@pawl/core/Handler"
import type { RequestEvent, ResponseEvent } from "@pawl/http/Hooks"
import type * as Client from "@pawl/http/Pawl"
import * as OptionTypes from "./OptionTypes.ts"
import { InvalidConfig } from "@pawl/http/PawlConfig"
import type { RequestInput, RequestKind } from "@pawl/core/RequestSender"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** The settings of `open`. An option takes precedence over its variable. */
interface Settings extends LocalOptions {
  /** Base URL of the service's environment, which ends in `/api`; `PAWL_BASE_URL`, required. */
  readonly baseUrl?: string | undefined
  /** Key of the merchant; `PAWL_MERCHANT_KEY`, required. */
  readonly merchantKey?: string | undefined
  /** Secret of the merchant; `PAWL_MERCHANT_SECRET`, required. */
  readonly merchantSecret?: string | undefined
  /**
   * Previous secret of the merchant, while callbacks may still be signed with it;
   * `PAWL_MERCHANT_SECRET_PREVIOUS`.
   */
  readonly previousSecret?: string | undefined
  /**
   * Time limit of an attempt, in milliseconds or as text: `"2 seconds"`; `PAWL_ATTEMPT_TIMEOUT`;
   * default: 10 seconds.
   */
  readonly attemptTimeout?: number | string | undefined
  /** Time limit of a call with all its attempts and waits; `PAWL_TOTAL_TIMEOUT`; default: 30 seconds. */
  readonly totalTimeout?: number | string | undefined
  /** Maximum attempts of a call; `PAWL_MAX_ATTEMPTS`; default: 4. */
  readonly maxAttempts?: number | undefined
  /** Additional headers of each request, such as the key of an API gateway. */
  readonly headers?: Client.Options["headers"]
  /** Agent of undici 7 or newer, for another certificate authority or a client certificate. */
  readonly dispatcher?: Client.Options["dispatcher"]
}

/**
 * A logger such as `console`, or one of pino or winston. `fields` has ids and reasons, and no secret,
 * access token, checksum or card number.
 */
export type Logger = Readonly<Record<"debug" | "info" | "warn" | "error", LogMethod>>

type LogMethod = (message: string, fields: Record<string, unknown>) => unknown

/** The options that need no connection to the service. */
export interface LocalOptions {
  /**
   * Store of requests, callbacks and statuses: `memory` (lost at the end), `sqlite:FILE` or
   * `postgres://…`; `PAWL_STORE`, required.
   */
  readonly store?: string | undefined
  /**
   * Public URL of this program, such as `https://shop.example`; `PAWL_PUBLIC_URL`. Without it no callbacks
   * come, and every status is polled.
   */
  readonly publicUrl?: string | undefined
  /** Path of the callbacks below `publicUrl`; default: `/callback`. */
  readonly callbackPath?: string | undefined
  /**
   * Switches of `@pawl/core/Profile`, or the path of a file with them, such as `doctor` writes;
   * `PAWL_PROFILE`.
   */
  readonly profile?: Client.Options["profile"] | string
  /**
   * Returns the input of a create with card data after a crash, because card data is not stored. Without
   * it such a request waits for a person.
   */
  readonly rebuild?:
    | ((requestId: string, kind: RequestKind) => Promise<RequestInput<RequestKind>>)
    | undefined
  /** Takes the log; default: stderr. */
  readonly logger?: Logger | undefined
}

/**
 * The functions of the merchant.
 */
export interface Handlers {
  /**
   * Handles each transition: at least once, in order, one at a time per transaction. A call that rejects
   * or takes longer than 5 minutes is retried, for 24 hours.
   */
  readonly onChange: (transition: Transition) => unknown
  /** Functions before each request and after its response; a rejection changes nothing. */
  readonly hooks?:
    | {
        /** Is called before each request to the service. */
        readonly onRequest?: ((event: RequestEvent) => unknown) | undefined
        /** Is called after each request, with its response or error. */
        readonly onResponse?: ((event: ResponseEvent) => unknown) | undefined
      }
    | undefined
}

/**
 * The options of `open`.
 */
export interface Options extends Settings, Handlers {}

export const providerOf = (
  settings: ReadonlyArray<readonly [name: string, value: string]>
): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromEnv({
    env: Object.fromEntries(settings.map(([name, value]) => [variableOf(name), value]))
  })

/** Provides the options, and in a program the variables of its environment for the others. */
export const provider = (settings: Settings, isTest = false): ConfigProvider.ConfigProvider => {
  const given = Object.entries(settings).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== "string" && typeof value !== "number") return []
    const unit = name.endsWith("Timeout") && typeof value === "number" ? " millis" : ""
    return [[name, `${value}${unit}`] as const]
  })
  const options = providerOf(given)
  return isTest ? options : ConfigProvider.orElse(options, ConfigProvider.fromEnv())
}

/** Names the option in an error that names its variable; both if a setting is missing. */
export const blamed = (error: unknown, options: Options): unknown => {
  // @effect-diagnostics-next-line instanceOfSchema:off
  if (!(error instanceof InvalidConfig)) return error
  if (error.isMissing) {
    const missing = required.filter((name) => error.setting.includes(variableOf(name)))
    return new InvalidConfig({
      ...error,
      setting: `${missing.join(", ")} of open, or ${error.setting}`,
      advice: `${error.advice}; to try it, npx pawl sandbox -- node FILE sets all of them`
    })
  }
  for (const name in options) {
    if (variableOf(name) !== error.setting) continue
    if (options[name as keyof Options] !== undefined) return invalid(name, error.advice)
  }
  return error
}

const required = ["baseUrl", "merchantKey", "merchantSecret", "store"]

const variableOf = (name: string): string => {
  if (name === "previousSecret") return "PAWL_MERCHANT_SECRET_PREVIOUS"
  if (name === "previousSealKey") return "PAWL_SEAL_KEY_PREVIOUS"
  return `PAWL_${name.replaceAll(/[A-Z]/gu, "_$&").toUpperCase()}`
}

/** The controls of a sandbox and of a fake may be among them. */
const names: OptionTypes.Names = {
  text: "baseUrl merchantKey merchantSecret previousSecret store publicUrl callbackPath",
  time: "attemptTimeout totalTimeout",
  number: "maxAttempts",
  object: "headers",
  function: "onChange rebuild",
  hooks: "hooks",
  logger: "logger",
  dispatcher: "dispatcher",
  profile: "profile",
  ignored: "clock service close fake"
}

export type Read = Effect.Success<ReturnType<typeof readStore>>

export const readStore = Effect.fnUntraced(function* ({
  callbackPath = "/callback"
}: Pick<Settings, "callbackPath">) {
  const text = yield* Config.Redacted("PAWL_STORE").pipe(Config.withDefault(Redacted.make("")))
  const store = NodeStore.parse(Redacted.value(text))
  if (store === undefined) {
    const isMissing = Redacted.value(text) === ""
    return yield* new InvalidConfig({ setting: "PAWL_STORE", advice: stores, isMissing })
  }
  if (URL.parse(`http://h${callbackPath}`)?.pathname !== callbackPath) {
    return yield* invalid("callbackPath", "give a path such as /callback")
  }
  const publicUrl = yield* Config.String("PAWL_PUBLIC_URL").pipe(Config.withDefault(""))
  const url = URL.parse(publicUrl)
  if (publicUrl !== "" && (url === null || !/^https?:[^?#]*$/u.test(url.href))) {
    return yield* invalid("PAWL_PUBLIC_URL", "give a URL such as https://shop.example")
  }
  return {
    store,
    callbackPath,
    callbackUrl: url === null ? undefined : `${url.href.replace(/\/$/u, "")}${callbackPath}`
  }
})

/** Checks a copy of the options, because the program may change its own before everything is open. */
export const read = Effect.fnUntraced(function* (given: Options) {
  const options = Result.getOrElse(
    Result.try(() => (OptionTypes.isObject(given) ? { ...given } : given)),
    () => given
  )
  yield* OptionTypes.check(options, names, "onChange")
  const settings = yield* readStore(options).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, provider(options))
  )
  return { options, settings }
})

const stores = "sqlite:FILE, postgres://USER@HOST/DATABASE, or memory, which is lost at the end"

const invalid = (setting: string, advice: string) => new InvalidConfig({ setting, advice })
