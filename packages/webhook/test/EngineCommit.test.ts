import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { Records } from "../src/internal/records/Records.ts"
import { live as test } from "@pawl/test-support/Tests"
import { empty, ledgerOf, type Place } from "@pawl/test-support/Places"
import { inEachStore } from "@pawl/test-support/Stores"

type Engine = Context.Service.Shape<typeof Records>["own"][0]

const add = (records: Engine, by = 1) =>
  records.change("settings", "count", (count = 0) => {
    const next = Number(count) + by
    return { value: next, result: next }
  })

const open = Effect.fnUntraced(function* (place: Place) {
  const build = Layer.build(Layer.fresh(ledgerOf(place)))
  const [one, two] = yield* Effect.all([build, build])
  const sql = Context.get(one, SqlClient)
  yield* Effect.provideService(empty, SqlClient, sql)
  return { sql, one: Context.get(one, Records).own[0], two: Context.get(two, Records).own[0] }
})

/** Fails the commit alone. */
const refuseCommits = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql`CREATE OR REPLACE FUNCTION pawl_test_refuse() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RAISE EXCEPTION ''refused''; END'`,
        sql`CREATE CONSTRAINT TRIGGER pawl_test_refuse AFTER INSERT OR UPDATE ON pawl_settings
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pawl_test_refuse()`
      ),
    orElse: () =>
      Effect.andThen(
        sql`CREATE TABLE IF NOT EXISTS pawl_test_refused (id INTEGER PRIMARY KEY, other INTEGER
          REFERENCES pawl_test_refused (id) DEFERRABLE INITIALLY DEFERRED)`,
        sql`CREATE TRIGGER pawl_test_refuse AFTER UPDATE ON pawl_settings
          BEGIN INSERT INTO pawl_test_refused (other) VALUES (-1); END`
      )
  })
})

const allowCommits = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () => sql`DROP TRIGGER IF EXISTS pawl_test_refuse ON pawl_settings`,
    orElse: () => sql`DROP TRIGGER IF EXISTS pawl_test_refuse`
  })

const tests = (place: Place): void => {
  test("R06 a document is not changed, and not known as changed, if the commit fails", function* () {
    const { one, sql, two } = yield* open(place)
    expect(yield* add(one)).toBe(1)
    expect(yield* add(two, 10)).toBe(11)
    // On PostgreSQL the next changes lock the document.
    expect(yield* add(one)).toBe(12)

    yield* refuseCommits(sql)
    expect(Exit.isFailure(yield* Effect.exit(add(one)))).toBe(true)
    yield* allowCommits(sql)

    expect(yield* add(two, 10)).toBe(22)
    expect(yield* add(one)).toBe(23)
    expect(yield* two.get("settings", "count")).toBe(23)
  })

  test("R06 every answered change is kept, whatever fails at its commit", function* () {
    const { one, sql, two } = yield* open(place)
    let kept = 1
    yield* add(one)
    const several = (records: Engine, by: number) =>
      Effect.map(
        Effect.replicateEffect(Effect.exit(add(records, by)), 8, { concurrency: "unbounded" }),
        (exits) => by * exits.filter(Exit.isSuccess).length
      )
    for (let round = 0; round < 5; round++) {
      yield* refuseCommits(sql)
      const allowed = Effect.andThen(Effect.sleep("10 millis"), allowCommits(sql))
      const [first, second] = yield* Effect.all([several(one, 1), several(two, 10), allowed], {
        concurrency: "unbounded"
      })
      kept += first + second + (yield* several(one, 1)) + (yield* several(two, 10))
    }
    expect(yield* one.get("settings", "count")).toBe(kept)
  })
}

await inEachStore(tests)
