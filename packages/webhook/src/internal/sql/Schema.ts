/**
 * The tables of a store in a database, in SQL that both SQLite and PostgreSQL accept.
 *
 * A collection of documents is one table (`Records`), with columns and indexes only for searches.
 *
 * A landed migration never changes: `SchemaTexts.test.ts` has the digest of its statements.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { collections } from "../records/Records.ts"
import * as SqlStore from "../records/SqlStore.ts"
import * as Retry from "./Retry.ts"
import * as Rights from "./Rights.ts"
import * as Server from "./Server.ts"
import * as Views from "./Views.ts"

interface Words {
  readonly key: string
  readonly bytes: string
  readonly clustered: string
}

export const sqlite: Words = { key: "TEXT", bytes: "BLOB", clustered: "WITHOUT ROWID" }

const postgres: Words = { key: `TEXT COLLATE "C"`, bytes: "BYTEA", clustered: "" }

export const tables = ({ bytes, clustered, key }: Words): ReadonlyArray<string> => {
  const columns = SqlStore.columns.map(([name, type]) => `${name} ${type}`).join()
  return collections.flatMap((collection) => {
    const table = SqlStore.tableOf(collection)
    const texts = SqlStore.textsOf(collection)
    const index = (name: string, columns: string, condition: string) =>
      `CREATE INDEX ${table}_${name} ON ${table} (${columns}) WHERE ${condition}`
    const isSearched = collection !== "settings" && collection !== "quarantine"
    const indexes = [
      ...SqlStore.dueColumns.map((lane) => index(lane, lane, `${lane} IS NOT NULL`)),
      index("listed", "listed_at, key", "listed_at IS NOT NULL"),
      index("several", "listed_until", "parts > 1"),
      index("related", "related", "related IS NOT NULL")
    ]
    return [
      `CREATE TABLE ${table} (
        key ${key} NOT NULL PRIMARY KEY, version BIGINT NOT NULL, ${columns}) ${clustered}`,
      `CREATE TABLE ${texts} (key ${key} NOT NULL, name ${key} NOT NULL,
        at BIGINT NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (key, name)) ${clustered}`,
      `CREATE INDEX ${texts}_at ON ${texts} (at)`,
      ...(isSearched ? indexes : [])
    ]
  })
}

const documents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const words = sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite })
  for (const text of tables(words)) yield* sql.unsafe(text)
  yield* Views.create
})

export const migrations = { "1_documents": documents }

const newest = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

export const version: Effect.Effect<number, SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const [line] = yield* sql<{ readonly version: number | null }>`
      SELECT max(migration_id) AS version FROM pawl_migrations`
    return line?.version ?? 0
  }
)

const refuseNewer = Effect.gen(function* () {
  const stored = yield* version
  if (stored <= newest) return
  return yield* new Migrator.MigrationError({
    kind: "BadState",
    message: `The store belongs to a newer version of pawl (its schema is ${stored}, this version knows ${newest}): start that version, or name another store`
  })
})

const migrationWait = Schedule.spaced("100 millis").pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "1 minute" })
)

/** A pooler may accept a connection and answer nothing. */
const check = (of: (sql: SqlClient.SqlClient) => Effect.Effect<void, SqlError>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Retry.timeoutAtStart(of(sql)))

const run = Effect.andThen(
  check(Rights.checkCreate),
  Migrator.make({})({
    table: "pawl_migrations",
    loader: Migrator.fromRecord(migrations)
  })
)

/**
 * A query that finds a row in a SQLite file of another program, which is then not changed. With it no
 * database gets its first tables.
 */
export const Foreign = /* @__PURE__ */ Context.Reference<string | undefined>(
  "@pawl/webhook/internal/sql/Schema/Foreign",
  { defaultValue: () => undefined }
)

/** The table of the versions may be missing. */
const stored = Effect.flatMap(Foreign, (foreign) =>
  Effect.catchIf(
    Retry.timeoutAtStart(version),
    ({ isRetryable }) => foreign === undefined && !isRetryable,
    () => Effect.succeed(0)
  )
)

/** A role that may not create tables uses those of this version. */
export const migrate: Effect.Effect<void, SqlError | Migrator.MigrationError, SqlClient.SqlClient> =
  check(Server.check).pipe(
    Effect.andThen(check(Rights.check)),
    Effect.andThen(stored),
    Effect.flatMap((version) => (version < newest ? run : Effect.void)),
    Effect.andThen(Retry.timeoutAtStart(refuseNewer)),
    Effect.andThen(check(Rights.checkTables)),
    Effect.retry({
      schedule: migrationWait,
      while: (error) => error._tag === "SqlError" && Retry.conflictPolicy.while(error)
    }),
    Effect.updateService(SqlClient.SqlClient, (sql) => sql.withoutTransforms())
  )
