/**
 * Brings the tables of a database up to date (`Tables`), or sets them back by one version.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Retry from "./Retry.ts"
import { migrations } from "./Tables.ts"

const newest = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** Returns the version of the tables. */
export const version: Effect.Effect<number, SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const [line] = yield* sql<{ readonly version: number | null }>`
      SELECT max(migration_id) AS version FROM pawl_migrations`
    return line?.version ?? 0
  }
)

/** Fails if a newer version of this package has changed the tables: this version does not know their meaning. */
const refuseNewer = Effect.gen(function* () {
  const stored = yield* version
  if (stored <= newest) return
  return yield* new Migrator.MigrationError({
    kind: "BadState",
    message: `The store belongs to a newer version of pawl (its schema is ${stored}, this version knows ${newest}): start that version, or name another store`
  })
})

/**
 * The migrations of this version, without those that `setBack` has set aside: their tables and columns are there, so they are
 * only counted again.
 */
const loader = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lines = yield* sql<{ readonly migration_id: number }>`
    UPDATE pawl_migrations SET migration_id = -migration_id
    WHERE migration_id < 0 AND migration_id >= ${-newest} RETURNING migration_id`
  const setAside = lines.map(({ migration_id }) => migration_id)
  const all = yield* Migrator.fromRecord(migrations)
  return all.filter(([id]) => !setAside.includes(id))
}).pipe(
  Effect.catchTag("SqlError", (cause) =>
    Effect.fail(new Migrator.MigrationError({ kind: "Failed", message: cause.message, cause }))
  )
)

/** How long a process waits for the migration that another one makes. */
const migrationWait = Schedule.spaced("100 millis").pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "1 minute" })
)

/** Makes the tables or brings them up to date. Several processes may do so at the same time. */
export const migrate: Effect.Effect<void, SqlError | Migrator.MigrationError, SqlClient.SqlClient> =
  Migrator.make({})({
    table: "pawl_migrations",
    loader
  }).pipe(
    Effect.andThen(refuseNewer),
    Effect.retry({
      schedule: migrationWait,
      while: (error) => error._tag === "SqlError" && Retry.conflictPolicy.while(error)
    })
  )

/**
 * Sets the newest migration aside, so that the version before this one starts. Its tables, columns and rows stay: migrations
 * only add, so the earlier version works on them.
 */
export const setBack: typeof migrate = Effect.andThen(
  migrate,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE pawl_migrations SET migration_id = ${-newest} WHERE migration_id = ${newest}`
  })
)
