/**
 * Settings of `pawl-receiver`, from its flags and its environment.
 */
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as Flag from "effect/cli/Flag"
import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as RetentionSettings from "@pawl/webhook/internal/work/RetentionSettings"
import * as WorkSettings from "@pawl/webhook/internal/work/WorkSettings"
import * as AdminSettings from "./AdminSettings.ts"
import * as MerchantsFile from "./MerchantsFile.ts"
import { isForwardSecret, isForwardUrl, named, nonEmpty, validSettings } from "./SettingRules.ts"

/** Error raised when settings are missing or invalid: one sentence for each. */
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

/** Flags of the command line. */
export const flags = {
  port: port("port").pipe(
    Flag.withDescription("The port for callbacks; 0 takes a free port (default: 4020)"),
    Flag.withDefault(4020)
  ),
  host: Flag.String("host").pipe(
    Flag.withDescription(
      "The address to bind; put TLS in front if it is not loopback (default: 127.0.0.1)"
    ),
    Flag.withDefault("127.0.0.1")
  ),
  path: Flag.String("path").pipe(
    Flag.withDescription("The path for callbacks (default: /callback)"),
    Flag.withDefault("/callback")
  ),
  store: Flag.String("store").pipe(
    Flag.withDescription(
      "The store for callbacks: memory, sqlite:FILE or postgres://…; several are shards (default: PAWL_STORE, else memory)"
    ),
    Flag.atLeast(0)
  ),
  moveRows: Flag.Boolean("move-rows").pipe(
    Flag.withDescription(
      "Moves each row to its store after stores were added, and ends; stop all receivers before"
    ),
    Flag.withDefault(false)
  ),
  adminPort: port("admin-port").pipe(
    Flag.withDescription(
      "A separate port for /transactions, /dead-letters and /metrics (default: none)"
    ),
    Flag.optional
  ),
  adminHost: Flag.String("admin-host").pipe(
    Flag.withDescription(
      "The address of that port; another one than loopback needs PAWL_ADMIN_TOKEN (default: 127.0.0.1)"
    ),
    Flag.optional
  ),
  baseUrl: Flag.String("base-url").pipe(
    Flag.withDescription("The base URL of the service (default: PAWL_BASE_URL)"),
    Flag.optional
  ),
  forward: Flag.String("forward").pipe(
    Flag.withDescription("The URL to post each transition to (default: print it on stdout)"),
    Flag.optional
  ),
  merchants: Flag.String("merchants").pipe(
    Flag.withDescription(
      "A JSON file that lists several merchants, each with credentials, store and forward URL (default: PAWL_MERCHANTS_FILE)"
    ),
    Flag.optional
  ),
  confirm: Flag.Literals("confirm", ["final", "always", "never"]).pipe(
    Flag.withDescription(
      "The claims that the service must confirm before they are reported (default: final)"
    ),
    Flag.withDefault("final")
  )
}

const storeVariable = Config.Redacted("PAWL_STORE").pipe(Config.withDefault(Redacted.make("")))

const environment = Config.all({
  merchantKey: Config.String("PAWL_MERCHANT_KEY").pipe(Config.withDefault("")),
  merchantSecret: Config.Redacted("PAWL_MERCHANT_SECRET").pipe(
    Config.withDefault(Redacted.make(""))
  ),
  previousSecret: Config.Redacted("PAWL_MERCHANT_SECRET_PREVIOUS").pipe(
    Config.withDefault(Redacted.make(""))
  ),
  forwardSecret: Config.Redacted("PAWL_FORWARD_SECRET").pipe(Config.withDefault(Redacted.make(""))),
  baseUrl: Config.String("PAWL_BASE_URL").pipe(Config.withDefault("")),
  store: storeVariable,
  adminToken: Config.Redacted("PAWL_ADMIN_TOKEN").pipe(Config.withDefault(Redacted.make(""))),
  adminHosts: Config.String("PAWL_ADMIN_HOSTS").pipe(Config.withDefault("")),
  merchantsFile: Config.String("PAWL_MERCHANTS_FILE").pipe(Config.withDefault("")),
  ...WorkSettings.environment,
  ...RetentionSettings.environment
})

