/** Triggers that refuse to write some documents. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** Refuses to update, or to delete, the documents of "bad". */
export const refuse = (sql: SqlClient, table: string, event: "UPDATE" | "DELETE" = "UPDATE") =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql.unsafe(`CREATE OR REPLACE FUNCTION pawl_test_refuse_one() RETURNS trigger
          LANGUAGE plpgsql AS
          'BEGIN IF OLD.key LIKE ''bad%'' THEN RAISE EXCEPTION ''refused'' USING DETAIL = ''the text of a row''; END IF; RETURN coalesce(NEW, OLD); END'`),
        sql.unsafe(`CREATE TRIGGER pawl_test_refuse_one BEFORE ${event} ON ${table}
          FOR EACH ROW EXECUTE FUNCTION pawl_test_refuse_one()`)
      ),
    orElse: () =>
      sql.unsafe(`CREATE TRIGGER ${table}_refuse_one BEFORE ${event} ON ${table}
        WHEN OLD.key LIKE 'bad%' BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  })

export const allow = (sql: SqlClient, table: string) =>
  sql.onDialectOrElse({
    pg: () => dropTrigger(sql, "pawl_test_refuse_one", table),
    orElse: () => dropTrigger(sql, `${table}_refuse_one`, table)
  })

export const dropTrigger = (sql: SqlClient, name: string, table: string) =>
  sql.onDialectOrElse({
    pg: () => sql.unsafe(`DROP TRIGGER IF EXISTS ${name} ON ${table}`),
    orElse: () => sql.unsafe(`DROP TRIGGER IF EXISTS ${name}`)
  })
