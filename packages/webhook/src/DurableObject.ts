/**
 * The ledger and the request store in the SQLite database of a Cloudflare Durable Object.
 *
 * Send all callbacks of a merchant to the same object: one object is one store. Its response leaves
 * after its writes are durable.
 *
 * **Gotchas**
 *
 * - Experimental: names may change in a minor version, until Effect's client for Durable Objects is
 *   final.
 * - A worker runs while its object is awake. Wake it with `storage.setAlarm` for planned reads and
 *   handler retries.
 * - `compact` does nothing, and `LedgerSql.handler` needs another store.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DurableObjectStore from "./internal/records/DurableObjectStore.ts"
import * as Engines from "./internal/records/Engines.ts"
import * as Engine from "./internal/records/Engine.ts"
import { drawVersion } from "./internal/records/SqlEngine.ts"
import * as Codecs from "./internal/records/Codecs.ts"
import type { Ledger } from "./Ledger.ts"
import type { Records } from "./internal/records/Records.ts"
import { type RequestStore, services } from "./internal/ledger/RequestStore.ts"

/**
 * The part of a Durable Object's storage (`ctx.storage`) that is used.
 *
 * @category models
 * @since 0.1.0
 */
export type Storage = DurableObjectStore.Storage

/**
 * Layer that keeps the ledger and the request store in the object's storage, and makes missing
 * tables.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (storage: Storage): Layer.Layer<Ledger | Records | RequestStore> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const store = yield* DurableObjectStore.make(storage)
      const records = yield* Engine.makeLocal(store, Codecs.texts, drawVersion)
      return services(Engines.make([records]))
    })
  )
