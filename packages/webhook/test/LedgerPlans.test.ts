/**
 * How the databases go about the ledger's statements: by an index, however many rows there are.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { describe, expect, it } from "@effect/vitest"
import { type Leased, Ledger } from "../src/Ledger.ts"
import { ledgerOf, type Place } from "./places.ts"
import { card, verified } from "./service.ts"
import { files, onPostgres } from "./stores.ts"

const rows = 60_000

/** Fills a ledger: every tenth row is due. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient
  const numbers = sql.literal(
    sql.onDialectOrElse({
      pg: () => `SELECT n FROM generate_series(1, ${rows}) AS n`,
      orElse: () =>
        `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${rows}) SELECT n FROM s`
    })
  )
  yield* sql`INSERT INTO pawl_transactions
      (method, transaction_id, kind, callbacks, tell_at, created_at, since, due_at)
    SELECT 'card', CAST(n AS TEXT), 'card', 1, n, n, n, CASE WHEN n % 10 = 0 THEN n END
    FROM (${numbers}) AS numbers`
  yield* sql`INSERT INTO pawl_callbacks
      (method, transaction_id, status, count, first_at, first_body, newest_at)
    SELECT 'card', CAST(n AS TEXT), 'PENDING', 1, n, ${verified("card", card()).bytes}, n
    FROM (${numbers}) AS numbers`
})

/** All that a ledger asks of its store, whole path of a transaction. */
const live = Effect.gen(function* () {
  const ledger = yield* Ledger
  const callback = (transactionId: string) => verified("card", card({ transactionId }))
  yield* ledger.accept(callback("1"), rows)
  yield* Effect.forEach(
    Array.from({ length: 40 }, (_, id) => callback(String(id))),
    (each) => ledger.accept(each, rows),
    { concurrency: "unbounded" }
  )
  yield* ledger.register({ kind: "card-payment", transactionId: "2" }, rows)
  yield* ledger.claim({ at: rows, until: 2 * rows, limit: 1 })
  const claimed = yield* ledger.claim({ at: rows, until: 2 * rows, limit: 64 })
  expect(claimed.rows.length).toBe(64)
  const leased = claimed.rows[0] as Leased
  yield* ledger.accept(callback(leased.transactionId), rows)
  yield* ledger.write(leased, {
    evidence: Evidence.confirmed("SUCCEED"),
    read: { status: "SUCCEED", askedAt: 1 },
    polls: 1,
    release: { dueAt: 1 }
  })
  yield* ledger.get("card", "3")
})

const plans = (place: Place) =>
  Effect.gen(function* () {
    const statements = new Map<string, ReadonlyArray<unknown>>()
    const listen: Statement.Transformer = (statement) => {
      const [text, params] = statement.compile()
      if (/pawl_(transactions|callbacks)/.test(text)) statements.set(text, params)
      return Effect.succeed(statement)
    }
    const built = yield* Layer.build(ledgerOf(place)).pipe(
      Effect.provideService(Statement.CurrentTransformer, listen)
    )
    yield* Effect.provide(fill, built)
    statements.clear()
    yield* live.pipe(
      Effect.provide(built),
      Effect.provideService(Statement.CurrentTransformer, listen)
    )
    expect(statements.size).toBeGreaterThanOrEqual(9)

    const sql = Context.get(built, SqlClient)
    const explain = sql.onDialectOrElse({
      pg: () => "EXPLAIN",
      orElse: () => "EXPLAIN QUERY PLAN"
    })
    const scans = Effect.gen(function* () {
      const found: Array<string> = []
      for (const [text, params] of statements) {
        const lines = yield* sql.unsafe(`${explain} ${text}`, params).values
        const plan = lines.map((line) => String(line.at(-1)))
        const isScan = (line: string) => /(SCAN|Seq Scan on) (pawl_|held)/.test(line)
        if (plan.some(isScan)) found.push([text, ...plan].join("\n"))
      }
      return found
    })
    expect(yield* scans).toEqual([])
    yield* sql`ANALYZE`
    expect(yield* scans).toEqual([])
  })

describe("in a SQLite file", () => {
  const file = files()
  it.live("no statement scans a table, statistics or not", () => plans(file()))
})

await onPostgres((place) => {
  it.live("no statement scans a table, statistics or not", () => plans(place))
})
