import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Handler from "@pawl/core/Handler"
import type { Hmac } from "@pawl/core/Hmac"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import * as Pawl from "@pawl/http/Pawl"
import type { Policy } from "@pawl/core/Evidence"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Admin from "../Admin.ts"
import * as Forwarder from "../Forwarder.ts"
import * as Merchants from "../Merchants.ts"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Room from "@pawl/webhook/internal/records/Room"
import * as Verifier from "@pawl/webhook/Verifier"
import type { Worker } from "@pawl/webhook/internal/work/Worker"
import type { Merchant } from "./MerchantSettings.ts"
import type * as Settings from "./Settings.ts"

interface Options {
  readonly settings: Settings.Settings
  readonly policy: Policy
  readonly page: Admin.Options["page"]
  readonly ready: Latch.Latch
}

type Services = Admin.Admin | Receiver.Receiver | Worker
type Failure = Layer.Error<ReturnType<typeof receiverOf>> | Merchants.InvalidMerchant

export const layer = (options: Options): Layer.Layer<Services, Failure> => {
  const parts: Layer.Layer<Services, Failure, Hmac> = options.settings.isListed
    ? layerSeveral(options)
    : layerOne(options)
  return Layer.provide(parts, [NodeHmac.layer, Profile.layer(options.settings.switches)])
}

const layerOne = (options: Options) => {
  const { page, policy, settings } = options
  const [merchant] = settings.merchants
  const room = Layer.succeed(Room.Limit, settings.storeBytes ?? Infinity)
  const store = Layer.provide(NodeStore.layer(...merchant.stores), room)
  return Admin.layer({ policy, ...settings.admin, page, secrets: merchant.named }).pipe(
    Layer.provideMerge(receiverOf(merchant, store, options))
  )
}

const layerSeveral = (options: Options) => {
  const { page, policy, settings } = options
  const { admin, merchants } = settings
  const connections = connectionsOf(merchants)
  const secrets = Object.fromEntries(merchants.map(({ id, named }) => [id, named]))
  return Merchants.layerAdmin({ policy, ...admin, page, secrets }).pipe(
    Layer.provideMerge(
      Merchants.layer(
        merchants.map((merchant) => ({
          id: merchant.id,
          accounts: merchant.accounts,
          storeBytes: merchant.storeBytes ?? settings.storeBytes,
          layer: named(
            merchant,
            receiverOf(merchant, NodeStore.layerWith({ connections }, ...merchant.stores), options)
          )
        }))
      )
    )
  )
}

/**
 * Limits the connections to each PostgreSQL database of many merchants, so that all fit on a
 * server.
 */
const connectionsOf = (merchants: ReadonlyArray<Merchant>): number => {
  const databases = merchants
    .flatMap(({ stores }) => stores)
    .filter(({ _tag }) => _tag === "postgres")
  return Math.min(10, Math.max(2, Math.floor(80 / databases.length)))
}

/** An error of a store names the merchant, because the addresses of databases are not printed. */
const named = ({ id }: Merchant, layer: ReturnType<typeof receiverOf>) =>
  Layer.effectContext(
    Effect.catchTag(Layer.build(layer), "StoreUnusable", ({ message }) =>
      Effect.fail(new NodeStore.StoreUnusable({ message: `Merchant ${id}: ${message}` }))
    )
  )

const receiverOf = (
  merchant: Merchant,
  store: ReturnType<typeof NodeStore.layer>,
  { policy, ready, settings }: Options
) => {
  const { accounts, forward, forwardSecret: secret, id, keepMonths, secrets, service } = merchant
  const handler: Layer.Layer<Handler.Handler, never, Hmac> =
    forward === undefined
      ? layerStdout(ready, id)
      : Layer.provide(Forwarder.layer({ url: forward, secret }), NodeHttpClient.layerUndici)
  return Receiver.layer({ policy, limits: settings.limits }).pipe(
    Layer.provide([
      handler,
      Pawl.layer({ ...settings.client, ...service }),
      Verifier.layer({ ...secrets, ...(accounts.length > 0 && { accounts }) }),
      settings.retention(keepMonths)
    ]),
    Layer.provideMerge(store)
  )
}

/** If a line cannot be written, the call of the handler fails. */
const layerStdout = (ready: Latch.Latch, merchant: string) =>
  Handler.layer((transition) =>
    Effect.andThen(
      ready.await,
      Effect.callback<void, Error>((resume) => {
        const body = Forwarder.bodyOf(transition)
        const line =
          merchant === "" ? body : `{"merchant":${JSON.stringify(merchant)},${body.slice(1)}`
        process.stdout.write(`${line}\n`, (error) =>
          resume(error ? Effect.fail(error) : Effect.void)
        )
      })
    )
  )
