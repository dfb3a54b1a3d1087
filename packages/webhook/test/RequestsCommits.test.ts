/** A commit is a flush of the disk. SQLite's log counts them, and a trigger of PostgreSQL. */
import { describe, expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { readFileSync } from "node:fs"
import * as Ledger from "../src/Ledger.ts"
import * as Requests from "../src/Requests.ts"
import { live as test } from "@pawl/test-support/Tests"
import { emptied, type Place } from "@pawl/test-support/Places"
import * as fake from "./requestService.ts"
import { apm, card, search, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

/**
 * Counts the frames of a write-ahead log that end a commit
 * (https://sqlite.org/fileformat2.html#walformat).
 */
const commitsIn = (filename: string): number => {
  const log = readFileSync(`${filename}-wal`)
  const salts = log.subarray(16, 24)
  const frameSize = 24 + log.readUInt32BE(8)
  let count = 0
  for (let at = 32; at + frameSize <= log.length; at += frameSize) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) break
    if (log.readUInt32BE(at + 4) !== 0) count++
  }
  return count
}

const countCommits = Effect.flatMap(SqlClient, (sql) =>
  Effect.andThen(
    sql`CREATE TABLE IF NOT EXISTS commits (id TEXT PRIMARY KEY)`,
    sql`DO ${sql.literal(`$do$ DECLARE each TEXT; BEGIN
      CREATE OR REPLACE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $note$ BEGIN
        INSERT INTO commits VALUES (pg_current_xact_id()::text) ON CONFLICT DO NOTHING; RETURN NULL;
      END $note$;
      FOR each IN SELECT tablename FROM pg_tables WHERE tablename LIKE 'pawl%' LOOP
        EXECUTE format('CREATE OR REPLACE TRIGGER note_commit AFTER INSERT OR UPDATE OR DELETE ON %I
          FOR EACH ROW EXECUTE FUNCTION note_commit()', each);
      END LOOP;
    END $do$`)}`
  )
)

const start = Effect.fnUntraced(function* (place: Place) {
  const layer = Layer.provideMerge(fake.layer(fake.make().sender), emptied(place))
  const built = yield* Layer.build(layer)
  const sql = Context.get(built, SqlClient)
  if (place._tag === "postgres") yield* Effect.provide(countCommits, built)
  const commits =
    place._tag === "sqlite"
      ? Effect.sync(() => commitsIn(place.filename))
      : Effect.map(sql`SELECT id FROM commits`, ({ length }) => length)
  const countIn = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E>) {
    const before = yield* commits
    yield* work
    return (yield* commits) - before
  })
  const { send } = Context.get(built, Requests.Requests)
  return { countIn, ledger: Context.get(built, Ledger.Ledger), send }
})

const promises = (place: Place) =>
  test("a send takes three commits, and one that is settled none", function* () {
    const { countIn, ledger, send } = yield* start(place)
    const callback = verified("apm", apm(), search("apm", "apm-payment", { requestId: "other" }))
    expect(yield* countIn(ledger.accept(callback, 1000))).toBe(1)
    // The request, its registration and its outcome.
    expect(yield* countIn(send("apm-payment", fake.payment("order-1")))).toBe(3)
    expect(yield* countIn(send("apm-payment", fake.payment("order-1")))).toBe(0)
  })

describe("in SQLite", () => {
  const file = files()
  promises(file())

  test("32 sends at the same time share their commits", function* () {
    const { countIn, send } = yield* start(file())
    const sends = Array.from({ length: 32 }, (_, id) =>
      send("apm-payment", fake.payment(`order-${id}`))
    )
    const commits = yield* countIn(Effect.all(sends, { concurrency: "unbounded" }))
    // The first write and the first outcome are alone, and the others of each wait for them.
    expect(commits).toBeLessThanOrEqual(6)
  })

  test("the dead letters of a page are redriven in few commits", function* () {
    const { countIn, ledger } = yield* start(file())
    for (let id = 1; id <= 32; id++)
      yield* ledger.accept(verified("card", card({ transactionId: String(id) })), 0)
    const { rows } = yield* ledger.claim({ at: 0, until: 1000, limit: 32 })
    const deadLetter = { reason: "handler-failed", at: 1, to: undefined } as const
    for (const row of rows) yield* ledger.write(row, { deadLetter, release: { dueAt: undefined } })
    const page = { reason: "handler-failed", before: 2, dueAt: 2, rate: 10, limit: 50 } as const
    expect(yield* countIn(ledger.redriveAll(page))).toBeLessThanOrEqual(3)
    expect((yield* ledger.backlog(4000)).due).toBe(32)
  })
})

await onPostgres(promises)
