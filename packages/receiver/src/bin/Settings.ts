/**
 * Settings of `pawl-receiver`, from its flags and its environment.
 */
import type * as Profile from "@pawl/core/Profile"
import * as ProfileFile from "@pawl/http/internal/NodeProfileFile"
import * as PawlConfig from "@pawl/http/PawlConfig"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { isLoopback } from "@pawl/core/internal/Loopback"
import * as RetentionSettings from "@pawl/webhook/internal/work/RetentionSettings"
import * as WorkSettings from "@pawl/webhook/internal/work/WorkSettings"
import * as Access from "../internal/admin/Access.ts"
import * as Faults from "./Faults.ts"
import * as MerchantSettings from "./MerchantSettings.ts"
import * as MerchantsFile from "./MerchantsFile.ts"
import type { AdminPort } from "./Ports.ts"
import * as StoreFlag from "./StoreFlag.ts"
import { isIPv6 } from "node:net"

const port = (name: string) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "Expected a port from 0 to 65535"
    )
  )

/** Node binds every address if the host is empty. */
const host = (name: string) =>
  Flag.String(name).pipe(
    Flag.filter(
      (host) => host !== "",
      () => "Expected an address such as 127.0.0.1"
    )
  )

export const flags = {
  port: port("port").pipe(
    Flag.withDescription("The port for callbacks; 0 takes a free port (default: 4020)"),
    Flag.withDefault(4020)
  ),
  host: host("host").pipe(
    Flag.withDescription(
      "The address to bind; put TLS in front if it is not loopback (default: 127.0.0.1)"
    ),
    Flag.withDefault("127.0.0.1")
  ),
  path: Flag.String("path").pipe(
    Flag.withDescription("The path for callbacks, and for paths below it (default: /callback)"),
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
      "Moves each row to its store after you have added stores, and exits; stop all receivers and programs that use the stores first"
    ),
    Flag.withDefault(false)
  ),
  adminPort: port("admin-port").pipe(
    Flag.withDescription(
      "A separate port for the page on call, the admin API and /metrics (default: none)"
    ),
    Flag.optional
  ),
  adminHost: host("admin-host").pipe(
    Flag.withDescription(
      "The address of that port; any but loopback needs PAWL_ADMIN_TOKEN (default: 127.0.0.1)"
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
  profile: Flag.String("profile").pipe(
    Flag.withDescription(
      "A file with switches, such as the profile.json that doctor writes (default: PAWL_PROFILE)"
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

const text = (name: string) => Config.String(name).pipe(Config.withDefault(""))
const secret = (name: string) => Config.Redacted(name).pipe(Config.withDefault(Redacted.make("")))

const environment = Config.all({
  merchantKey: text("PAWL_MERCHANT_KEY"),
  merchantSecret: secret("PAWL_MERCHANT_SECRET"),
  previous: secret("PAWL_MERCHANT_SECRET_PREVIOUS"),
  forwardSecret: secret("PAWL_FORWARD_SECRET"),
  baseUrl: text("PAWL_BASE_URL"),
  adminToken: secret("PAWL_ADMIN_TOKEN"),
  adminHosts: text("PAWL_ADMIN_HOSTS"),
  merchantsFile: text("PAWL_MERCHANTS_FILE"),
  profile: text("PAWL_PROFILE"),
  ...WorkSettings.environment,
  ...RetentionSettings.environment
})

const meanings = {
  merchantKey: "the merchant's key, from the operator of the service",
  merchantSecret: "the merchant's secret, from the operator of the service",
  baseUrl: "the base URL of the service, ending in /api; --base-url sets it too"
}

const variables: Readonly<Record<string, string>> = {
  merchantKey: "PAWL_MERCHANT_KEY",
  merchantSecret: "PAWL_MERCHANT_SECRET",
  merchantSecretPrevious: "PAWL_MERCHANT_SECRET_PREVIOUS",
  forward: "--forward",
  forwardSecret: "PAWL_FORWARD_SECRET"
}
const nameOf = (setting: string): string => variables[setting] ?? setting

const reserved = /^\/(?:healthz|readyz|metrics|dead-letters|transactions)?(?:\/|$)/u

type Flags = Omit<
  Command.Command.Config.Infer<typeof flags>,
  "confirm" | "host" | "moveRows" | "port"
> & {
  readonly port?: number
}

export type Settings = Effect.Success<ReturnType<typeof make>>

/**
 * Reads the settings, or fails with one sentence for each problem. `isListed` tells whether a file
 * lists the merchants.
 */
export const make = Effect.fnUntraced(function* (flags: Flags) {
  const env = yield* environment
  const baseUrl = Option.getOrElse(flags.baseUrl, () => env.baseUrl)
  const baseName = Option.isSome(flags.baseUrl) ? "--base-url" : "PAWL_BASE_URL"
  const faults = Faults.make((setting) => (setting === "baseUrl" ? baseName : nameOf(setting)))
  const file = Option.getOrElse(flags.merchants, () => env.merchantsFile)
  const isListed = file !== ""
  const forward = Option.getOrUndefined(flags.forward)
  const merchants = isListed
    ? yield* MerchantsFile.read(file, { name: baseName, baseUrl }, faults)
    : [yield* readMerchant({ ...env, baseUrl, forward, stores: flags.store }, faults)]
  faults.unless(
    !isListed || (flags.store.length === 0 && forward === undefined),
    "--store and --forward cannot be used with --merchants: the file has them for each merchant."
  )
  const limits = yield* PawlConfig.limitsConfig
  for (const { limit, variable } of limits) {
    yield* MerchantSettings.checkClient(faults, variable, limit)
  }
  const profileFile = Option.getOrElse(flags.profile, () => env.profile)
  const profileName = Option.isSome(flags.profile) ? "--profile" : "PAWL_PROFILE"
  const profile = yield* profileFile === ""
    ? Effect.succeed<Profile.File>({})
    : ProfileFile.read(profileFile, profileName).pipe(
        Effect.catch(({ advice }) =>
          Effect.sync((): Profile.File => {
            faults.refuse(profileName, advice)
            return {}
          })
        )
      )
  const admin = adminOf(flags, env, faults)
  const work = WorkSettings.make(env, Math.max(1, ...merchants.map(({ stores }) => stores.length)))
  const retention = RetentionSettings.make(env)
  // A request never has another spelling than that of a URL.
  if (URL.parse(`http://host${flags.path}`)?.pathname !== flags.path || reserved.test(flags.path)) {
    faults.refuse(
      "--path",
      "give a path such as /callback, as a URL has it, and not /healthz, /readyz, /metrics, /dead-letters or /transactions"
    )
  }
  const sentences = [...faults.sentences, ...work.sentences, ...retention.sentences]
  if (sentences.length > 0 || !Arr.isReadonlyArrayNonEmpty(merchants)) {
    return yield* new Faults.InvalidSettings({ sentences })
  }
  return {
    merchants,
    isListed,
    admin,
    limits: work.limits,
    client: limits.reduce<PawlConfig.Limits>((all, { limit }) => ({ ...all, ...limit }), {}),
    retention: retention.layer,
    storeBytes: retention.storeBytes,
    switches: { ...profile.switches, ...work.switches }
  }
})

const readMerchant = Effect.fnUntraced(function* (
  {
    stores,
    ...given
  }: Effect.Success<typeof environment> & {
    readonly forward: string | undefined
    readonly stores: ReadonlyArray<string>
  },
  faults: Faults.Faults
): Effect.fn.Return<MerchantSettings.Merchant> {
  const { adminToken, baseUrl, merchantKey, merchantSecret } = given
  const missing = {
    merchantKey: merchantKey === "",
    merchantSecret: MerchantSettings.nonEmpty(merchantSecret) === undefined,
    baseUrl: baseUrl === ""
  }
  for (const setting of ["merchantKey", "merchantSecret", "baseUrl"] as const) {
    if (missing[setting]) faults.say(setting, `is not set: it is ${meanings[setting]}`)
  }
  const service = { baseUrl, merchantKey, merchantSecret }
  const merchant = yield* MerchantSettings.make(faults, { ...given, service }, nameOf)
  const token = {
    name: "PAWL_ADMIN_TOKEN",
    use: "opens this page from another machine",
    isSet: MerchantSettings.nonEmpty(adminToken) !== undefined
  }
  return {
    ...merchant,
    id: "",
    accounts: [],
    stores: yield* StoreFlag.read(stores, faults),
    named: [...merchant.named, token]
  }
})

const adminOf = (
  flags: Flags,
  env: { readonly adminToken: Redacted.Redacted; readonly adminHosts: string },
  faults: Faults.Faults
): AdminPort | undefined => {
  const port = Option.getOrUndefined(flags.adminPort)
  const host = Option.getOrElse(flags.adminHost, () => "127.0.0.1")
  const token = MerchantSettings.nonEmpty(env.adminToken)
  const hosts = env.adminHosts.split(",").flatMap((each) => bracketed(each.trim()) || [])
  faults.unless(!port || port !== flags.port, "--admin-port must differ from --port.")
  faults.unless(
    port !== undefined || Option.isNone(flags.adminHost),
    "--admin-host needs --admin-port: without it there is no admin API."
  )
  const needsToken = "needs PAWL_ADMIN_TOKEN: other machines must send it as a bearer token."
  faults.unless(token !== undefined || isLoopback(host), `--admin-host ${needsToken}`)
  faults.unless(token !== undefined || hosts.length === 0, `PAWL_ADMIN_HOSTS ${needsToken}`)
  if (token !== undefined && !Access.isToken(Redacted.value(token))) {
    faults.refuse("PAWL_ADMIN_TOKEN", Access.tokenAdvice)
  }
  if (token !== undefined && !isLoopback(host) && Redacted.value(token).length < 16) {
    const reason = "because other machines reach the admin port"
    faults.refuse("PAWL_ADMIN_TOKEN", `give at least 16 characters, ${reason}`)
  }
  if (!hosts.every((each) => hostAndPort.test(each))) {
    faults.refuse(
      "PAWL_ADMIN_HOSTS",
      "give host names separated by commas, such as pawl.internal,10.0.0.7:9464"
    )
  }
  return port === undefined ? undefined : { host, port, token, hosts }
}

/** Writes an IPv6 address as a `Host` header has it. */
const bracketed = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

const hostAndPort = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/iu
