/**
 * What `pawl-receiver` is set up with, from its flags and its environment.
 *
 * @since 0.1.0
 */
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/**
 * Error raised when the settings cannot be right: one sentence for each that is not.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidSettings extends Data.TaggedError("InvalidSettings")<{
  readonly sentences: ReadonlyArray<string>
}> {
  override get message() {
    return this.sentences.join("\n")
  }
}

const port = (name: string) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "Expected a port from 0 to 65535"
    )
  )

/**
 * The flags.
 *
 * @category flags
 * @since 0.1.0
 */
export const flags = {
  port: port("port").pipe(
    Flag.withDescription("The port callbacks come to; 0 takes a free one (default: 4020)"),
    Flag.withDefault(4020)
  ),
  host: Flag.String("host").pipe(
    Flag.withDescription(
      "The address to bind; beyond loopback, put TLS in front (default: 127.0.0.1)"
    ),
    Flag.withDefault("127.0.0.1")
  ),
  path: Flag.String("path").pipe(
    Flag.withDescription("The path callbacks come to (default: /callback)"),
    Flag.withDefault("/callback")
  ),
  store: Flag.String("store").pipe(
    Flag.withDescription(
      "Where callbacks are kept: memory, sqlite:FILE or postgres://… (default: memory)"
    ),
    Flag.withDefault("memory")
  ),
  adminPort: port("admin-port").pipe(
    Flag.withDescription(
      "A loopback port of its own for /transactions, /dead-letters and /metrics"
    ),
    Flag.optional
  ),
  baseUrl: Flag.String("base-url").pipe(
    Flag.withDescription("The base address of the service; PAWL_BASE_URL unless given"),
    Flag.optional
  ),
  forward: Flag.String("forward").pipe(
    Flag.withDescription("Where each transition is posted to; on stdout unless given"),
    Flag.optional
  ),
  confirm: Flag.Literals("confirm", ["final", "always", "never"]).pipe(
    Flag.withDescription(
      "Which claims the service has to confirm before they are told (default: final)"
    ),
    Flag.withDefault("final")
  )
}

/**
 * Where the ledger is kept.
 *
 * @category models
 * @since 0.1.0
 */
export type Store =
  | { readonly _tag: "memory" }
  | { readonly _tag: "sqlite"; readonly filename: string }
  | { readonly _tag: "postgres"; readonly url: Redacted.Redacted }

const environment = Config.all({
  merchantKey: Config.String("PAWL_MERCHANT_KEY").pipe(Config.withDefault("")),
  merchantSecret: Config.Redacted("PAWL_MERCHANT_SECRET").pipe(
    Config.withDefault(Redacted.make(""))
  ),
  previousSecret: Config.Redacted("PAWL_MERCHANT_SECRET_PREVIOUS").pipe(
    Config.withDefault(Redacted.make(""))
  ),
  forwardSecret: Config.Redacted("PAWL_FORWARD_SECRET").pipe(Config.withDefault(Redacted.make(""))),
  baseUrl: Config.String("PAWL_BASE_URL").pipe(Config.withDefault(""))
})

const variables = {
  baseUrl: [
    "PAWL_BASE_URL",
    "the base address of the service, ending in /api; --base-url does too"
  ],
  merchantKey: ["PAWL_MERCHANT_KEY", "the merchant's key, from the operator of the service"],
  merchantSecret: [
    "PAWL_MERCHANT_SECRET",
    "the merchant's secret, from the operator of the service"
  ]
} as const

/** What stands in for what is not being looked at. */
const sound = {
  baseUrl: "https://service.example/api",
  merchantKey: "key",
  merchantSecret: Redacted.make("secret")
}

/** Says what is wrong with a secret that need not be there. */
const faultOf = (name: string, secret: Redacted.Redacted): ReadonlyArray<string> => {
  const text = Redacted.value(secret)
  return text === text.trim()
    ? []
    : [`${name} cannot be used: give it without white space around it.`]
}

const storeOf = (text: string): Store | undefined => {
  if (text === "memory") return { _tag: "memory" }
  if (/^postgres(?:ql)?:\/\//u.test(text) && URL.canParse(text)) {
    return { _tag: "postgres", url: Redacted.make(text) }
  }
  const [, filename] = /^sqlite:(.+)$/u.exec(text) ?? []
  return filename === undefined ? undefined : { _tag: "sqlite", filename }
}

const isTarget = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/u.test(url.protocol) && url.username + url.password === ""
}

const taken = /^\/(?:healthz|metrics|dead-letters|transactions)?(?:\/|$)/u

const present = (secret: Redacted.Redacted): Redacted.Redacted | undefined =>
  Redacted.value(secret) === "" ? undefined : secret

/**
 * Reads the settings, or says everything that is wrong with them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (given: {
  readonly path: string
  readonly store: string
  readonly baseUrl: Option.Option<string>
  readonly forward: Option.Option<string>
}) {
  const env = yield* environment
  const baseUrl = Option.getOrElse(given.baseUrl, () => env.baseUrl)
  const forward = Option.getOrUndefined(given.forward)
  const store = storeOf(given.store)
  const service = { baseUrl, merchantKey: env.merchantKey, merchantSecret: env.merchantSecret }

  const credentials = yield* Effect.forEach(
    ["merchantKey", "merchantSecret", "baseUrl"] as const,
    (setting) => {
      const [variable, meaning] = variables[setting]
      const name = setting === "baseUrl" && Option.isSome(given.baseUrl) ? "--base-url" : variable
      const value = service[setting]
      const isMissing = (Redacted.isRedacted(value) ? Redacted.value(value) : value) === ""
      return isMissing
        ? Effect.succeed([`${variable} is not set: it is ${meaning}.`])
        : Effect.match(PawlConfig.make({ ...sound, [setting]: value }), {
            onFailure: ({ advice }) => [`${name} cannot be used: ${advice}.`],
            onSuccess: () => []
          })
    }
  )
  const sentences = [
    ...credentials.flat(),
    ...faultOf("PAWL_MERCHANT_SECRET_PREVIOUS", env.previousSecret),
    ...faultOf("PAWL_FORWARD_SECRET", env.forwardSecret),
    ...(store === undefined
      ? ["--store cannot be used: give memory, sqlite:FILE or postgres://USER@HOST/DATABASE."]
      : []),
    ...(forward === undefined || isTarget(forward)
      ? []
      : ["--forward cannot be used: give an http or https URL without credentials in it."]),
    ...(/^\/[^?#\s]*$/u.test(given.path) && !taken.test(given.path)
      ? []
      : [
          "--path cannot be used: give a path such as /callback, and none that is answered already."
        ])
  ]
  if (store === undefined || sentences.length > 0) return yield* new InvalidSettings({ sentences })
  return {
    store,
    service,
    forward,
    forwardSecret: present(env.forwardSecret) ?? env.merchantSecret,
    secrets: { current: env.merchantSecret, previous: present(env.previousSecret) }
  }
})
