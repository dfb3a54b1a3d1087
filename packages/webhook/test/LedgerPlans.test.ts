/**
 * The query plans of the ledger's statements use an index.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { describe, expect, it } from "@effect/vitest"
import * as Fact from "../src/Fact.ts"
import * as ArchiveCodec from "../src/internal/sql/ArchiveCodec.ts"
import { Ledger } from "../src/Ledger.ts"
import type { Leased } from "../src/Row.ts"
import { client, empty, ledgerOf, numbersTo, type Place } from "./places.ts"
import { card, verified } from "./service.ts"
import { files, onPostgres } from "./stores.ts"

const rows = 60_000

/** Fills a ledger: every tenth row is due. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient
  const numbers = numbersTo(sql, rows)
  yield* sql`INSERT INTO pawl_transactions
      (transaction_id, scope, method, kind, callbacks, retry_at, created_at, new_status_at, due_at,
        dead_letter_reason, dead_letter_at)
    SELECT CAST(n AS TEXT), 'card', 'card', 'card', 1, n, n, n, CASE WHEN n % 10 = 0 THEN n END,
      CASE WHEN n % 1000 = 1 THEN 'handler-failed' END, CASE WHEN n % 1000 = 1 THEN n END
    FROM (${numbers}) AS numbers`
  yield* sql`INSERT INTO pawl_callbacks
      (transaction_id, scope, status, count, first_at, first_body, newest_at)
    SELECT CAST(n AS TEXT), 'card', 'PENDING', 1, n, ${verified("card", card()).bytes}, n
    FROM (${numbers}) AS numbers`
  yield* sql`INSERT INTO pawl_facts (transaction_id, fact, number, at)
    SELECT CAST(n AS TEXT), 'ct1 #1', 1, n FROM (${numbers}) AS numbers`
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.asVoid(
        sql`CREATE TABLE pawl_archive_202611 PARTITION OF pawl_archive FOR VALUES IN (202611)`
      ),
    orElse: () => Effect.void
  })
  const content = ArchiveCodec.encode({
    row: {
      scope: "card",
      method: "card",
      kind: "card",
      created_at: 1,
      retry_at: 1,
      new_status_at: 1,
      lane: 3,
      due_at: 2 * rows
    },
    callbacks: [],
    facts: []
  })
  yield* sql`INSERT INTO pawl_archived (due_at, bodies_at, month, lane, transaction_id, method, scope)
    SELECT ${2 * rows} + n, ${rows} + n, 202611, 3, '1.' || n, 'card', 'card' FROM (${numbers}) AS numbers`
  yield* sql`INSERT INTO pawl_archive (month, transaction_id, scope, content)
    SELECT 202611, '1.' || n, 'card', ${content} FROM (${numbers}) AS numbers`
})

/** Runs every statement of a ledger. */
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
  const claimed = yield* ledger.claim({ at: rows, until: 2 * rows, limit: 64, newest: 32 })
  expect(claimed.rows.length).toBeGreaterThanOrEqual(64)
  const leased = claimed.rows[0] as Leased
  yield* ledger.accept(callback(leased.transactionId), rows)
  yield* ledger.write(leased, {
    evidence: Evidence.confirmed("SUCCEED"),
    read: { status: "SUCCEED", askedAt: 1 },
    polls: 1,
    fact: Fact.asked(1, "SUCCEED", "card-payment"),
    release: { dueAt: 1 }
  })
  expect((yield* ledger.story("card", leased.transactionId))[0]?.facts.length).toBeGreaterThan(2)
  const key = { transactionId: "3", scope: "card" } as const
  const page = { after: key, limit: 100, from: 0, before: 9 }
  expect((yield* ledger.page(page)).last).toBeDefined()
  yield* ledger.page({ limit: 100, from: 0, before: 9 })
  yield* ledger.write(claimed.rows[1] as Leased, { kind: "card-payment", release: { dueAt: 1 } })
  yield* ledger.get("card", "3")
  expect((yield* ledger.deadLetters({ limit: 100 })).length).toBe(60)
  const after = { at: 30_000, transactionId: "1", scope: "card" } as const
  const reason = "handler-failed"
  expect((yield* ledger.deadLetters({ after, limit: 20, reason })).length).toBe(20)
  expect(yield* ledger.redrive({ method: "card", transactionId: "1001" }, rows)).toBe(true)
  const all = { reason, before: rows, dueAt: rows, rate: 10, limit: 20 } as const
  expect(yield* ledger.redriveAll(all)).toBe(20)
  const start = { dueAt: rows / 2, transactionId: "", scope: "card" } as const
  const planned = {
    lane: "repeat",
    after: start,
    readSince: rows,
    dueAt: 0,
    rate: 10,
    limit: 100
  } as const
  expect((yield* ledger.bringForward(planned))?.dueAt).toBe(rows / 2 + 990)
  yield* ledger.get("card", "1.5")
  yield* ledger.story("card", "1.5")
  yield* ledger.body({ method: "card", transactionId: "1.5", scope: "card" }, "PENDING")
  yield* ledger.accept(callback("1.6"), rows)
  yield* ledger.isRegisteredRefund("1.7")
  yield* ledger.archive.erase("card", "1.8")
  yield* ledger.noteAlive(rows)
  expect(yield* ledger.lastAliveAt).toBe(rows)
  expect(yield* ledger.deleteBodies({ before: 10_000, limit: 100 })).toBe(100)
  // The archive has nine lines to look at, and one body is in quarantine.
  expect(yield* ledger.deleteBodies({ before: rows + 10, limit: 100 })).toBe(101)
})

