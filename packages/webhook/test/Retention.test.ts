import { forAll, optional } from "@pawl/test-support/Properties"
import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import * as Cleaner from "../src/internal/work/Cleaner.ts"
import * as RetentionSettings from "../src/internal/work/RetentionSettings.ts"
import { layerMemory, Ledger } from "../src/Ledger.ts"
import { layerMemory as layerRequests } from "../src/internal/ledger/RequestStore.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { Records } from "../src/internal/records/Records.ts"
import * as Fault from "../src/internal/sql/Fault.ts"
import { allow, refuse } from "./refusals.ts"
import { card, verified } from "@pawl/test-support/Service"
import { finish, november } from "@pawl/test-support/Finished"
import { live } from "@pawl/test-support/Tests"
import { emptied, ledgerOf, services } from "@pawl/test-support/Places"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { statuses } from "@pawl/core/Status"
import fc from "fast-check"
import { isDeletable } from "../src/internal/rule/Erasure.ts"
import * as Fact from "../src/internal/rule/Fact.ts"
import { newRow, type StoredRow } from "../src/internal/rule/StoredRow.ts"
import { lane, storedRows, time } from "./anyRow.ts"

const file = files()

const memory = () => Layer.provideMerge(layerRequests, Layer.fresh(layerMemory))

const holds = (layer: () => Layer.Layer<Ledger, unknown>) => {
  const test = live.with(layer)

  test("deletions at one time delete each transaction once", function* () {
    const ledger = yield* Ledger
    for (let id = 1; id <= 40; id++) yield* finish(String(id), november)
    const all = Effect.gen(function* () {
      let deleted = 0
      for (let count = -1; count !== 0; deleted += Math.max(0, count)) {
        count = yield* ledger.deleteOld({ before: november + 1, limit: 3 })
      }
      return deleted
    })
    const counts = yield* Effect.all([all, all, all], { concurrency: "unbounded" })
    expect(counts.reduce((one, two) => one + two)).toBe(40)
    const { rows } = yield* ledger.page({ limit: 99, from: 0, before: 9e15 })
    expect(rows).toEqual([])
  })
}

const survives = (layer: () => Layer.Layer<Ledger | Records | SqlClient, unknown>) => {
  const test = live.with(layer)
  const accept = (transactionId: string, transactionStatus: string, at: number) =>
    Effect.flatMap(Ledger, ({ accept }) =>
      accept(verified("card", card({ transactionId, transactionStatus })), at)
    )
  const left = Effect.gen(function* () {
    const sql = yield* SqlClient
    const names = yield* sql<{ readonly name: string }>`SELECT name FROM pawl_transactions_texts
      UNION ALL SELECT name FROM pawl_quarantine_texts`
    return names.map(({ name }) => name)
  })

  test("a text whose document was deleted is deleted once, beside the others", function* () {
    const { ledger, sql } = yield* services
    for (const id of ["1", "2", "3"]) yield* accept(id, "PENDING", 1)
    yield* accept("4", "ODD", 1)
    yield* sql`DELETE FROM pawl_transactions`
    yield* sql`DELETE FROM pawl_quarantine`
    yield* finish("5", 2)
    const deleted: Array<number> = []
    for (let batch = 0; batch < 4; batch++)
      deleted.push(yield* ledger.deleteBodies({ before: 9, limit: 2 }))
    expect(yield* left).toEqual([])
    expect(deleted).toEqual([3, 2, 0, 0])
    expect((yield* ledger.get("card", "5"))?.told).toBe("SUCCEED")
  })

  test("a transaction that the store refuses to write keeps no other text, and is reported", function* () {
    const { ledger, sql } = yield* services
    yield* finish("bad", 0)
    for (let id = 1; id < 40; id++) yield* finish(String(id), id)
    yield* accept("40", "ODD", 40)
    yield* refuse(sql, "pawl_transactions")
    const batch = ledger.deleteBodies({ before: 99, limit: 15 })
    // A batch has up to 15 of each collection.
    expect([yield* batch, yield* batch, yield* batch]).toEqual([16, 15, 9])
    const failed = yield* Effect.flip(batch)
    yield* allow(sql, "pawl_transactions")
    expect(Fault.of(failed).kind).toBe("statement")
    expect(yield* left).toHaveLength(1)
    expect((yield* ledger.get("card", "bad"))?.newestCallbacks).toHaveProperty("SUCCEED")
  })

  test("a transaction that the store refuses to write keeps no other transaction, however many pages they fill", function* () {
    const { ledger, sql } = yield* services
    yield* finish("bad", november)
    for (let id = 1; id < 250; id++) yield* finish(`c${id}`, november + id)
    yield* refuse(sql, "pawl_transactions", "DELETE")
    // The first page of 200 has the refused one.
    const batch = ledger.deleteOld({ before: november + 1000, limit: 230 })
    const deleted = [yield* batch, yield* batch]
    const failed = yield* Effect.flip(batch)
    yield* allow(sql, "pawl_transactions")
    expect(deleted).toEqual([230, 19])
    expect(Fault.of(failed).kind).toBe("statement")
  })

  test("a text of a newer version keeps no other from its deletion", function* () {
    const ledger = yield* Ledger
    const { own } = yield* Records
    yield* finish("1", 1)
    yield* own[0].change("transactions", "1\tcard", (value) => ({
      value,
      put: [{ name: "q!", at: 0, bytes: new Uint8Array(1) }],
      result: undefined
    }))
    yield* ledger.deleteBodies({ before: 9, limit: 9 })
    expect(yield* left).toEqual(["q!"])
  })
}

