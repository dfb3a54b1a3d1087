/**
 * The archive of a ledger: finished rows leave its tables, and everything answers as before.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { SqlClient } from "effect/sql/SqlClient"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { copyFileSync, existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as SqlArchive from "../src/internal/sql/Archive.ts"
import { layerMemory, Ledger } from "../src/Ledger.ts"
import { archiveOf } from "../src/NodeSqlite.ts"
import {
  callback,
  countOf,
  day,
  everything,
  finish,
  hotTables,
  ids,
  november,
  said,
  within
} from "./archives.ts"
import { ledgerOf, type Place } from "./places.ts"
import { files, onPostgres } from "./stores.ts"

const holds = (place: () => Place) => {
  it("a finished transaction leaves the tables, and everything answers as before", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        for (const id of ids) yield* finish(id, november)
        const before = yield* said
        expect(yield* ledger.archive.move({ ...everything, before: november })).toMatchObject({
          moved: 0
        })
        expect(yield* ledger.archive.move(everything)).toEqual({ moved: 3, last: undefined })
        expect(yield* Effect.forEach(hotTables, countOf)).toEqual([0, 0, 0])
        expect(yield* said).toEqual(before)
        expect(yield* ledger.backlog(9e15)).toMatchObject({ due: 0 })
      })
    ))

  it("a late chargeback finds its archived row, with all that was known", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* finish("1", november)
        yield* ledger.archive.move(everything)
        const late = november + 200 * day
        expect(yield* ledger.accept(callback("1", "CHARGEBACK"), late)).toEqual({ isNew: true })
        expect(yield* ledger.accept(callback("1", "SUCCEED"), late)).toEqual({ isNew: false })
        const { rows } = yield* ledger.claim({ at: late, until: late + 1000, limit: 9 })
        expect(rows).toMatchObject([
          { told: "SUCCEED", sequence: 1, callbacks: 3, createdAt: november, newStatusAt: late }
        ])
        const [story] = yield* ledger.story("card", "1")
        expect(story?.facts.map(({ fact }) => fact)).toEqual(["accepted", "told", "accepted"])
        expect(yield* ledger.archive.move(everything)).toMatchObject({ moved: 0 })
      })
    ))

  it("a registration finds its archived row", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* finish("1", november)
        yield* ledger.archive.move(everything)
        const registration = { kind: "card-payment", transactionId: "1" } as const
        yield* ledger.register(registration, november + day)
        expect(yield* ledger.get("card", "1")).toMatchObject({ told: "SUCCEED", registered: true })
      })
    ))

  it("a planned read of an archived transaction is claimed at its time, by another process too", () => {
    const here = place()
    return within(here)(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const due = november + 14 * day
        yield* finish("1", november, due)
        yield* finish("2", november, due + 1)
        yield* ledger.archive.move({ ...everything, dueAfter: due + 1 })
        expect(yield* countOf("pawl_transactions")).toBe(2)
        yield* ledger.archive.move(everything)
        expect(yield* countOf("pawl_transactions")).toBe(0)
        const options = { until: due + 1000, limit: 9 }
        expect(yield* ledger.claim({ ...options, at: due - 1 })).toEqual({ rows: [], dueAt: due })
        const { rows } = yield* ledger.claim({ ...options, at: due })
        expect(rows).toMatchObject([{ transactionId: "1", told: "SUCCEED" }])
        const other = Effect.flatMap(Ledger, (ledger) => ledger.claim({ ...options, at: due + 1 }))
        const claimed = yield* Effect.provide(other, ledgerOf(here), { local: true })
        expect(claimed.rows).toMatchObject([{ transactionId: "2", told: "SUCCEED" }])
        const sql = yield* SqlClient
        expect(yield* sql`SELECT 1 FROM pawl_archived WHERE due_at IS NOT NULL`).toEqual([])
      })
    )
  })

  it("a page of planned reads that is brought forward comes back in parts, so a failure loses no part", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        for (let id = 0; id < 40; id++) yield* finish(String(id), november, november + 14 * day)
        yield* ledger.archive.move(everything)
        let inserts = 0
        const failsOnce: Statement.Transformer = (statement) =>
          statement.compile()[0].startsWith(`INSERT INTO "pawl_transactions"`) && ++inserts === 2
            ? Effect.die(new SqlError({ reason: new UnknownError({ cause: "broken" }) }))
            : Effect.succeed(statement)
        const now = november + day
        const page = {
          lane: "repeat",
          after: { dueAt: now, transactionId: "", scope: "card" },
          readSince: now,
          dueAt: now,
          rate: 10,
          limit: 40
        } as const
        const forward = Effect.provideService(
          ledger.bringForward(page),
          Statement.CurrentTransformer,
          failsOnce
        )
        yield* Effect.flip(forward)
        expect(yield* countOf("pawl_transactions")).toBe(16)
        yield* forward
        expect(yield* countOf("pawl_transactions")).toBe(40)
      })
    ))

  it("old months are dropped, and the months that are kept are not", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* finish("1", Date.UTC(2025, 11, 31, 23, 59))
        yield* finish("2", Date.UTC(2026, 0, 1))
        yield* finish("3", november)
        yield* ledger.archive.move(everything)
        const drop = { at: Date.UTC(2026, 7, 15), months: 7, limit: 10 }
        expect(yield* ledger.archive.drop(drop)).toBe(1)
        expect(yield* ledger.archive.drop(drop)).toBe(0)
        const known = yield* Effect.forEach(ids, (id) => ledger.get("card", id))
        expect(known.map((row) => row?.transactionId)).toEqual([undefined, "2", "3"])
      })
    ))

  it("a transaction with a late chargeback is kept as long as a new one, and its watch goes on", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const late = november + 200 * day
        for (const id of ids.slice(0, 2)) yield* finish(id, november)
        yield* ledger.archive.move(everything)
        yield* ledger.accept(callback("2", "CHARGEBACK"), late)
        const { rows } = yield* ledger.claim({ at: late, until: late + 1000, limit: 9 })
        const next = late + 14 * day
        for (const row of rows)
          yield* ledger.write(row, { told: "CHARGEBACK", sequence: 2, release: { dueAt: next } })
        yield* ledger.archive.move(everything)
        const drop = { at: november + 240 * day, months: 7, limit: 10 }
        expect(yield* ledger.archive.drop(drop)).toBe(1)
        expect(yield* ledger.get("card", "1")).toBeUndefined()
        expect((yield* ledger.get("card", "2"))?.told).toBe("CHARGEBACK")
        const due = yield* ledger.claim({ at: next, until: next + 1000, limit: 9 })
        expect(due.rows.map(({ transactionId }) => transactionId)).toEqual(["2"])
      })
    ))

  it("the bodies of many archived callbacks are deleted in parts", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const many = Array.from({ length: 40 }, (_, id) => String(id))
        for (const id of many) yield* finish(id, november + (Number(id) % 3) * 31 * day)
        yield* ledger.archive.move(everything)
        const options = { before: november + 40 * day, limit: 100 }
        const counts = [1, 2, 3].map(() => ledger.deleteBodies(options))
        expect(yield* Effect.all(counts)).toEqual([16, 11, 0])
        const bodies = yield* Effect.forEach(many, (transactionId) =>
          ledger.body({ method: "card", transactionId, scope: "card" }, "SUCCEED")
        )
        expect(bodies.map((body) => body === undefined)).toEqual(
          many.map((id) => Number(id) % 3 < 2)
        )
        expect((yield* ledger.get("card", "0"))?.newestCallbacks).toEqual({})
        expect(yield* ledger.get("card", "0")).toMatchObject({ callbacks: 1, told: "SUCCEED" })
        expect(yield* ledger.deleteBodies({ before: Infinity, limit: 3 })).toBe(3)
      })
    ))

  it("bodies and callbacks in quarantine are deleted while the archive fails", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* finish("1", november)
        yield* ledger.archive.move(everything)
        yield* ledger.accept(callback("2", "PENDING"), november)
        yield* ledger.accept(callback("3", "SETTLED"), november)
        const fails: Statement.Transformer = (statement) =>
          statement.compile()[0].includes("bodies_at")
            ? Effect.die(new SqlError({ reason: new UnknownError({ cause: "broken" }) }))
            : Effect.succeed(statement)
        const deleted = ledger
          .deleteBodies({ before: Infinity, limit: 9 })
          .pipe(Effect.provideService(Statement.CurrentTransformer, fails))
        expect(yield* deleted).toBe(2)
        expect(yield* Effect.flip(deleted)).toMatchObject({ _tag: "StoreUnavailable" })
        expect(yield* ledger.deleteBodies({ before: Infinity, limit: 9 })).toBe(1)
      })
    ))

  it("erases texts of archived and other rows, and keeps what accounting needs", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        for (const id of ids.slice(0, 2)) yield* finish(id, november)
        yield* ledger.archive.move(everything)
        yield* finish("3", november)
        for (const id of ["1", "3"]) {
          const erased = yield* ledger.archive.erase("card", id)
          expect(erased).toEqual({
            rows: 1,
            bodies: 1,
            quarantined: 0,
            notes: 0,
            requests: 0,
            open: 0
          })
        }
        const { bodies, rows, stories } = yield* said
        expect(bodies.map((body) => body?.includes("Grace Hopper"))).toEqual([
          undefined,
          true,
          undefined
        ])
        expect(rows.map((row) => [row?.told, row?.callbacks, row?.createdAt])).toEqual(
          ids.map(() => ["SUCCEED", 1, november])
        )
        expect(rows.map((row) => row?.newestCallbacks.SUCCEED?.signed?.amount)).toEqual(
          ids.map(() => "10.00")
        )
        expect(stories.map(([story]) => story?.facts.length)).toEqual([2, 2, 2])
        expect(yield* ledger.archive.erase("card", "4")).toMatchObject({ rows: 0 })
      })
    ))
}

const file = files()

describe("the archive in a SQLite file", () => {
  holds(file)

  /** Runs a move in which the process stops before its step `stop`, counted from 0. Tells whether it stopped. */
  const moveUntil = (stop: number) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      let step = 0
      const archive = SqlArchive.make(sql, (statement) =>
        Effect.suspend(() => (step++ === stop ? Effect.die("stopped") : statement))
      )
      return Exit.isFailure(yield* Effect.exit(archive.move(everything)))
    })

  for (const isLate of [false, true]) {
    it(`a process that stops at any point of a move loses and doubles nothing${isLate ? ", also if a callback comes then" : ""}`, async () => {
      const stops: Array<boolean> = []
      // A move has three steps, so the last one is not stopped.
      for (const stop of [0, 1, 2, 3]) {
        const place = file()
        stops.push(
          await within(place)(
            Effect.gen(function* () {
              for (const id of ids) yield* finish(id, november)
              return yield* moveUntil(stop)
            })
          )
        )
        const body = Effect.gen(function* () {
          const ledger = yield* Ledger
          if (isLate) yield* ledger.accept(callback("2", "CHARGEBACK"), november + day)
          const before = yield* said
          expect(before.rows.map((row) => row?.told)).toEqual(ids.map(() => "SUCCEED"))
          expect(before.rows[1]?.callbacks).toBe(isLate ? 2 : 1)
          expect(before.pages.map(({ rows }) => rows.length)).toEqual([2, 2])
          yield* ledger.archive.move(everything)
          expect(yield* said).toEqual(before)
          expect(yield* Effect.forEach(["pawl_transactions", "pawl_archived"], countOf)).toEqual([
            0, 3
          ])
        })
        await Effect.runPromise(Effect.provide(body, ledgerOf(place), { local: true }))
      }
      expect(stops).toEqual([true, true, true, false])
    })
  }

  it("a callback that comes after a row was copied keeps it where it is", () =>
    within(file())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const sql = yield* SqlClient
        for (const id of ids) yield* finish(id, november)
        let step = 0
        // The third step deletes what the second one copied.
        const archive = SqlArchive.make(sql, (statement) =>
          Effect.suspend(() =>
            step++ === 2
              ? Effect.andThen(
                  Effect.orDie(ledger.accept(callback("2", "CHARGEBACK"), november + day)),
                  statement
                )
              : statement
          )
        )
        expect((yield* archive.move(everything)).moved).toBe(2)
        expect(yield* ledger.get("card", "2")).toMatchObject({ callbacks: 2, told: "SUCCEED" })
        expect((yield* ledger.claim({ at: 9e15, until: 9e15, limit: 9 })).rows).toHaveLength(1)
      })
    ))

  it("a row of an older copy of the ledger's file is joined with its archived one", async () => {
    const place = file()
    const copy = `${place.filename}.copy`
    const inLedger = <A>(body: Effect.Effect<A, unknown, Ledger | SqlClient>) =>
      Effect.runPromise(Effect.provide(body, ledgerOf(place), { local: true }))
    await inLedger(finish("1", november))
    copyFileSync(place.filename, copy)
    await inLedger(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* ledger.accept(callback("1", "REFUNDED"), november + day)
        yield* ledger.archive.move(everything)
      })
    )
    expect(existsSync(`${place.filename}-wal`)).toBe(false)
    copyFileSync(copy, place.filename)
    await inLedger(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* ledger.accept(callback("1", "CHARGEBACK"), november + 2 * day)
        yield* ledger.archive.move(everything)
        const row = yield* ledger.get("card", "1")
        expect(Evidence.claimedStatuses(row?.evidence ?? 0)).toEqual([
          "SUCCEED",
          "REFUNDED",
          "CHARGEBACK"
        ])
      })
    )
  })

  it("after an erase and a rewrite no file of the store has the text", async () => {
    const place = file()
    const isInFiles = (text: string) =>
      [place.filename, archiveOf(place.filename)]
        .flatMap((name) => [name, `${name}-wal`])
        .some((name) => existsSync(name) && readFileSync(name).includes(text))
    const hopper = Buffer.from("Grace Hopper 1").toString("base64").slice(0, 16)
    await within(place)(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        for (const id of ids) yield* finish(id, november)
        expect(isInFiles("Grace Hopper 1")).toBe(true)
        yield* ledger.archive.move(everything)
        yield* finish("4", november)
        yield* ledger.accept(callback("4", "SETTLED", { note: "Ada Lovelace" }), 1)
        yield* ledger.accept(
          callback("1", "CHARGEBACK", { note: "Grace Hopper 1 again" }),
          november
        )
        for (const id of [...ids, "4"]) yield* ledger.archive.erase("card", id)
        yield* ledger.archive.compact
        for (const text of ["Grace Hopper", "Ada Lovelace", hopper])
          expect(isInFiles(text)).toBe(false)
        expect(yield* ledger.get("card", "1")).toMatchObject({ told: "SUCCEED", callbacks: 2 })
      })
    )
  })
})

