/**
 * The rights that a role of PostgreSQL needs (docs/guides/rights.md), checked at the start. Only a
 * role that makes the tables needs to create in the schema.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { AuthorizationError, SqlError } from "effect/sql/SqlError"
import * as SqlStore from "../records/SqlStore.ts"

const rights = ["SELECT", "INSERT", "UPDATE", "DELETE"] as const

const needed: ReadonlyArray<readonly [table: string, right: string]> = [
  ["pawl_migrations", "SELECT"],
  ...SqlStore.tables.flatMap((table) => rights.map((right) => [table, right] as const))
]

const list = needed.map(([table, right]) => `('${table}', '${right}')`).join()

/** The migration makes missing tables, so they need no right. */
const missingText = `SELECT right_name || ' on ' || table_name AS missing
  FROM (VALUES ${list}) AS needed (table_name, right_name)
  WHERE to_regclass(table_name) IS NOT NULL AND NOT has_table_privilege(to_regclass(table_name), right_name)`

const lostText = `SELECT DISTINCT table_name AS missing FROM (VALUES ${list}) AS needed (table_name, right_name)
  WHERE to_regclass(table_name) IS NULL`

const schemaText = `SELECT 'USAGE on the schema of the store, or that schema does not exist' AS missing WHERE current_schema() IS NULL`

const createText = `SELECT 'CREATE on the schema ' || current_schema() AS missing
  WHERE NOT has_schema_privilege(current_schema(), 'CREATE')`

interface Missing {
  readonly missing: string
}

const checkThat = (
  sql: SqlClient,
  text: string,
  reasonOf: (rights: string) => string = (rights) =>
    `its role lacks ${rights}; docs/guides/rights.md has the GRANT statements`
): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.flatMap(sql.unsafe<Missing>(text), (lines) => {
        if (lines.length === 0) return Effect.void
        const reason = reasonOf(lines.map(({ missing }) => missing).join(", "))
        const message = `The PostgreSQL database cannot be used: ${reason}`
        return Effect.fail(
          new SqlError({
            reason: new AuthorizationError({ message, operation: "open", cause: undefined })
          })
        )
      }),
    orElse: () => Effect.void
  })

export const check = (sql: SqlClient): Effect.Effect<void, SqlError> =>
  Effect.andThen(checkThat(sql, schemaText), checkThat(sql, missingText))

/** A restored backup may lack a table of its migrations. */
export const checkTables = (sql: SqlClient): Effect.Effect<void, SqlError> =>
  checkThat(sql, lostText, (tables) => `it lacks ${tables}; restore all tables of one backup`)

/** The role of a receiver should not get this right. */
export const checkCreate = (sql: SqlClient): Effect.Effect<void, SqlError> =>
  checkThat(
    sql,
    createText,
    (right) =>
      `it lacks tables of this version, and its role lacks ${right} to make them; run pawl-receiver migrate as their owner (docs/guides/rights.md)`
  )
