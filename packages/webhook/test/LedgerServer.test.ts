import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import { Transactions } from "../src/LedgerSql.ts"
import { live, test } from "@pawl/test-support/Tests"
import { client, empty, ledgerOf } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { onPostgres } from "@pawl/test-support/Stores"

const callback = (transactionId: string) => verified("card", card({ transactionId }))

await onPostgres((place) => {
  type Options = Parameters<typeof ledgerOf>[1]
  const build = (options?: Options) => Layer.build(Layer.fresh(ledgerOf(place, options)))
  const elsewhere = Effect.map(Layer.build(Layer.fresh(client(place))), Context.get(SqlClient))
  const emptied = Effect.tap(build(), (built) => Effect.provide(empty, built))

  const withDatabaseSetting = <A, E, R>(setting: string, work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(elsewhere, (sql) => {
      const database = sql.literal(place.database)
      return Effect.acquireUseRelease(
        sql`ALTER DATABASE ${database} SET ${sql.literal(setting)}`,
        () => work,
        () => Effect.ignore(sql`ALTER DATABASE ${database} RESET ALL`)
      )
    })

  it.effect("R29: a commit waits for the disk, whatever the role or the database says", () =>
    withDatabaseSetting(
      "synchronous_commit = off",
      Effect.gen(function* () {
        const sql = Context.get(yield* build(), SqlClient)
        expect(yield* sql`SHOW synchronous_commit`.values).toEqual([["on"]])
        expect(yield* sql`SHOW idle_in_transaction_session_timeout`.values).toEqual([["5s"]])
      })
    )
  )

  it.effect("a statement_timeout of the role or the database ends no statement of the ledger", () =>
    withDatabaseSetting(
      "statement_timeout = 1",
      Effect.gen(function* () {
        const sql = Context.get(yield* build(), SqlClient)
        expect(yield* sql`SELECT pg_sleep(0.05)`.values).toHaveLength(1)
      })
    )
  )

  test("R29: a setting that loses commits is refused at the start, and a read-only server", function* () {
    const refusal = (startupParameters: Readonly<Record<string, string>>) =>
      Effect.map(Effect.flip(build({ startupParameters })), ({ message }) => message)
    expect(yield* refusal({ synchronous_commit: "off" })).toBe(
      "The PostgreSQL database cannot be used: a commit would not reach the disk (synchronous_commit is off)"
    )
    expect(yield* refusal({ default_transaction_read_only: "on" })).toBe(
      "The PostgreSQL database cannot be used: it is read-only; name the primary server"
    )
  })

  live("a transaction whose connection is lost fails as the unavailable store", function* () {
    const { run } = Context.get(yield* build(), Transactions)
    const lost = Effect.flatMap(
      SqlClient,
      (sql) => sql`SELECT pg_terminate_backend(pg_backend_pid())`
    )
    expect(yield* Effect.flip(run(lost))).toMatchObject({ _tag: "StoreUnavailable" })
    const own = new Error("the merchant's own defect")
    expect(yield* Effect.exit(run(Effect.die(own)))).toEqual(Exit.die(own))
  })

  live(
    "R31: connections to a server that became read-only are ended, and new ones write",
    function* () {
      yield* emptied
      const built = yield* build({ maxConnections: 3 })
      const ledger = Context.get(built, Ledger)
      const { run } = Context.get(built, Transactions)
      const sql = Context.get(built, SqlClient)
      // Three transactions at once have all connections of the pool.
      const becomeReadOnly = Effect.all(
        [1, 2, 3].map(() =>
          sql.withTransaction(
            sql`SELECT pg_sleep(0.1), set_config('default_transaction_read_only', 'on', false)`
          )
        ),
        { concurrency: "unbounded" }
      )
      yield* becomeReadOnly
      const unavailable = { _tag: "StoreUnavailable" }
      expect(yield* Effect.flip(ledger.accept(callback("1"), 1000))).toMatchObject(unavailable)
      const untilWritable = { schedule: Schedule.spaced("10 millis"), times: 200 }
      for (const id of ["1", "2", "3", "4"]) {
        yield* Effect.retry(ledger.accept(callback(id), 1000), untilWritable)
      }
      // A connection that was not used since ends after its next statement.
      yield* Effect.all(
        ["1", "2", "3", "4", "5", "6"].map((id) =>
          Effect.retry(ledger.accept(callback(id), 1000), untilWritable)
        ),
        { concurrency: "unbounded" }
      )

      yield* becomeReadOnly
      const write = run(sql`UPDATE pawl_transactions SET parts = 1`)
      expect(yield* Effect.flip(write)).toMatchObject(unavailable)
      yield* Effect.retry(write, untilWritable)
    }
  )
})