const variables = {
  baseUrl: ["PAWL_BASE_URL", "the base URL of the service, ending in /api; --base-url sets it too"],
  merchantKey: ["PAWL_MERCHANT_KEY", "the merchant's key, from the operator of the service"],
  merchantSecret: [
    "PAWL_MERCHANT_SECRET",
    "the merchant's secret, from the operator of the service"
  ]
} as const

/** Returns the problems of an optional secret. */
const problemsOf = (name: string, secret: Redacted.Redacted): ReadonlyArray<string> => {
  const text = Redacted.value(secret)
  return text === text.trim()
    ? []
    : [`${name} cannot be used: give it without white space around it.`]
}

const forwardSecretProblems = (secret: Redacted.Redacted): ReadonlyArray<string> =>
  isForwardSecret(secret)
    ? problemsOf("PAWL_FORWARD_SECRET", secret)
    : ["PAWL_FORWARD_SECRET cannot be used: after whsec_ give the key in base64."]

/** Every process of the machine can read arguments, so a password may only come from the environment. */
const hasPassword = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.password !== "" || url.searchParams.has("password"))
}

const reserved = /^\/(?:healthz|readyz|metrics|dead-letters|transactions)?(?:\/|$)/u

/** Reads the stores from their flags or their variable. Each problem is a sentence. */
export const storesOf = (flags: ReadonlyArray<string>, variable: Redacted.Redacted) => {
  const isFlag = flags.length > 0
  const text = Redacted.value(variable) || "memory"
  const stores = isFlag ? NodeStore.parseEach(flags) : NodeStore.parseAll(text)
  const sentences =
    stores === undefined
      ? [
          `${isFlag ? "--store" : "PAWL_STORE"} cannot be used: give memory, sqlite:FILE or postgres://USER@HOST/DATABASE.`
        ]
      : flags.some(hasPassword)
        ? [
            "--store cannot be used with a password, because every user of this machine can read arguments: set PAWL_STORE to this PostgreSQL address instead."
          ]
        : []
  return { stores, sentences }
}

/** Reads the databases of a store, or fails with one sentence for each problem. */
export const databases = Effect.fnUntraced(function* (flags: ReadonlyArray<string>) {
  const variable = yield* Effect.orDie(storeVariable)
  const { sentences, stores } = storesOf(flags, variable)
  const isNamed = flags.length > 0 || nonEmpty(variable) !== undefined
  if (sentences.length > 0) return yield* new InvalidSettings({ sentences })
  const all: ReadonlyArray<NodeStore.Store> = stores ?? []
  const kept = all.filter(NodeStore.isDatabase)
  if (isNamed && kept.length < all.length) {
    return yield* new InvalidSettings({
      sentences: ["A store in memory has no tables: give sqlite:FILE or postgres://…."]
    })
  }
  if (Arr.isArrayNonEmpty(kept)) return kept
  return yield* new InvalidSettings({
    sentences: ["--store is needed: give sqlite:FILE or postgres://…, or set PAWL_STORE."]
  })
})

/** The settings of the command. With `merchants` those of one merchant do not count. */
export type Settings = Effect.Success<ReturnType<typeof make>>

