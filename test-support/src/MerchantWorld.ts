/** A receiver of some merchants, whose calls of the handlers are recorded. */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import * as Merchants from "@pawl/receiver/Merchants"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import { apm, checksum, incoming, tokenOf } from "./Service.ts"

/**
 * A merchant. Without `accounts` it accepts every account. `secret` is its id, unless it is given.
 */
export interface Shop {
  readonly id: string
  readonly accounts?: ReadonlyArray<string>
  readonly secret?: string
  /** The merchant key: the id, unless it is given. */
  readonly key?: string
  readonly handle?: Handler.Handler["Service"]["handle"]
  readonly read?: StatusReader["Service"]["read"]
  readonly ledger?: Layer.Layer<Ledger, unknown>
  readonly storeBytes?: number
  readonly options?: Receiver.Options
}

interface Call {
  readonly merchant: string
  readonly transactionId: string
  readonly to: Status
  readonly at: number
}

const secretOf = ({ id, secret }: Shop): string => secret ?? `secret of ${id}`

export const make = Effect.fnUntraced(function* (shops: ReadonlyArray<Shop>) {
  const calls: Array<Call> = []
  const merchantOf = (shop: Shop): Merchants.Merchant<unknown> => {
    const { accounts, handle, id, key = shop.id, ledger = layerMemory, read, storeBytes } = shop
    const handler = Handler.layer((transition) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        const { to, transactionId } = transition
        calls.push({ merchant: id, transactionId, to, at })
        return handle?.(transition) ?? Effect.void
      })
    )
    const reader = Layer.succeed(StatusReader, {
      account: { merchantKey: key, baseUrl: "https://pay.example/api" },
      read: read ?? (() => Effect.succeed({ kind: "apm-payment", status: "SUCCEED" }))
    })
    const current = Redacted.make(secretOf(shop))
    return {
      id,
      accounts,
      storeBytes,
      layer: Receiver.layer(shop.options).pipe(
        Layer.provide([handler, reader, Verifier.layer({ current, accounts })]),
        Layer.provide(NodeHmac.layer),
        Layer.provideMerge(ledger)
      )
    }
  }
  const built = yield* Layer.build(
    Layer.provide(Merchants.layer(shops.map(merchantOf)), NodeHmac.layer)
  )
  const all = Context.get(built, Merchants.Merchants)
  const { receive } = Context.get(built, Receiver.Receiver)
  const ledgerOf = (id: string) =>
    Effect.suspend(() => {
      const services = all.get(id)?.services
      return services === undefined
        ? Effect.die(new Error(`no merchant ${id}`))
        : Effect.succeed(Context.get(services, Ledger))
    })
  const rowOf = (id: string, transactionId: string) =>
    Effect.flatMap(ledgerOf(id), (ledger) => ledger.get("apm", transactionId))
  const send = (shop: Shop, transactionId: string, description?: string) => {
    const fields = { accountId: shop.accounts?.[0] ?? "", transactionId }
    return receive(callback(shop, { ...fields, ...(description !== undefined && { description }) }))
  }
  return { built, calls, ledgerOf, receive, rowOf, send }
})

/** The query of a callback URL, whose token may name a merchant. */
export const searchOf = (shop: Shop, merchant: string | undefined, accountId: string): string =>
  tokenOf("apm-payment", { requestId: "order-1", accountId }, secretOf(shop), merchant) +
  "&paymentMethod=apm&apmType=PIX"

export const callback = (
  signer: Shop,
  fields: {
    readonly accountId: string
    readonly transactionId: string
    readonly description?: string
  },
  search?: string
): Verifier.Incoming => {
  const body = apm(fields)
  return incoming("apm", body, {
    checksum: checksum("apm", body, secretOf(signer)),
    ...(search !== undefined && { search })
  })
}
