/**
 * The ledger and the request store in the SQLite database of a Durable Object of Cloudflare.
 *
 * **Details**
 *
 * A callback that was answered 200 is stored: a response leaves the object after its writes are durable. One object is one store,
 * and only that object uses it. So all callbacks of a merchant go to the same object.
 *
 * **Gotchas**
 *
 * - It is experimental: this module takes the storage of the object as it is, because the client of Effect for it has no final
 *   version yet. Its names may change in a minor version.
 * - A worker works while its object is awake. Set an alarm (`storage.setAlarm`) that wakes the object for planned reads and for
 *   calls that failed.
 * - Files of the storage cannot be rewritten, so `compact` does nothing. `LedgerSql.handler` needs another store.
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
 * The storage of a Durable Object (`ctx.storage`), as far as it is used.
 *
 * @category models
 * @since 0.1.0
 */
export type Storage = DurableObjectStore.Storage

/**
 * Layer that keeps the ledger and the request store in the storage of a Durable Object. It makes the tables if there are none.
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