/** Reads the settings, or fails with one sentence for each problem. */
export const make = Effect.fnUntraced(function* (flags: {
  readonly path: string
  readonly port?: number
  readonly store: ReadonlyArray<string>
  readonly adminPort: Option.Option<number>
  readonly adminHost: Option.Option<string>
  readonly baseUrl: Option.Option<string>
  readonly forward: Option.Option<string>
  readonly merchants: Option.Option<string>
}) {
  const env = yield* environment
  const baseUrl = Option.getOrElse(flags.baseUrl, () => env.baseUrl)
  const forward = Option.getOrUndefined(flags.forward)
  const file = Option.getOrElse(flags.merchants, () => env.merchantsFile)
  const nameOfUrl = Option.isSome(flags.baseUrl) ? "--base-url" : "PAWL_BASE_URL"
  const listed =
    file === "" ? undefined : yield* MerchantsFile.read(file, { name: nameOfUrl, baseUrl })
  const { sentences: storeSentences, stores } = storesOf(flags.store, env.store)
  const shards = listed === undefined ? [stores] : listed.merchants.map((each) => each.stores)
  const work = WorkSettings.make(env, Math.max(1, ...shards.map((each) => each?.length ?? 1)))
  const retention = RetentionSettings.make(env)
  const admin = AdminSettings.make({ ...flags, ...env })
  const service = { baseUrl, merchantKey: env.merchantKey, merchantSecret: env.merchantSecret }

  const credentials = yield* Effect.forEach(
    ["merchantKey", "merchantSecret", "baseUrl"] as const,
    (setting) => {
      const [variable, meaning] = variables[setting]
      const name = setting === "baseUrl" ? nameOfUrl : variable
      const value = service[setting]
      const isMissing = (Redacted.isRedacted(value) ? Redacted.value(value) : value) === ""
      return isMissing
        ? Effect.succeed([`${variable} is not set: it is ${meaning}.`])
        : Effect.match(PawlConfig.make({ ...validSettings, [setting]: value }), {
            onFailure: ({ advice }) => [`${name} cannot be used: ${advice}.`],
            onSuccess: () => []
          })
    }
  )
  const limits = yield* PawlConfig.limitsConfig
  const limitSentences = yield* Effect.forEach(limits, ({ limit, variable }) =>
    Effect.match(PawlConfig.make({ ...validSettings, ...limit }), {
      onFailure: ({ advice }) => [`${variable} cannot be used: ${advice}.`],
      onSuccess: () => []
    })
  )
  const own = [
    ...credentials.flat(),
    ...problemsOf("PAWL_MERCHANT_SECRET_PREVIOUS", env.previousSecret),
    ...forwardSecretProblems(env.forwardSecret),
    ...storeSentences
  ]
  const isMixed = flags.store.length > 0 || forward !== undefined
  const sentences = [
    ...(listed?.sentences ?? own),
    ...(listed !== undefined && isMixed
      ? [
          "--store and --forward cannot be used with --merchants: the file has them for each merchant."
        ]
      : []),
    ...limitSentences.flat(),
    ...admin.sentences,
    ...work.sentences,
    ...retention.sentences,
    ...(forward === undefined || isForwardUrl(forward)
      ? []
      : ["--forward cannot be used: give an http or https URL without credentials."]),
    ...(/^\/[^?#\s]*$/u.test(flags.path) && !reserved.test(flags.path)
      ? []
      : [
          "--path cannot be used: give a path such as /callback, and not /healthz, /readyz, /metrics, /dead-letters or /transactions."
        ])
  ]
  if (sentences.length > 0 || (stores === undefined && listed === undefined)) {
    return yield* new InvalidSettings({ sentences })
  }
  return {
    stores: stores ?? ([{ _tag: "memory" }] as const),
    accounts: [],
    merchants: listed?.merchants,
    limits: work.limits,
    client: limits.reduce<PawlConfig.Limits>((all, { limit }) => ({ ...all, ...limit }), {}),
    retention: retention.layer,
    switches: work.switches,
    admin: admin.settings,
    service,
    forward,
    forwardSecret: nonEmpty(env.forwardSecret) ?? env.merchantSecret,
    secrets: { current: env.merchantSecret, previous: nonEmpty(env.previousSecret) },
    named: [
      ...named(
        { current: env.merchantSecret, previous: env.previousSecret, forward: env.forwardSecret },
        {
          current: "PAWL_MERCHANT_SECRET",
          previous: "PAWL_MERCHANT_SECRET_PREVIOUS",
          forward: "PAWL_FORWARD_SECRET"
        }
      ),
      {
        name: "PAWL_ADMIN_TOKEN",
        use: "opens this page from another machine",
        isSet: nonEmpty(env.adminToken) !== undefined
      }
    ]
  }
})
