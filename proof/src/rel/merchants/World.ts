/**
 * A receiver with a hundred merchants, and its callbacks.
 */
import * as MerchantWorld from "@pawl/test-support/MerchantWorld"
import * as PostgresServer from "@pawl/test-support/PostgresServer"
import { tokenOf } from "@pawl/test-support/Service"
import { type Ledger, layerMemory } from "@pawl/webhook/Ledger"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { dirname, join } from "node:path"
import { searchOf } from "../FakeService.ts"
import type { Store } from "../Stores.ts"

export const merchants = 100
export const brokenMerchant = 0
const maxConnections = 2 * merchants + 20

export const indexes: ReadonlyArray<number> = Array.from({ length: merchants }, (_, index) => index)
export const idOf = (index: number) => `shop-${index}`
const ownSecretOf = (index: number) => `secret-of-shop-${index}`
export const accountOf = (index: number) => String(10_000 + index)
export const unsignedQuery = searchOf("apm")

export const urlQueryOf = (index: number, secret: string): string => {
  const request = { requestId: `order-${index}`, accountId: accountOf(index) }
  return `${tokenOf("apm-payment", request, secret, idOf(index))}&${unsignedQuery.slice(1)}`
}

const ledgers = Effect.fnUntraced(function* (store: Store) {
  if (store._tag === "memory") return (): Layer.Layer<Ledger, unknown> => layerMemory
  if (store._tag === "sqlite") {
    return (index: number): Layer.Layer<Ledger, unknown> =>
      NodeSqlite.layerLedger({ filename: join(dirname(store.filename), `${index}.db`) })
  }
  const { port } = yield* PostgresServer.make({ settings: { max_connections: maxConnections } })
  const at = { host: "127.0.0.1", port, username: "postgres", database: "postgres" }
  const schemaOf = (index: number) => `shop_${index}`
  yield* Effect.flatMap(SqlClient, (sql) =>
    Effect.forEach(indexes, (index) => sql`CREATE SCHEMA ${sql(schemaOf(index))}`)
  ).pipe(Effect.provide(NodePostgres.layer({ ...at, maxConnections: 1 })))
  return (index: number): Layer.Layer<Ledger, unknown> =>
    NodePostgres.layerLedger({
      ...at,
      maxConnections: 2,
      startupParameters: { search_path: schemaOf(index) }
    })
})

/** Starts the receiver, with a store for each merchant. `toldAt` has the first successful calls. */
export const start = Effect.fnUntraced(function* (store: Store, secretOf = ownSecretOf) {
  const storeOf = yield* ledgers(store)
  const mended = yield* Latch.make(true)
  const toldAt = new Map<string, number>()
  let isBroken = false
  let failures = 0

  const shops = indexes.map((index): MerchantWorld.Shop => ({
    id: idOf(index),
    accounts: [accountOf(index)],
    secret: secretOf(index),
    ledger: storeOf(index),
    options: { limits: { readsPerSecond: Infinity } },
    handle: ({ transactionId }) =>
      Effect.suspend(() => {
        const note = Effect.sync(() => {
          toldAt.set(transactionId, performance.now())
        })
        if (!isBroken || index !== brokenMerchant) return note
        failures++
        return Number(transactionId) % 2 === 0
          ? Effect.fail("the application is broken")
          : Effect.andThen(mended.await, note)
      })
  }))
  const { built, ledgerOf } = yield* MerchantWorld.make(shops)
  const listener = yield* Effect.provideContext(NodeReceiver.listener, built)
  const port = yield* NodeReceiver.listen(listener, { host: "127.0.0.1", port: 0 })
  const rowsOf = (index: number) =>
    Effect.gen(function* () {
      const ledger = yield* ledgerOf(idOf(index))
      const { rows } = yield* ledger.page({ from: 0, before: Number.MAX_SAFE_INTEGER, limit: 1 })
      return rows.length
    })
  const setBroken = (broken: boolean) =>
    Effect.suspend(() => {
      isBroken = broken
      return broken ? mended.close : mended.open
    })
  return { port, toldAt, setBroken, failures: () => failures, rowsOf, secretOf }
})

export type World = Effect.Success<ReturnType<typeof start>>