const plans = (place: Place) =>
  Effect.gen(function* () {
    const statements = new Map<string, ReadonlyArray<unknown>>()
    const listen: Statement.Transformer = (statement) => {
      const [text, params] = statement.compile()
      const isQuery = !text.startsWith("CREATE") && !text.startsWith("LOCK")
      if (isQuery && /pawl_(transactions|callbacks|facts|archive)/.test(text))
        statements.set(text, params)
      return Effect.succeed(statement)
    }
    const built = yield* Layer.build(ledgerOf(place)).pipe(
      Effect.provideService(Statement.CurrentTransformer, listen)
    )
    yield* Effect.provide(Effect.andThen(empty, fill), built)
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
        const isScan = (line: string) => /(SCAN|Seq Scan on) (pawl_|stored)/.test(line)
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
  it.live("no statement scans a table, with or without statistics", () => plans(file()))
})

/** The rows that were due once, and are not any more. */
const doneRows = 20_000

/** Runs a statement and returns the number of pages that it touched. */
const pagesOf = Effect.fnUntraced(function* (text: string, params: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient
  const lines = yield* sql.unsafe(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, params).values
  const [, pages] = /Buffers: shared hit=(\d+)/.exec(lines.flat().join("\n")) ?? []
  return Number(pages)
})

await onPostgres((place) => {
  it.live("R43: a claim does not search through rows that are done, while a snapshot is open", () =>
    Effect.gen(function* () {
      const statements = new Map<string, ReadonlyArray<unknown>>()
      const listen: Statement.Transformer = (statement) => {
        const [text, params] = statement.compile()
        if (/claimable_at/.test(text)) statements.set(text, params)
        return Effect.succeed(statement)
      }
      const built = yield* Layer.build(Layer.fresh(ledgerOf(place)))
      const ledger = Context.get(built, Ledger)
      const sql = Context.get(built, SqlClient)
      yield* Effect.provide(empty, built)
      const reader = Context.get(yield* Layer.build(Layer.fresh(client(place))), SqlClient)
      yield* reader.withTransaction(
        Effect.gen(function* () {
          yield* reader`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
          yield* reader`SELECT 1 FROM pawl_transactions`
          yield* sql`INSERT INTO pawl_transactions
              (transaction_id, scope, method, kind, retry_at, created_at, new_status_at, due_at)
            SELECT CAST(n AS TEXT), 'card', 'card', 'card', n, n, n, n
            FROM generate_series(1, ${doneRows}) AS n`
          yield* sql`UPDATE pawl_transactions SET due_at = NULL`
          const at = 10 * doneRows
          const claim = ledger.claim({ at, until: at + 1000, limit: 10, newest: 5 })
          expect((yield* claim).rows).toEqual([])
          yield* ledger.accept(verified("card", card()), at)
          const { rows } = yield* Effect.provideService(claim, Statement.CurrentTransformer, listen)
          expect(rows.length).toBe(1)
          expect(statements.size).toBe(2)
          for (const [text, params] of statements) {
            expect(yield* Effect.provide(pagesOf(text, params), built)).toBeLessThan(50)
          }
          // Work that is due in the past is still found, if this process made it due.
          yield* ledger.register({ kind: "card-payment", transactionId: "early" }, 1)
          const early = yield* claim
          expect(early.rows.map(({ transactionId }) => transactionId)).toEqual(["early"])
          yield* ledger.write(early.rows[0] as Leased, { release: { dueAt: 2 } })
          expect((yield* claim).rows.length).toBe(1)
        })
      )
    })
  )

  it.live("no statement scans a table, with or without statistics", () => plans(place))
})
