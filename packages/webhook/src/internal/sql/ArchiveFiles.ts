/**
 * The two files of a ledger in SQLite: which archive belongs to which ledger, and which of them is older.
 *
 * **Details**
 *
 * Both files have the id of their ledger and a number. A copy of rows raises the number of the archive, and the ledger gets that
 * number when it deletes the rows. So an archive with a lower number than its ledger does not have rows that the ledger has deleted.
 * A ledger with a lower number was restored from an older backup: its rows are joined with their copies.
 *
 * A client that attaches no second file has both lines in one.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { ArchiveMisplaced } from "../../Archive.ts"
import * as ArchiveTables from "./ArchiveTables.ts"
import * as Retry from "./Retry.ts"

/** The line of a file. */
interface File {
  readonly id: string
  readonly moves: number
}

/** The reason why an archive lacks rows of its ledger. */
export type Loss = Exclude<ArchiveMisplaced["reason"], "other">

const onSqlite = <A, E>(
  sql: SqlClient,
  work: Effect.Effect<A, E>
): Effect.Effect<A | undefined, E> =>
  sql.onDialectOrElse({ pg: () => Effect.undefined, orElse: () => work })

/** Counts a copy. Runs in the transaction that writes it. */
export const noteCopy = (sql: SqlClient): Effect.Effect<unknown, SqlError> =>
  onSqlite(
    sql,
    sql`UPDATE pawl_archive_file
      SET moves = 1 + max(moves, COALESCE((SELECT moves FROM pawl_ledger_file), 0))`
  )

/** Notes that the ledger has deleted what the archive has. Runs in the transaction that deletes it. */
export const noteRemoval = (sql: SqlClient): Effect.Effect<unknown, SqlError> =>
  onSqlite(
    sql,
    sql`UPDATE pawl_ledger_file SET moves = (SELECT moves FROM pawl_archive_file)
      WHERE EXISTS (SELECT 1 FROM pawl_archive_file)`
  )

/**
 * Makes the tables of the archive, if there are none, and ties the two files together. Fails if the archive is not that of the
 * ledger, or lacks rows. With `isLost` the ledger goes on without such rows, and the reason is returned. PostgreSQL has the tables
 * from a migration.
 */
export const prepare = (
  sql: SqlClient,
  { isLost }: { readonly isLost: boolean }
): Effect.Effect<Loss | undefined, SqlError | ArchiveMisplaced> =>
  onSqlite(
    sql,
    Effect.gen(function* () {
      const files = yield* sql<{
        readonly name: string
        readonly file: string
      }>`PRAGMA database_list`
      const archive = files.find(({ name }) => name === "archive")
      const reason = yield* Retry.onConflict(
        Effect.andThen(
          makeTables(sql, archive === undefined ? "" : "archive."),
          sql.withTransaction(tie(sql, isLost))
        )
      )
      if (reason === undefined || (isLost && reason !== "other")) return reason
      return yield* new ArchiveMisplaced({ reason, file: archive?.file ?? "" })
    })
  )

const makeTables = Effect.fnUntraced(function* (sql: SqlClient, schema: "" | "archive.") {
  yield* ArchiveTables.makeTables(sql, schema)
  for (const table of ["pawl_ledger_file", `${schema}pawl_archive_file`]) {
    yield* sql`CREATE TABLE IF NOT EXISTS ${sql.literal(table)}
      (line INTEGER PRIMARY KEY, id TEXT NOT NULL, moves INTEGER NOT NULL)`
  }
})

/** Ties the files together, and returns the reason why they are none of one ledger. With `isLost` it ties them all the same. */
const tie = Effect.fnUntraced(function* (
  sql: SqlClient,
  isLost: boolean
): Effect.fn.Return<ArchiveMisplaced["reason"] | undefined, SqlError> {
  const [ledger] = yield* sql<File>`SELECT id, moves FROM pawl_ledger_file`
  const [archive] = yield* sql<File>`SELECT id, moves FROM pawl_archive_file`
  const reason = reasonOf(ledger, archive)
  if (reason !== undefined && (reason === "other" || !isLost)) return reason
  if (reason === undefined && ledger !== undefined && archive !== undefined) return undefined
  const [drawn] = yield* sql<Pick<File, "id">>`SELECT lower(hex(randomblob(16))) AS id`
  const line = { line: 1, moves: 0, ...drawn, ...archive, ...ledger }
  for (const table of ["pawl_ledger_file", "pawl_archive_file"]) {
    yield* sql`DELETE FROM ${sql(table)}`
    yield* sql`INSERT INTO ${sql(table)} ${sql.insert(line)}`
  }
  return reason
})

const reasonOf = (
  ledger: File | undefined,
  archive: File | undefined
): ArchiveMisplaced["reason"] | undefined => {
  const removed = ledger?.moves ?? 0
  if (archive === undefined) return removed > 0 ? "missing" : undefined
  if (ledger === undefined) return archive.moves > 0 ? "other" : undefined
  if (archive.id !== ledger.id) return removed > 0 && archive.moves === 0 ? "missing" : "other"
  return archive.moves < removed ? "older" : undefined
}
