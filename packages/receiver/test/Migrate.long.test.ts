import { describe, expect, it } from "@effect/vitest"
import * as Postgres from "@pawl/test-support/Postgres"
import { start } from "@pawl/test-support/Program"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { Ledger } from "@pawl/webhook/Ledger"
import { client, ledgerOf, type Place } from "@pawl/test-support/Places"
import { bin, command, nobody, outcome, secrets } from "./receiverProcess.ts"
import { card, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { live } from "@pawl/test-support/Tests"

const newest = 1

const migrate = (store: string, ...args: ReadonlyArray<string>) =>
  outcome({ PAWL_STORE: store }, "migrate", ...args)

const at = (version: number) => [0, `The tables of the store have version ${version}\n`, ""]

const check = (place: Place, store: string) =>
  Effect.gen(function* () {
    // No secret is needed, and the two make one set of tables.
    expect(yield* Effect.all([migrate(store), migrate(store)], { concurrency: 2 })).toEqual([
      at(newest),
      at(newest)
    ])
    const inLedger = <A, E>(use: (ledger: Ledger["Service"]) => Effect.Effect<A, E>) =>
      Effect.scoped(
        Effect.flatMap(Layer.build(ledgerOf(place)), (built) => use(Context.get(built, Ledger)))
      )
    const callback = verified("card", card())
    yield* inLedger((ledger) => ledger.accept(callback, 1000))

    expect(yield* Effect.all([migrate(store), migrate(store)], { concurrency: 2 })).toEqual([
      at(newest),
      at(newest)
    ])
    const lines = yield* Effect.flatMap(
      SqlClient,
      (sql) => sql<{ migration_id: number }>`SELECT migration_id FROM pawl_migrations ORDER BY 1`
    ).pipe(Effect.provide(client(place)))
    expect(lines.map(({ migration_id }) => migration_id)).toEqual([newest])
    const row = yield* inLedger((ledger) => ledger.get("card", "100001"))
    expect(row?.callbacks).toBe(1)
  })

const file = files()

describe("migrate", async () => {
  it.live("makes the tables of a SQLite file once", () => {
    const place = file()
    return check(place, `sqlite:${place.filename}`)
  })

  live("says that a SQLite database in memory has no tables to migrate", function* () {
    for (const store of ["sqlite::memory:", "sqlite:file:callbacks?mode=memory"]) {
      expect(yield* migrate(store)).toEqual([
        1,
        "",
        "A store in memory has no tables: give sqlite:FILE or postgres://….\n"
      ])
    }
  })

  live("--move-rows does not end well without a store", function* () {
    const { code, stderr, stdout } = yield* command({ ...secrets, ...nobody }, "--move-rows")
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toBe("A store in memory has no tables: give sqlite:FILE or postgres://….\n")
  })

  live("names what is missing in a sentence", function* () {
    expect(yield* migrate("memory")).toEqual([
      1,
      "",
      "A store in memory has no tables: give sqlite:FILE or postgres://….\n"
    ])
    expect(yield* migrate("")).toEqual([
      1,
      "",
      "--store is needed: give sqlite:FILE or postgres://…, or set PAWL_STORE.\n"
    ])
    const [code, , stderr] = yield* migrate("sqlite:/not/there/a.db")
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The SQLite file \/not\/there\//u)])
  })

  await onPostgres((place) => {
    it.live("makes the tables of a database once", () =>
      Effect.scoped(check(place, Postgres.urlOf(place.database)))
    )

    live("a command that works on a store makes no tables in another database", function* () {
      const database = yield* Postgres.database
      const store = { PAWL_STORE: Postgres.urlOf(database) }
      expect(yield* command(store, "erase", "card-payment", "1")).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(
          /^The PostgreSQL database cannot be used \(relation "pawl_migrations" does not exist\): name the store of the receiver\n$/u
        ) as unknown
      })
      const tables = yield* Effect.flatMap(
        SqlClient,
        (sql) => sql`SELECT 1 FROM pg_tables WHERE schemaname = current_schema()`
      ).pipe(Effect.provide(client({ ...place, database })))
      expect(tables).toEqual([])
    })

    it.live.each([
      { word: "migrate", said: /^Interrupted: 0 of 1 databases are migrated, .*before\.$/mu },
      { word: "--move-rows", said: /^$/mu }
    ])("$word exits with 130 when it is interrupted", ({ said, word }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const store = Postgres.urlOf(yield* Postgres.database)
        const database = new URL(store).pathname.slice(1)
        const other = Context.get(yield* Layer.build(client({ ...place, database })), SqlClient)
        const waiting = sql`SELECT 1 FROM pg_stat_activity
          WHERE datname = ${database} AND wait_event_type = 'Lock'`
        // Another process that makes the tables at the same time.
        yield* other.withTransaction(
          Effect.gen(function* () {
            yield* other`CREATE TABLE pawl_migrations (migration_id INTEGER)`
            const { child, exited, stderr } = yield* start(process.execPath, [bin, word], {
              ...secrets,
              ...nobody,
              PAWL_STORE: store
            })
            const isWaiting = Effect.repeat(waiting, { until: ({ length }) => length > 0 })
            yield* Effect.raceFirst(isWaiting, exited)
            child.kill("SIGINT")
            const { code } = yield* exited
            expect(stderr()).toMatch(said)
            expect(code).toBe(130)
          })
        )
      }).pipe(Effect.provide(client(place)), Effect.scoped)
    )
  })
})