describe("in memory", () => {
  holds(memory)
})
describe("in four shards", () => {
  holds(() => LedgerSql.layerShards(Arr.makeBy(4, memory)))
})
describe("in a SQLite file", () => {
  holds(() => ledgerOf(file()))
  survives(() => ledgerOf(file()))

  /** Deletes in batches of 10, and returns the deletions and the statements with a text. */
  const deleteAll = Effect.fnUntraced(function* (
    deletes: Ledger["Service"]["deleteOld"],
    before: number,
    read: RegExp
  ) {
    let [batches, deleted, reads] = [0, 0, 0]
    const count: Statement.Transformer = (statement) => {
      if (read.test(statement.compile()[0])) reads++
      return Effect.succeed(statement)
    }
    yield* deletes({ before, limit: 10 }).pipe(
      Effect.tap((count) => Effect.sync(() => ((deleted += count), batches++))),
      Effect.repeat({ while: (count) => count > 0 }),
      Effect.provideService(Statement.CurrentTransformer, count)
    )
    return { batches, deleted, reads }
  })
  const numbers = `WITH RECURSIVE s(n) AS (SELECT 10001 UNION ALL SELECT n + 1 FROM s WHERE n < 14000)`
  const test = live.with(() => ledgerOf(file()))

  test("transactions that are kept are not read again by each batch", function* () {
    const { ledger, sql } = yield* services
    yield* finish("old", november)
    yield* finish("new", november + 10)
    yield* sql`INSERT INTO pawl_transactions (key, version, parts, document)
      SELECT n || ${"\tcard"}, 1, 1, document FROM (${sql.literal(`${numbers} SELECT n FROM s`)})
      JOIN pawl_transactions ON key = iif(n % 20 = 0, ${"old\tcard"}, ${"new\tcard"})`
    const { batches, deleted, reads } = yield* deleteAll(
      ledger.deleteOld,
      november + 1,
      /WHERE key > \? +ORDER BY key/
    )
    expect(deleted).toBe(201)
    // Each of the 21 pages is read in three passes, and again by the batch that goes on in it.
    expect(reads).toBeLessThanOrEqual(3 * 21 + batches)
  })

  test("bodies that are kept are not read again by each batch", function* () {
    const { ledger, sql } = yield* services
    yield* finish("old", november)
    yield* ledger.accept(verified("card", card({ transactionId: "parked" })), 1)
    for (const row of (yield* ledger.claim({ at: 1, until: 2, limit: 1 })).rows) {
      const deadLetter = { reason: "handler-failed", at: 1, to: "PENDING" } as const
      yield* ledger.write(row, { deadLetter, release: { dueAt: undefined } })
    }
    for (const [id, from] of [
      ["parked", 0],
      ["old", 200]
    ] as const) {
      const some = sql.literal(`${numbers} SELECT n FROM s LIMIT 200 OFFSET ${from}`)
      const key = `${id}\tcard`
      yield* sql`INSERT INTO pawl_transactions (key, version, parts, document)
        SELECT n || ${"\tcard"}, 1, 1, document FROM (${some}), pawl_transactions WHERE key = ${key}`
      yield* sql`INSERT INTO pawl_transactions_texts (key, name, at, body)
        SELECT n || ${"\tcard"}, name, ${from}, body FROM (${some}), pawl_transactions_texts WHERE key = ${key}`
    }
    const { batches, deleted, reads } = yield* deleteAll(
      ledger.deleteBodies,
      november + 1,
      /FROM "pawl_transactions_texts" WHERE at < /
    )
    expect(deleted).toBe(201)
    // The 21 pages of dead letters are read in three passes.
    expect(reads).toBeLessThanOrEqual(3 * 21 + 2 * batches)
  })
})
await onPostgres((place) => {
  describe("in PostgreSQL", () => {
    holds(() => emptied(place))
    survives(() => emptied(place))

    live.with(() => emptied(place))(
      "a text without a document is kept if its document is made while it is deleted",
      function* () {
        const { ledger, sql } = yield* services
        const isMade = yield* Latch.make()
        const isBlocked = yield* Latch.make()
        yield* ledger.accept(verified("card", card({ transactionId: "1" })), 1)
        yield* sql`DELETE FROM pawl_transactions`
        const making = yield* ledger
          .accept(verified("card", card({ transactionId: "1" })), 99)
          .pipe(
            Effect.andThen(isMade.open),
            Effect.andThen(isBlocked.await),
            sql.withTransaction,
            Effect.forkChild
          )
        yield* isMade.await
        const deleting = yield* Effect.forkChild(ledger.deleteBodies({ before: 9, limit: 9 }))
        yield* sql`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
          Effect.repeat({ until: ({ length }) => length > 0 })
        )
        yield* isBlocked.open
        yield* Fiber.join(making)
        yield* Fiber.join(deleting)
        const [status] = yield* sql`SELECT name FROM pawl_transactions_texts`
        expect(status).toBeDefined()
        expect(yield* ledger.get("card", "1")).toBeDefined()
      }
    )
  })
})

describe("the settings", () => {
  const make = (env: Readonly<Record<string, string>>) =>
    Effect.runSync(
      Effect.map(Config.all(RetentionSettings.environment), RetentionSettings.make).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
    )
  const read = (layer: Layer.Layer<never>) =>
    Effect.runSync(
      Effect.provide(Effect.all({ body: Cleaner.Retention, months: Cleaner.KeptMonths }), layer)
    )

  it("are days and months, or never, and keep every transaction by default", () => {
    const { layer, sentences } = make({ PAWL_KEEP_MONTHS: "120", PAWL_BODY_DAYS: "10" })
    expect(sentences).toEqual([])
    expect(read(layer())).toEqual({ body: Duration.days(10), months: 120 })
    expect(read(make({}).layer())).toEqual({ body: Duration.days(30), months: undefined })
    expect(read(make({ PAWL_KEEP_MONTHS: "never" }).layer()).months).toBeUndefined()
  })

  it("of a merchant take the place of those of the process", () => {
    const { layer } = make({ PAWL_KEEP_MONTHS: "120" })
    expect(read(layer(24)).months).toBe(24)
    expect(read(layer(Infinity)).months).toBeUndefined()
  })

  it("name what cannot be used: months in which a chargeback may come are kept", () => {
    const { sentences } = make({
      PAWL_BODY_DAYS: "soon",
      PAWL_KEEP_MONTHS: "6",
      PAWL_STORE_MEGABYTES: "0"
    })
    expect(sentences).toEqual([
      "PAWL_BODY_DAYS cannot be used: give a whole number from 1 to 99999, or never.",
      "PAWL_KEEP_MONTHS cannot be used: give a whole number from 7 to 99999, or never.",
      "PAWL_STORE_MEGABYTES cannot be used: give megabytes, or never."
    ])
    for (const size of ["x5", "5x", "-5", "05", "1234567890"]) {
      expect(make({ PAWL_STORE_MEGABYTES: size }).sentences).toHaveLength(1)
    }
    expect(make({}).storeBytes).toBeUndefined()
    expect(make({ PAWL_STORE_MEGABYTES: "3" }).storeBytes).toBe(3 * 1024 * 1024)
    expect(make({ PAWL_STORE_MEGABYTES: "never" }).storeBytes).toBe(Infinity)
  })
})

/** A row whose handler was told an end, without any work but a read of the watch. */
const done = fc
  .record({
    stored: storedRows,
    told: fc.constantFrom("SUCCEED" as const, "FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK"),
    newStatusAt: time,
    dueAt: optional(time)
  })
  .map(({ dueAt, newStatusAt, stored, told }): StoredRow => ({
    ...stored,
    row: { ...stored.row, told, newStatusAt, deadLetter: undefined },
    lease: undefined,
    dueAt,
    lane: dueAt === undefined ? stored.lane : "watch"
  }))

const newest = (rows: ReadonlyArray<StoredRow>) =>
  Math.max(...rows.map(({ row }) => row.newStatusAt))

it("a transaction whose rows are all done may be deleted from its last new status on, and not before", () =>
  forAll([fc.array(done, { minLength: 1, maxLength: 3 })], (rows) => {
    expect(isDeletable(rows, newest(rows))).toBe(false)
    expect(isDeletable(rows, newest(rows) + 1)).toBe(true)
  }))

it("a status that only a read brought is new when the handler accepts it, however long its story is", () => {
  const made = newRow("card-payment", "1", 0)
  const row = { ...made.row, told: "CHARGEBACK" } as const
  for (const redriven of [0, Fact.maxFacts]) {
    const events = Array.from({ length: redriven }, (_, at) => Fact.redriven(at))
    const told = { fact: "told", sequence: 2, to: "CHARGEBACK", at: 100 } as const
    const facts = [...events, told].reduce(Fact.add, Fact.none)
    const rows = [{ ...made, row, facts }]
    expect([100, 101].map((before) => isDeletable(rows, before))).toEqual([false, true])
  }
})

it("one row that is open, leased or parked keeps its transaction for ever", () => {
  const open = statuses.filter((status) =>
    ["NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION"].includes(status)
  )
  const withRow = (change: Partial<StoredRow["row"]>) => (stored: StoredRow) => ({
    ...stored,
    row: { ...stored.row, ...change }
  })
  const busy = fc.oneof(
    fc.constantFrom(undefined, ...open).map((told) => withRow({ told })),
    fc
      .record({ dueAt: time, lane: lane.filter((each) => each !== "watch") })
      .map((work) => (stored: StoredRow) => ({ ...stored, ...work })),
    time.map((until) => (stored: StoredRow) => ({
      ...stored,
      lease: { id: 1, until, evidence: stored.row.evidence }
    })),
    time.map((at) => withRow({ deadLetter: { reason: "handler-failed", at, to: undefined } }))
  )
  return forAll([fc.array(done, { maxLength: 2 }), done, busy], (rows, stored, change) => {
    expect(isDeletable([...rows, change(stored)], Infinity)).toBe(false)
  })
})

it("a transaction without rows is not one to delete", () => {
  expect(isDeletable([], Infinity)).toBe(false)
})
