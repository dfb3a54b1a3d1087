import * as Evidence from "@pawl/core/Evidence"
import { live as test } from "@pawl/test-support/Tests"
import * as PostgresProxy from "@pawl/test-support/PostgresProxy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import { client, empty, ledgerOf } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

const callback = (transactionId: string, changes?: Readonly<Record<string, unknown>>) =>
  verified("card", card({ transactionId, ...changes }))

const expectUnavailable = (work: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.flip(Effect.timeout(work, "5 seconds")), (error) =>
    expect(error).toMatchObject({ _tag: "StoreUnavailable" })
  )

const idsOf = (ledger: Ledger["Service"], ids: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(ids, (id) => ledger.get("card", id)),
    (rows) => rows.flatMap((row) => (row === undefined ? [] : [row.transactionId]))
  )

describe("in a SQLite file", () => {
  const file = files()

  test("is unavailable while another process holds the file, and recovers (R05)", function* () {
    const place = file()
    const built = yield* Layer.build(ledgerOf(place))
    const ledger = Context.get(built, Ledger)
    yield* ledger.accept(callback("1"), 1000)

    const script = `const { DatabaseSync } = require("node:sqlite")
        const database = new DatabaseSync(${JSON.stringify(place.filename)}, { timeout: 10_000 })
        database.exec("BEGIN EXCLUSIVE")
        console.log("held")
        process.stdin.once("data", () => { database.exec("ROLLBACK"); database.close(); process.exit() })`
    const holder = spawn(process.execPath, ["--no-warnings", "-e", script], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    yield* Effect.promise(() => once(holder.stdout, "data"))

    // All calls wait for one lock, and each must still return in time.
    yield* Effect.all(
      [
        ...["2", "3", "4"].map((id) => ledger.accept(callback(id), 2000)),
        ledger.register({ kind: "card-payment", transactionId: "5" }, 2000),
        ledger.claim({ at: 2000, until: 3000, limit: 1 })
      ].map(expectUnavailable),
      { concurrency: "unbounded" }
    )
    expect(yield* ledger.get("card", "1")).toMatchObject({ callbacks: 1 })

    holder.stdin.write("go\n")
    yield* Effect.promise(() => once(holder, "exit"))
    yield* ledger.accept(callback("6"), 3000)
    expect(yield* idsOf(ledger, ["1", "6"])).toEqual(["1", "6"])
  })

  test("is unavailable while the disk is full, and recovers (R04)", function* () {
    const built = yield* Layer.build(ledgerOf(file()))
    const ledger = Context.get(built, Ledger)
    const sql = Context.get(built, SqlClient)
    yield* ledger.accept(callback("1"), 1000)
    const [pages] = (yield* sql`PRAGMA page_count`.values).flat()
    yield* sql`PRAGMA max_page_count = ${sql.literal(String(Number(pages) + 20))}`

    const ids = Array.from({ length: 40 }, (_, id) => `full-${id}`)
    const answers = yield* Effect.forEach(
      ids,
      (id) => Effect.exit(ledger.accept(callback(id, { metadata: { a: "x".repeat(8000) } }), 2000)),
      { concurrency: 4 }
    )
    const stored = ids.filter((_, index) => Exit.isSuccess(answers[index] as Exit.Exit<unknown>))
    expect(stored.length).toBeGreaterThan(0)
    expect(stored.length).toBeLessThan(20)
    yield* expectUnavailable(
      ledger.accept(callback("2", { metadata: { a: "x".repeat(60_000) } }), 2000)
    )
    expect(yield* idsOf(ledger, ids)).toEqual(stored)

    yield* sql`PRAGMA max_page_count = 1000000`
    yield* ledger.accept(callback("2"), 3000)
    expect(yield* idsOf(ledger, ["1", "2", ...stored])).toEqual(["1", "2", ...stored])
    expect(yield* sql`PRAGMA integrity_check`.values).toEqual([["ok"]])
  })
})

await onPostgres((place) => {
  const fresh = Effect.map(Layer.build(Layer.fresh(ledgerOf(place))), Context.get(Ledger))
  const elsewhere = Effect.map(Layer.build(Layer.fresh(client(place))), Context.get(SqlClient))
  const emptied = Effect.tap(fresh, () =>
    Effect.flatMap(elsewhere, (sql) => Effect.provideService(empty, SqlClient, sql))
  )

  test("is unavailable while the server does not respond, and recovers (R05)", function* () {
    const { port, restore, silence } = yield* PostgresProxy.open
    yield* emptied
    const ledger = Context.get(yield* Layer.build(ledgerOf(place, { port })), Ledger)
    yield* ledger.accept(callback("1"), 1000)
    silence()
    yield* Effect.all(
      [
        ledger.accept(callback("2"), 2000),
        ledger.accept(callback("3"), 2000),
        ledger.claim({ at: 2000, until: 3000, limit: 1 }),
        ledger.get("card", "1")
      ].map(expectUnavailable),
      { concurrency: "unbounded" }
    )
    restore()
    yield* Effect.retry(ledger.accept(callback("4"), 3000), { times: 3 })
    expect(yield* ledger.get("card", "4")).toMatchObject({
      evidence: Evidence.claimed("SUCCEED")
    })
  })

  test("has every accepted callback after its connections were cut, and recovers (R05, R06)", function* () {
    const ledger = yield* emptied
    const sql = yield* elsewhere
    const statement = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = ${place.database} AND pid <> pg_backend_pid()`
    // Two cuts at a time cut each other.
    const cut = Effect.retry(statement, { times: 5 })
    const ids = Array.from({ length: 400 }, (_, id) => String(id))
    const answers = yield* Effect.forEach(
      ids,
      (id, index) =>
        Effect.tap(Effect.exit(ledger.accept(callback(id), 1000)), () =>
          Effect.when(cut, Effect.succeed(index % 40 === 39))
        ),
      { concurrency: 4 }
    )
    const accepted = ids.filter((_, index) => Exit.isSuccess(answers[index] as Exit.Exit<unknown>))
    expect(accepted.length).toBeGreaterThan(100)
    for (const answer of answers) {
      if (Exit.isFailure(answer)) {
        expect(yield* Effect.flip(answer)).toMatchObject({ _tag: "StoreUnavailable" })
      }
    }
    const kept = new Set(yield* Effect.retry(idsOf(ledger, ids), { times: 5 }))
    expect(accepted.filter((id) => !kept.has(id))).toEqual([])
    yield* ledger.accept(callback("last"), 2000)
  })
})