await onPostgres((place) => {
  describe("the archive in PostgreSQL", () => {
    holds(() => place)

    const partitions = Effect.flatMap(SqlClient, (sql) =>
      Effect.map(
        sql<{ readonly name: string }>`SELECT inhrelid::regclass::text AS name FROM pg_inherits
          WHERE inhparent = 'pawl_archive'::regclass ORDER BY 1`,
        (lines) => lines.map(({ name }) => name)
      )
    )

    it("each month is a partition, which is dropped with its last row", () =>
      within(place)(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const sql = yield* SqlClient
          for (const name of yield* partitions) yield* sql`DROP TABLE ${sql(name)}`
          yield* finish("1", Date.UTC(2026, 9, 31))
          yield* finish("2", november)
          yield* ledger.archive.move(everything)
          expect(yield* partitions).toEqual(["pawl_archive_202610", "pawl_archive_202611"])
          yield* ledger.archive.drop({ at: november, months: 0, limit: 10 })
          expect(yield* partitions).toEqual(["pawl_archive_202611"])
        })
      ))

    it("the partition of an old month is dropped also if its last batch was full, or its rows came back", () =>
      within(place)(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          for (const name of yield* partitions) {
            yield* Effect.flatMap(SqlClient, (sql) => sql`DROP TABLE ${sql(name)}`)
          }
          for (const id of ["1", "2"]) yield* finish(id, november)
          yield* finish("3", november - 31 * day)
          yield* ledger.archive.move(everything)
          const late = november + 380 * day
          yield* ledger.accept(callback("3", "CHARGEBACK"), late)
          expect(yield* partitions).toEqual(["pawl_archive_202610", "pawl_archive_202611"])
          const drop = ledger.archive.drop({ at: late, months: 7, limit: 2 })
          expect([yield* drop, yield* drop]).toEqual([2, 0])
          expect(yield* partitions).toEqual([])
        })
      ))

    it("a call needs so few statements that a database 40 ms away answers within 3 seconds", () =>
      within(place)(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const due = november + 400 * day
          for (let id = 0; id < 120; id++)
            yield* finish(String(id), november + (id % 6) * 31 * day, due)
          yield* ledger.archive.move({ ...everything, limit: 200 })
          const statementsOf = <A, E>(call: Effect.Effect<A, E>) => {
            let count = 0
            const counted: Statement.Transformer = (statement) => {
              count++
              return Effect.succeed(statement)
            }
            return Effect.map(
              Effect.provideService(call, Statement.CurrentTransformer, counted),
              (result) => ({ result, count })
            )
          }
          const deleted = yield* statementsOf(ledger.deleteBodies({ before: due, limit: 100 }))
          expect(deleted.result).toBe(16)
          expect(deleted.count).toBeLessThan(50)
          const claimed = yield* statementsOf(
            ledger.claim({ at: due, until: due + 1000, limit: 100 })
          )
          expect(claimed.result.rows).toHaveLength(16)
          expect(claimed.result.dueAt).toBeLessThanOrEqual(due)
          expect(claimed.count).toBeLessThan(50)
        })
      ))

    it("callbacks that come while rows are archived are not lost", () =>
      within(place)(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const many = Array.from({ length: 40 }, (_, id) => String(id))
          yield* Effect.forEach(many, (id) => finish(id, november))
          const statuses = ["REFUNDED", "CHARGEBACK"] as const
          const accepts = Effect.forEach(
            statuses.flatMap((status) => many.map((id) => [id, status] as const)),
            ([id, status]) => ledger.accept(callback(id, status), november + day),
            { concurrency: 8 }
          )
          const archiving = Effect.forever(ledger.archive.move(everything))
          yield* Effect.raceFirst(accepts, archiving)
          const rows = yield* Effect.forEach(many, (id) => ledger.get("card", id))
          expect(rows.map((row) => row?.callbacks)).toEqual(many.map(() => 3))
          expect(rows.map((row) => Evidence.claimedStatuses(row?.evidence ?? 0).length)).toEqual(
            many.map(() => 3)
          )
        })
      ))
  })
})

it("a ledger in memory erases, and moves nothing", () =>
  Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const { archive } = yield* Ledger
        yield* finish("1", november)
        expect(yield* archive.move(everything)).toEqual({ moved: 0, last: undefined })
        expect(yield* archive.erase("card", "1")).toMatchObject({ rows: 1, bodies: 1 })
        const row = yield* Effect.flatMap(Ledger, (ledger) => ledger.get("card", "1"))
        expect(row?.newestCallbacks.SUCCEED?.signed?.amount).toBe("10.00")
      }),
      layerMemory
    )
  ))
