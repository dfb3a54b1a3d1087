import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { DatabaseSync } from "node:sqlite"
import { expect } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import { live as test } from "@pawl/test-support/Tests"
import { client, empty, ledgerOf } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

const callback = (transactionId: string) => verified("card", card({ transactionId }))

const file = files()

test("a callback in a SQLite file waits while another connection holds the file for a moment", function* () {
  const place = file()
  const ledger = Context.get(yield* Layer.build(ledgerOf(place)), Ledger)
  const holder = new DatabaseSync(place.filename, { timeout: 10_000 })
  holder.exec("BEGIN EXCLUSIVE")
  const accepted = yield* Effect.forkChild(ledger.accept(callback("1"), 1000), {
    startImmediately: true
  })
  // Longer than a statement itself waits for the lock.
  yield* Effect.sleep("300 millis")
  holder.close()
  expect(yield* Fiber.join(accepted)).toEqual({ isNew: true })
})

await onPostgres((place) => {
  const fresh = Effect.map(Layer.build(Layer.fresh(ledgerOf(place))), Context.get(Ledger))
  const elsewhere = Effect.map(Layer.build(Layer.fresh(client(place))), Context.get(SqlClient))
  const emptied = Effect.tap(fresh, () =>
    Effect.flatMap(elsewhere, (sql) => Effect.provideService(empty, SqlClient, sql))
  )

  const lock = (sql: SqlClient, id: string) =>
    sql`SELECT 1 FROM pawl_transactions WHERE key = ${`${id}\tcard`} FOR UPDATE`

  const blocks = Effect.fnUntraced(function* (sql: SqlClient, connections: number) {
    const watch = yield* elsewhere
    const [pid] = (yield* sql`SELECT pg_backend_pid()`.values).flat()
    yield* Effect.repeat(
      watch`SELECT 1 FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))`,
      { until: ({ length }) => length === connections }
    )
  })
  const accept = (ledger: Ledger["Service"], id: string) =>
    Effect.forkDetach(ledger.accept(callback(id), 1000), { startImmediately: true })

  test("retries after a serialization failure (R23)", function* () {
    yield* emptied
    const startupParameters = { default_transaction_isolation: "serializable" }
    const built = yield* Layer.build(Layer.fresh(ledgerOf(place, { startupParameters })))
    const ledger = Context.get(built, Ledger)
    const sql = yield* elsewhere
    yield* ledger.accept(callback("1"), 1000)
    const accepted = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`UPDATE pawl_transactions SET parts = parts`
        const fiber = yield* accept(ledger, "1")
        yield* blocks(sql, 1)
        return fiber
      })
    )
    expect(yield* Fiber.join(accepted)).toEqual({ isNew: false })
    expect(yield* ledger.get("card", "1")).toMatchObject({ callbacks: 2 })
  })

  test("retries after a deadlock (R23)", function* () {
    const ledger = yield* emptied
    const first = yield* elsewhere
    const second = yield* elsewhere
    const ids = ["1", "2", "8", "9"]
    for (const id of ids) yield* ledger.accept(callback(id), 1000)
    const accepted = yield* second.withTransaction(
      Effect.gen(function* () {
        yield* second`SET LOCAL deadlock_timeout = '30s'` // so that the ledger gets the deadlock error
        yield* lock(second, "2")
        // Both committers wait for rows 8 and 9, so that 1 and 2 share a group.
        const fibers = yield* first.withTransaction(
          Effect.gen(function* () {
            yield* lock(first, "8")
            yield* lock(first, "9")
            const eight = yield* accept(ledger, "8")
            yield* blocks(first, 1)
            const nine = yield* accept(ledger, "9")
            yield* blocks(first, 2)
            return [eight, nine, yield* accept(ledger, "1"), yield* accept(ledger, "2")]
          })
        )
        // The ledger has row 1 and waits for row 2, which this connection has locked.
        yield* blocks(second, 1)
        yield* lock(second, "1")
        return fibers
      })
    )
    yield* Fiber.joinAll(accepted)
    for (const id of ids) expect(yield* ledger.get("card", id)).toMatchObject({ callbacks: 2 })
  })

  test("R32: claims and accepts other rows while another transaction has locked one", function* () {
    const ledger = yield* emptied
    const sql = yield* elsewhere
    for (const id of ["1", "2", "3"]) yield* ledger.accept(callback(id), Number(id))
    const held = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* lock(sql, "1")
        const { dueAt, rows } = yield* ledger.claim({ at: 1000, until: 9000, limit: 10 })
        expect(rows.map(({ transactionId }) => transactionId)).toEqual(["2", "3"])
        // Row 1 is due but locked. With its time a worker would claim again at once.
        expect(dueAt).toBe(9000)
        const waits = yield* accept(ledger, "1")
        yield* ledger.accept(callback("2"), 1000)
        expect(waits.pollUnsafe()).toBeUndefined()
        return waits
      })
    )
    yield* Fiber.join(held)
    const { rows } = yield* ledger.claim({ at: 1000, until: 9000, limit: 10 })
    expect(rows).toMatchObject([{ transactionId: "1", callbacks: 2 }])
  })
})
