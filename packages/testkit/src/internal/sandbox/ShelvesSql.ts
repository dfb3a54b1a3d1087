/**
 * Shelves that outlive the process, in one table of a SQL database.
 *
 * **Details**
 *
 * Everything is read when they are opened. What changes is remembered and written by the next `save`, in
 * one statement group: what belongs together is there together, or not at all.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Feed } from "./Feed.ts"
import * as Shelves from "../gateway/Shelves.ts"
import * as Tagged from "./Tagged.ts"

/** Layer that keeps the shelves of one sandbox in SQLite, and tells the feed of every change. */
export const layer: Layer.Layer<never, SqlError, Feed | SqlClient.SqlClient> = Layer.effect(
  Shelves.Shelves,
  Effect.gen(function* () {
    const { tell } = yield* Feed
    const sql = yield* SqlClient.SqlClient
    const turns = yield* Semaphore.make(1)
    yield* sql`CREATE TABLE IF NOT EXISTS kept (
      at INTEGER PRIMARY KEY, shelf TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL,
      UNIQUE (shelf, id)
    )`
    const rows = yield* sql<Row>`SELECT shelf, id, value FROM kept ORDER BY at`
    const stored = Map.groupBy(rows, ({ shelf }) => shelf)
    let changes = new Map<string, Shelves.Change>()

    const write = ({ id, kept, name }: Shelves.Change) =>
      kept === undefined
        ? sql`DELETE FROM kept WHERE shelf = ${name} AND id = ${id}`
        : sql`INSERT INTO kept (shelf, id, value) VALUES (${name}, ${id}, ${Tagged.write(kept)})
              ON CONFLICT (shelf, id) DO UPDATE SET value = excluded.value`

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

    return Shelves.make({
      changed: (change) => {
        changes.set(`${change.name} ${change.id}`, change)
        if (change.shown !== undefined) tell(change.name, change.shown)
      },
      stored: (name) => (stored.get(name) ?? []).map(({ id, value }) => [id, Tagged.read(value)]),
      save: Effect.orDie(turns.withPermit(Effect.uninterruptible(save)))
    })
  })
)

interface Row {
  readonly shelf: string
  readonly id: string
  readonly value: string
}
