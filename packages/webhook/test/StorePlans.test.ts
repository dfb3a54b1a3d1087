import * as Evidence from "@pawl/core/Evidence"
import { describe, expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { Ledger } from "../src/Ledger.ts"
import type { Leased } from "../src/internal/rule/Row.ts"
import { client, empty, ledgerOf, type Place, services } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { live } from "@pawl/test-support/Tests"

const rows = 60_000

const callback = (transactionId: string) => verified("card", card({ transactionId }))

/** Every tenth copy is due, and every thousandth is a dead letter. */
const fill = Effect.gen(function* () {
  const { ledger, sql } = yield* services
  yield* ledger.accept(callback("template"), 0)
  for (const row of (yield* ledger.claim({ at: 0, until: 1, limit: 1 })).rows)
    yield* ledger.write(row, { told: "SUCCEED", release: { dueAt: 0, lane: "ask" } })
  const numbers = sql.literal(
    `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${rows}) SELECT n FROM s`
  )
  yield* sql`INSERT INTO pawl_transactions (key, version, due_1, listed_at, listed_until, parts, document)
    SELECT CAST(n AS TEXT) || ${"\tcard"}, 1, CASE WHEN n % 10 = 0 THEN n END,
      CASE WHEN n % 1000 = 1 THEN n END, CASE WHEN n % 1000 = 1 THEN n END, 1, document
    FROM (${numbers}) AS numbers, pawl_transactions WHERE key = ${"template\tcard"}`
  yield* sql`INSERT INTO pawl_transactions_texts (key, name, at, body)
    SELECT CAST(n AS TEXT) || ${"\tcard"}, name, n, body
    FROM (${numbers}) AS numbers, pawl_transactions_texts WHERE key = ${"template\tcard"}`
  yield* sql`INSERT INTO pawl_requests (key, version, related, parts, document)
    SELECT CAST(n AS TEXT), 1, 'r' || CAST(n AS TEXT), 1, '' FROM (${numbers}) AS numbers`
})

/** A search through every dead letter before a page, or every document of several rows. */
const isOfAllBefore = /\(listed_at<\?\)|Index Cond: .*listed_at <|INDEX pawl_\w+_several$/

/** The gauges are left out, because they count all that is due. */
const work = Effect.gen(function* () {
  const ledger = yield* Ledger
  yield* Effect.forEach(
    Array.from({ length: 40 }, (_, id) => callback(String(id))),
    (each) => ledger.accept(each, rows),
    { concurrency: "unbounded" }
  )
  yield* ledger.register({ kind: "card-payment", transactionId: "2" }, rows)
  const claimed = yield* ledger.claim({ at: rows, until: 2 * rows, limit: 64, newest: 32 })
  expect(claimed.rows.length).toBeGreaterThanOrEqual(64)
  yield* ledger.write(claimed.rows[0] as Leased, {
    evidence: Evidence.confirmed("SUCCEED"),
    release: { dueAt: 1 }
  })
  yield* ledger.get("card", "3")
  yield* ledger.story("card", "3")
  yield* ledger.body({ method: "card", transactionId: "3", scope: "card" }, "PENDING")
  const key = { transactionId: "3", scope: "card" } as const
  yield* ledger.page({ after: key, limit: 100, from: 0, before: 9 })
  yield* ledger.deadLetters({ limit: 100 })
  const after = { at: 30_000, transactionId: "1", scope: "card" } as const
  yield* ledger.deadLetters({ after, limit: 20, reason: "handler-failed" })
  yield* ledger.redrive({ method: "card", transactionId: "1001" }, rows)
  const batch = { dueAt: rows, rate: 10, limit: 20 }
  yield* ledger.redriveAll({ reason: "handler-failed", before: rows, ...batch })
  const place = { at: rows / 2, key: "" }
  yield* ledger.bringForward({ lane: "repeat", after: place, readSince: rows, ...batch })
  yield* ledger.noteAlive(rows)
  yield* ledger.lastAliveAt
  expect(yield* ledger.deleteBodies({ before: 10_000, limit: 100 })).toBeGreaterThan(0)
  yield* ledger.erase("card", "7")
})

const statementsOf = <A, E, R>(work: Effect.Effect<A, E, R>) => {
  const found = new Map<string, ReadonlyArray<unknown>>()
  const listen: Statement.Transformer = (statement) => {
    const [text, params] = statement.compile()
    if (/pawl_(transactions|requests)/.test(text)) found.set(text, params)
    return Effect.succeed(statement)
  }
  return Effect.as(Effect.provideService(work, Statement.CurrentTransformer, listen), found)
}

const plans = (place: Place) =>
  live.with(() => ledgerOf(place))(
    "no statement scans a table, with or without statistics",
    function* () {
      yield* Effect.andThen(empty, fill)
      const statements = yield* statementsOf(work)
      expect(statements.size).toBeGreaterThanOrEqual(9)
      const sql = yield* SqlClient
      const explain = place._tag === "postgres" ? "EXPLAIN" : "EXPLAIN QUERY PLAN"
      const scans = Effect.gen(function* () {
        const found: Array<string> = []
        for (const [text, params] of statements) {
          const lines = yield* sql.unsafe(`${explain} ${text}`, params).values
          const plan = lines.map((line) => String(line.at(-1)))
          const isScan = (line: string) =>
            (/(SCAN|Seq Scan on) (pawl_|stored)/.test(line) && !line.includes("USING")) ||
            isOfAllBefore.test(line)
          if (plan.some(isScan)) found.push([text, ...plan].join("\n"))
        }
        return found
      })
      expect(yield* scans).toEqual([])
      yield* sql`ANALYZE`
      expect(yield* scans).toEqual([])
    }
  )

const file = files()
describe("in a SQLite file", () => {
  const place = file()
  plans(place)

  live.with(() => ledgerOf(place))(
    "the gauges are counted by indexes alone, because a statement holds up all callbacks",
    function* () {
      yield* Effect.andThen(empty, fill)
      const ledger = yield* Ledger
      const statements = yield* statementsOf(ledger.backlog(rows))
      const counts = [...statements].filter(([text]) => text.includes("count(*)"))
      expect(counts.length).toBe(1)
      const sql = yield* SqlClient
      for (const [text, params] of counts) {
        const plan = yield* sql.unsafe(`EXPLAIN QUERY PLAN ${text}`, params).values
        const searches = plan
          .map((line) => String(line.at(-1)))
          .filter((line) => / USING /.test(line))
        expect(searches.length).toBeGreaterThan(0)
        expect(searches.filter((line) => !line.includes("USING COVERING INDEX"))).toEqual([])
      }
    }
  )
})

/** The documents that were due once, and are not any more. */
const doneRows = 20_000

const pagesOf = Effect.fnUntraced(function* (text: string, params: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient
  const lines = yield* sql.unsafe(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, params).values
  const [, pages] = /Buffers: shared hit=(\d+)/.exec(lines.flat().join("\n")) ?? []
  return Number(pages)
})

await onPostgres((place) => {
  live.with(() => ledgerOf(place))(
    "R43: a claim does not search through what is done, while a snapshot is open",
    function* () {
      yield* empty
      const { ledger, sql } = yield* services
      const reader = Context.get(yield* Layer.build(Layer.fresh(client(place))), SqlClient)
      yield* reader.withTransaction(
        Effect.gen(function* () {
          yield* reader`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
          yield* reader`SELECT 1 FROM pawl_transactions`
          yield* sql`INSERT INTO pawl_transactions (key, version, due_0, due_1, parts, document)
            SELECT n || ${"\tcard"}, 1, n, n, 1, '' FROM generate_series(1, ${doneRows}) AS n`
          yield* sql`UPDATE pawl_transactions SET due_0 = NULL, due_1 = NULL`
          const at = 10 * doneRows
          const claim = ledger.claim({ at, until: at + 1000, limit: 10, newest: 5 })
          expect((yield* claim).rows).toEqual([])
          yield* ledger.accept(callback("one"), at)
          const statements = yield* statementsOf(
            Effect.map(claim, ({ rows }) => expect(rows.length).toBe(1))
          )
          const searches = [...statements].filter(([text]) => text.includes("AS found"))
          expect(searches.length).toBeGreaterThan(0)
          for (const [text, params] of searches) {
            expect(yield* pagesOf(text, params)).toBeLessThan(50)
          }
          // Work due in the past is found if this process made it due.
          yield* ledger.register({ kind: "card-payment", transactionId: "early" }, 1)
          const early = yield* claim
          expect(early.rows.map(({ transactionId }) => transactionId)).toEqual(["early"])
          yield* ledger.write(early.rows[0] as Leased, { release: { dueAt: 2 } })
          expect((yield* claim).rows.length).toBe(1)
        })
      )
    }
  )

  plans(place)
})
