/**
 * The options of `open`.
 *
 * **Details**
 *
 * | option | variable | default |
 * |---|---|---|
 * | `baseUrl` | `PAWL_BASE_URL` | none: required |
 * | `merchantKey` | `PAWL_MERCHANT_KEY` | none: required |
 * | `merchantSecret` | `PAWL_MERCHANT_SECRET` | none: required |
 * | `previousSecret` | `PAWL_MERCHANT_SECRET_PREVIOUS` | none |
 * | `store` | `PAWL_STORE` | none: required |
 * | `publicUrl` | `PAWL_PUBLIC_URL` | none: no callbacks come, and every status is read |
 * | `callbackPath` | none | `/callback` |
 * | `attemptTimeout` | `PAWL_ATTEMPT_TIMEOUT` | 10 seconds |
 * | `totalTimeout` | `PAWL_TOTAL_TIMEOUT` | 30 seconds |
 * | `maxAttempts` | `PAWL_MAX_ATTEMPTS` | 4 |
 * | `profile` | `PAWL_PROFILE` | none: the defaults of `@pawl/core/Profile` |
 * | `headers`, `hooks`, `dispatcher` | none | none |
 * | `logger` | none | stderr |
 *
 * Further variables are those of `@pawl/http/PawlConfig` and `@pawl/webhook/Seal`.
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

/**
 * The settings of the service, of the store and of the callbacks. An option counts before its variable.
 *
 * - `baseUrl`, `merchantKey`, `merchantSecret`: the environment of the service, and the credentials for it.
 * - `previousSecret`: the secret before it, while callbacks may still be signed with it.
 * - `publicUrl`: the address at which the service reaches this program, such as `https://shop.example`.
 * - `callbackPath`: the path of the callbacks below it.
 * - `attemptTimeout`, `totalTimeout`: time limits of an attempt and of a call, in milliseconds or as text: `"2 seconds"`.
 * - `maxAttempts`: the most attempts of a call.
 * - `headers`: further headers of each request, such as the key of a gateway.
 * - `dispatcher`: an agent of undici 7 or newer, for another certificate authority or a client certificate.
 * - `profile`: the switches for the silences of the specification, or the path of a file with them, such as the `profile.json` that
 *   `doctor` writes; see `@pawl/core/Profile`.
 */
export interface Settings {
  readonly baseUrl?: string | undefined
  readonly merchantKey?: string | undefined
  readonly merchantSecret?: string | undefined
  readonly previousSecret?: string | undefined
  /** Keeps requests, callbacks and statuses: `memory` (lost at the end), `sqlite:FILE` or `postgres://…`. */
  readonly store?: string | undefined
  readonly publicUrl?: string | undefined
  readonly callbackPath?: string | undefined
  readonly attemptTimeout?: number | string | undefined
  readonly totalTimeout?: number | string | undefined
  readonly maxAttempts?: number | undefined
  readonly headers?: Client.Options["headers"]
  readonly dispatcher?: Client.Options["dispatcher"]
  readonly profile?: Client.Options["profile"] | string
}

/**
 * A logger such as `console`, or one of pino or winston. `fields` has the ids and reasons of a message; no secret, access
 * token, checksum or card number.
 */
export type Logger = Readonly<Record<"debug" | "info" | "warn" | "error", LogMethod>>

type LogMethod = (message: string, fields: Record<string, unknown>) => unknown

/**
 * The functions of the merchant.
 */
export interface Handlers {
  /**
   * Called with each change of a transaction: at least once, in order, one call at a time for a transaction. A call
   * that rejects or takes longer than 5 minutes is repeated, for 24 hours.
   */
  readonly onChange: (transition: Transition) => unknown
  /**
   * Returns the input of a create with card data once more, after a crash. Card data is not stored; without this
   * function such a request waits for a person.
   */
  readonly rebuild?:
    | ((requestId: string, kind: RequestKind) => Promise<RequestInput<RequestKind>>)
    | undefined
  /** Called before each request to the service, and after its response. A hook that rejects changes nothing. */
  readonly hooks?:
    | {
        readonly onRequest?: ((event: RequestEvent) => unknown) | undefined
        readonly onResponse?: ((event: ResponseEvent) => unknown) | undefined
      }
    | undefined
  /** Takes the log in place of stderr: warnings and errors that a person should see. */
  readonly logger?: Logger | undefined
}

/**
 * The options of `open`.
 */
export interface Options extends Settings, Handlers {}

/** Returns a provider that answers with settings by the names of their variables. */
export const providerOf = (
  settings: ReadonlyArray<readonly [name: string, value: string]>
): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromEnv({
    env: Object.fromEntries(settings.map(([name, value]) => [variableOf(name), value]))
  })

/** Returns a provider that answers with the options, and then with the variables of the process. */
export const provider = (settings: Settings): ConfigProvider.ConfigProvider => {
  const given = Object.entries(settings).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== "string" && typeof value !== "number") return []
    const unit = name.endsWith("Timeout") && typeof value === "number" ? " millis" : ""
    return [[name, `${value}${unit}`] as const]
  })
  return ConfigProvider.orElse(providerOf(given), ConfigProvider.fromEnv())
}

/** Returns `PAWL_BASE_URL` for `baseUrl`. */
const variableOf = (name: string): string => {
  if (name === "previousSecret") return "PAWL_MERCHANT_SECRET_PREVIOUS"
  if (name === "previousSealKey") return "PAWL_SEAL_KEY_PREVIOUS"
  return `PAWL_${name.replaceAll(/[A-Z]/gu, "_$&").toUpperCase()}`
}

/** The names of the options of each type. The controls of a sandbox and of a fake may be among them. */
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

/** The store, and where callbacks come: the path below the public address, and the whole URL, if that is known. */
export type Read = Effect.Success<ReturnType<typeof readStore>>

/** Reads the store and the callback URL. */
export const readStore = Effect.fnUntraced(function* ({
  callbackPath = "/callback"
}: Pick<Settings, "callbackPath">) {
  const text = yield* Config.Redacted("PAWL_STORE").pipe(Config.withDefault(Redacted.make("")))
  const store = NodeStore.parse(Redacted.value(text))
  if (store === undefined) {
    const isMissing = Redacted.value(text) === ""
    return yield* new InvalidConfig({ setting: "PAWL_STORE", advice: stores, isMissing })
  }
  if (!/^\/[^?#\s]*$/u.test(callbackPath)) {
    return yield* invalid("callbackPath", "give a path such as /callback")
  }
  const publicUrl = yield* Config.String("PAWL_PUBLIC_URL").pipe(Config.withDefault(""))
  const url = URL.parse(publicUrl)
  if (publicUrl !== "" && (url === null || !/^https?:[^?#]*$/u.test(url.href))) {
    return yield* invalid("PAWL_PUBLIC_URL", "give an address such as https://shop.example")
  }
  return {
    store,
    callbackPath,
    callbackUrl: url === null ? undefined : `${url.href.replace(/\/$/u, "")}${callbackPath}`
  }
})

/** Checks the options, and reads the store and the callback URL. */
export const read = (options: Options) =>
  Effect.andThen(OptionTypes.check(options, names, "onChange"), readStore(options)).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, provider({ ...options }))
  )

const stores = "sqlite:FILE, postgres://USER@HOST/DATABASE, or memory, which is lost at the end"

const invalid = (setting: string, advice: string) => new InvalidConfig({ setting, advice })
