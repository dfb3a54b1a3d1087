/**
 * The layers of the command `receiver`: of one merchant, and of several ones.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Handler from "@pawl/core/Handler"
import type { Hmac } from "@pawl/core/Hmac"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import * as Pawl from "@pawl/http/Pawl"
import type { Policy } from "@pawl/core/Evidence"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Activity from "@pawl/webhook/internal/journal/Activity"
import * as Admin from "../Admin.ts"
import * as Forwarder from "../Forwarder.ts"
import * as Condition from "@pawl/webhook/internal/work/Condition"
import { Journal } from "@pawl/webhook/Journal"
import { Ledger } from "@pawl/webhook/Ledger"
import * as Merchants from "../Merchants.ts"
import * as MerchantsAdmin from "../MerchantsAdmin.ts"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import { Worker } from "@pawl/webhook/internal/work/Worker"
import type { Merchant } from "./MerchantEntry.ts"
import type * as Settings from "./Settings.ts"

interface Options {
  readonly settings: Settings.Settings
  readonly policy: Policy
  readonly page: Admin.Options["page"]
  readonly ready: Latch.Latch
}

/** The services that the ports serve, and the condition of the receiver. */
interface Built {
  readonly context: Context.Context<Admin.Admin | Receiver.Receiver | Worker>
  readonly condition: Effect.Effect<{ readonly ready: boolean }>
}

/** Starts the receiver of one merchant, until the scope ends. */
export const buildOne = Effect.fnUntraced(function* ({ page, policy, ready, settings }: Options) {
  const { admin, named, stores } = settings
  const context = yield* Layer.build(
    Admin.layer({ policy, ...admin, page, secrets: named }).pipe(
      Layer.provideMerge(
        receiverOf(settings, {
          settings,
          policy,
          handler: handlerOf(settings, layerStdout(ready)),
          store: NodeStore.layer(...stores)
        })
      ),
      Layer.provide([NodeHmac.layer, Profile.layer(settings.switches)])
    )
  )
  const { read } = yield* Condition.make({
    ledger: Context.get(context, Ledger),
    latest: Activity.observe(Context.get(context, Journal)),
    worker: Context.get(context, Worker)
  })
  const built: Built = { context, condition: read }
  return built
})

/** Starts the receiver of several merchants, until the scope ends. */
export const buildSeveral = Effect.fnUntraced(function* (
  merchants: ReadonlyArray<Merchant>,
  { page, policy, ready, settings }: Options
) {
  const connections = connectionsOf(merchants)
  const secrets = Object.fromEntries(merchants.map(({ id, named }) => [id, named]))
  const context = yield* Layer.build(
    MerchantsAdmin.layer({ policy, ...settings.admin, page, secrets }).pipe(
      Layer.provideMerge(
        Merchants.layer(
          merchants.map((merchant) => ({
            id: merchant.id,
            accounts: merchant.accounts,
            layer: receiverOf(merchant, {
              settings,
              policy,
              handler: handlerOf(merchant, layerStdout(ready, merchant.id)),
              store: storeOf(merchant, connections)
            })
          }))
        )
      ),
      Layer.provide([NodeHmac.layer, Profile.layer(settings.switches)])
    )
  )
  const checks = [...Context.get(context, Merchants.Merchants).values()].map(
    ({ services }) => Context.get(services, Ledger).checkWritable
  )
  const { read } = yield* conditionOf(checks, Context.get(context, Worker).isDraining)
  const built: Built = { context, condition: read }
  return built
})

/**
 * A receiver of several merchants is ready while one of their stores can be written: a store that is down must not take
 * the others out of service. Nothing tells how many stores there are, because every network may ask.
 */
const conditionOf = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Ledger["Service"]["checkWritable"]>,
  isDraining: Effect.Effect<boolean>
) {
  let first = 0
  const check = Effect.gen(function* () {
    for (let tried = 0; tried < checks.length; tried++) {
      if (yield* Effect.isSuccess(checks[first] ?? Effect.void)) return true
      first = (first + 1) % checks.length
    }
    return false
  })
  const isWritable = yield* Effect.cachedWithTTL(check, "1 second")
  const read = Effect.gen(function* () {
    const [writable, ending] = [yield* isWritable, yield* isDraining]
    return {
      ready: writable && !ending,
      store: writable ? "writable" : "not writable",
      worker: ending ? "ending" : "running"
    }
  })
  return { read }
})

/** The most connections to each PostgreSQL database of many merchants, so that all of them fit on a server. */
const connectionsOf = (merchants: ReadonlyArray<Merchant>): number => {
  const databases = merchants
    .flatMap(({ stores }) => stores)
    .filter(({ _tag }) => _tag === "postgres")
  return Math.min(10, Math.max(2, Math.floor(80 / databases.length)))
}

/** Opens the store of a merchant. An error names him, because the addresses of databases are not printed. */
const storeOf = ({ id, stores }: Merchant, connections: number) =>
  Layer.effectContext(
    Effect.mapError(
      Layer.build(NodeStore.layerWith({ connections }, ...stores)),
      ({ message }) => new NodeStore.StoreUnusable({ message: `Merchant ${id}: ${message}` })
    )
  )

const receiverOf = (
  {
    accounts,
    keepMonths,
    secrets,
    service
  }: Pick<Merchant, "accounts" | "keepMonths" | "secrets" | "service">,
  options: {
    readonly settings: Settings.Settings
    readonly policy: Policy
    readonly handler: ReturnType<typeof handlerOf>
    readonly store: ReturnType<typeof NodeStore.layer>
  }
) =>
  Receiver.layer({ policy: options.policy, limits: options.settings.limits }).pipe(
    Layer.provide([
      options.handler,
      Pawl.layer({ ...options.settings.client, ...service }),
      Verifier.layer({ ...secrets, ...(accounts.length > 0 && { accounts }) }),
      options.settings.retention(keepMonths)
    ]),
    Layer.provideMerge(options.store)
  )

const handlerOf = (
  {
    forward,
    forwardSecret
  }: { readonly forward: string | undefined; readonly forwardSecret: Redacted.Redacted },
  stdout: Layer.Layer<Handler.Handler>
): Layer.Layer<Handler.Handler, never, Hmac> =>
  forward === undefined
    ? stdout
    : Layer.provide(
        Forwarder.layer({ url: forward, secret: forwardSecret }),
        NodeHttpClient.layerUndici
      )

/**
 * Prints transitions after `ready` was printed, with the merchant first if there are several. If a line cannot be written,
 * the call of the handler fails.
 */
const layerStdout = (ready: Latch.Latch, merchant?: string) =>
  Handler.layer((transition) =>
    Effect.andThen(
      ready.await,
      Effect.callback<void, Error>((resume) => {
        const body = Forwarder.bodyOf(transition)
        const line =
          merchant === undefined ? body : `{"merchant":${JSON.stringify(merchant)},${body.slice(1)}`
        process.stdout.write(`${line}\n`, (error) =>
          resume(error ? Effect.fail(error) : Effect.void)
        )
      })
    )
  )
