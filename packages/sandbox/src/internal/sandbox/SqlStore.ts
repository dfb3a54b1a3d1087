/**
 * The state of a sandbox in one table of a SQL database, which the layer reads when it is built.
 * `save` writes all changes since the last one in one SQL transaction.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { Foreign } from "@pawl/webhook/internal/sql/Schema"
import { StateStore } from "@pawl/testkit/internal/state/StateStore"
import { VirtualClock } from "@pawl/testkit/VirtualClock"
import type { EventFeed } from "./EventFeed.ts"
import * as StoredJson from "./StoredJson.ts"
import * as WatchedStore from "./WatchedStore.ts"

export const layer: Layer.Layer<never, SqlError, EventFeed | SqlClient.SqlClient> = Layer.effect(
  StateStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const writer = yield* Semaphore.make(1)
    // The first transaction takes the lock, which ends with the process.
    yield* sql`PRAGMA locking_mode = EXCLUSIVE`
    yield* sql`CREATE TABLE IF NOT EXISTS items (
      position INTEGER PRIMARY KEY, collection TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL,
      UNIQUE (collection, id)
    )`.pipe(sql.withTransaction, Effect.mapError(nameLock))
    const rows = yield* sql<Row>`SELECT collection, id, value FROM items ORDER BY position`
    const stored = Map.groupBy(rows, ({ collection }) => collection)
    let changes = new Map<string, WatchedStore.Change>()

    const write = ({ id, name, value }: WatchedStore.Change) =>
      value === undefined
        ? sql`DELETE FROM items WHERE collection = ${name} AND id = ${id}`
        : sql`INSERT INTO items (collection, id, value)
              VALUES (${name}, ${id}, ${StoredJson.write(value)})
              ON CONFLICT (collection, id) DO UPDATE SET value = excluded.value`

    const save = Effect.suspend(() => {
      if (changes.size === 0) return Effect.void
      const writing = changes
      changes = new Map()
      return sql.withTransaction(Effect.forEach(writing.values(), write, { discard: true })).pipe(
        Effect.onError(() =>
          Effect.sync(() => {
            changes = new Map([...writing, ...changes])
          })
        )
      )
    })

    return yield* WatchedStore.make({
      changed: (change) => {
        changes.set(`${change.name} ${change.id}`, change)
      },
      stored: (name) =>
        (stored.get(name) ?? []).map(({ id, value }) => [id, StoredJson.read(value)]),
      save: outside(Effect.orDie(writer.withPermit(Effect.uninterruptible(save))))
    })
  })
)

/** Refuses a file with tables of another program. */
export const layerForeign = /* @__PURE__ */ Layer.succeed(
  Foreign,
  "SELECT 1 FROM sqlite_schema WHERE tbl_name <> 'items'"
)

/** Two sandboxes would overwrite each other's state. */
const nameLock = (error: SqlError): SqlError => {
  if (error.reason._tag !== "LockTimeoutError") return error
  const message =
    "The file of the sandbox cannot be used: another process has opened it; end that process, or name another file"
  return new SqlError({ reason: new ConnectionError({ message, cause: error }) })
}

/** A disk takes real time, also while the virtual clock is advanced. */
const outside = (save: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(VirtualClock),
    Option.match({ onNone: () => save, onSome: (clock) => clock.outside(save) })
  )

interface Row {
  readonly collection: string
  readonly id: string
  readonly value: string
}
