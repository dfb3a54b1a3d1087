/** Triggers that refuse to write some documents. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** Refuses to update the documents of "bad". */
export const refuse = (sql: SqlClient, table: string) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql.unsafe(`CREATE OR REPLACE FUNCTION pawl_test_refuse_one() RETURNS trigger
          LANGUAGE plpgsql AS
          'BEGIN IF NEW.key LIKE ''bad%'' THEN RAISE EXCEPTION ''refused''; END IF; RETURN NEW; END'`),
        sql.unsafe(`CREATE TRIGGER pawl_test_refuse_one BEFORE UPDATE ON ${table}
          FOR EACH ROW EXECUTE FUNCTION pawl_test_refuse_one()`)
      ),
    orElse: () =>
      sql.unsafe(`CREATE TRIGGER ${table}_refuse_one BEFORE UPDATE ON ${table}
        WHEN NEW.key LIKE 'bad%' BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  })

export const allow = (sql: SqlClient, table: string) =>
  sql.onDialectOrElse({
    pg: () => sql.unsafe(`DROP TRIGGER pawl_test_refuse_one ON ${table}`),
    orElse: () => sql.unsafe(`DROP TRIGGER ${table}_refuse_one`)
  })
