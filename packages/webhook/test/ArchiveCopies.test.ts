/**
 * Rows that are in the ledger and in its archive: nothing of either is lost.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { copyFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as SqlArchive from "../src/internal/sql/Archive.ts"
import * as ArchiveEdits from "../src/internal/sql/ArchiveEdits.ts"
import { Ledger } from "../src/Ledger.ts"
import { callback, countOf, day, everything, finish, ids, november, within } from "./archives.ts"
import { ledgerOf, type Place } from "./places.ts"
import { files, onPostgres } from "./stores.ts"

const due = november + 14 * day

/** A page of planned reads that begins at the first one. */
const planned = {
  after: { dueAt: 0, transactionId: "", scope: "card" },
  lane: "repeat",
  limit: 10,
  readSince: november,
  dueAt: november,
  rate: 1
} as const

/** The work of another fiber or process between the two transactions of a move. */
const interleaved: Readonly<
  Record<string, (ledger: Ledger["Service"], sql: SqlClient) => Effect.Effect<unknown, unknown>>
> = {
  "the cleaner looks at the archive": (_, sql) =>
    ArchiveEdits.deleteBodies(sql, { before: november + 1, limit: 100 }),
  "the cleaner deletes bodies": (ledger) =>
    ledger.deleteBodies({ before: november + 1, limit: 100 }),
  "planned reads are brought forward": (ledger) => ledger.bringForward(planned),
  "the clock is corrected": (ledger) => ledger.shift({ at: november, by: 1, until: due }),
  "the reads are due": (ledger) => ledger.backlog(due),
  "another process looks for planned reads": (_, sql) =>
    SqlArchive.make(sql, (statement) => statement).returnPlanned(planned),
  "the rows are erased": (ledger) => Effect.forEach(ids, (id) => ledger.archive.erase("card", id)),
  "another move": (ledger) => ledger.archive.move(everything),
  "another move and a repeat": (ledger) =>
    Effect.andThen(
      ledger.archive.move(everything),
      Effect.forEach(ids, (id) => ledger.accept(callback(id, "SUCCEED"), november + day))
    )
}

const file = files()

describe("between the two transactions of a move in a SQLite file", () => {
  for (const [name, other] of Object.entries(interleaved)) {
    it(`${name}, and every transaction is still known`, () =>
      within(file())(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const sql = yield* SqlClient
          for (const id of ids) yield* finish(id, november, due)
          let step = 0
          const archive = SqlArchive.make(sql, (statement) =>
            Effect.suspend(() =>
              step++ === 2 ? Effect.andThen(Effect.orDie(other(ledger, sql)), statement) : statement
            )
          )
          yield* archive.move(everything)
          expect(step).toBe(3)
          const isKnown = Effect.gen(function* () {
            const rows = yield* Effect.forEach(ids, (id) => ledger.get("card", id))
            expect(rows.map((row) => row?.told)).toEqual(ids.map(() => "SUCCEED"))
            const stories = yield* Effect.forEach(ids, (id) => ledger.story("card", id))
            expect(stories.map(([story]) => story?.facts.length)).toEqual([2, 2, 2])
          })
          yield* isKnown
          yield* ledger.archive.move(everything)
          expect([yield* countOf("pawl_transactions"), yield* countOf("pawl_archive")]).toEqual([
            0, 3
          ])
          yield* isKnown
        })
      ))
  }
})

/** Accepts, confirms and tells another status. */
const tell = Effect.fnUntraced(function* (
  status: (OpenStatus & "CHARGEBACK") | "REFUNDED",
  at: number
) {
  const ledger = yield* Ledger
  yield* ledger.accept(callback("1", status, { note: status }), at)
  const { rows } = yield* ledger.claim({ at, until: at + 1000, limit: 9 })
  for (const row of rows) {
    const sequence = row.sequence + 1
    const fact = { fact: "told", sequence, to: status, at } as const
    const evidence = Evidence.confirmed(status)
    yield* ledger.write(row, { evidence, told: status, sequence, fact, release: { dueAt: due } })
  }
})

/** Joins what the ledger and the archive have, and expects that nothing is lost. */
const expectBoth = Effect.gen(function* () {
  const ledger = yield* Ledger
  yield* ledger.archive.move(everything)
  expect([yield* countOf("pawl_transactions"), yield* countOf("pawl_archive")]).toEqual([0, 1])
  const row = yield* ledger.get("card", "1")
  const statuses = ["SUCCEED", "REFUNDED", "CHARGEBACK"] as const
  expect(Evidence.claimedStatuses(row?.evidence ?? 0)).toEqual(statuses)
  expect(Object.keys(row?.newestCallbacks ?? {}).toSorted()).toEqual(statuses.toSorted())
  const bodies = yield* Effect.forEach(statuses, (status) =>
    ledger.body({ method: "card", transactionId: "1", scope: "card" }, status)
  )
  expect(bodies.every((body) => body !== undefined)).toBe(true)
  const [story] = yield* ledger.story("card", "1")
  const told = story?.facts.flatMap((fact) => (fact.fact === "told" ? [fact.to] : []))
  expect(new Set(told)).toContain("REFUNDED")
})

describe("a ledger's file that is older than its archive", () => {
  const operations: Readonly<
    Record<string, (ledger: Ledger["Service"]) => Effect.Effect<unknown, unknown>>
  > = {
    "a chargeback": () => Effect.void,
    "a planned read that is due": (ledger) => ledger.backlog(due),
    "the cleaner, which finds nothing old": (ledger) =>
      ledger.deleteBodies({ before: november, limit: 100 })
  }
  for (const [name, operation] of Object.entries(operations)) {
    it(`is joined with the archive, after ${name}`, async () => {
      const place = file()
      const inLedger = <A>(body: Effect.Effect<A, unknown, Ledger | SqlClient>) =>
        Effect.runPromise(Effect.provide(body, ledgerOf(place), { local: true }))
      await inLedger(finish("1", november))
      copyFileSync(place.filename, `${place.filename}.copy`)
      await inLedger(
        Effect.gen(function* () {
          yield* tell("REFUNDED", november + day)
          const ledger = yield* Ledger
          yield* ledger.archive.move(everything)
        })
      )
      copyFileSync(`${place.filename}.copy`, place.filename)
      await inLedger(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          yield* operation(ledger)
          yield* tell("CHARGEBACK", november + 2 * day)
          yield* expectBoth
        })
      )
    })
  }
})

/** Makes a new row of an archived transaction, as a version of pawl without an archive does. */
const acceptInOlderVersion = Effect.fnUntraced(function* (status: "CHARGEBACK") {
  const sql = yield* SqlClient
  const ledger = yield* Ledger
  const keys = yield* sql<Readonly<Record<string, unknown>>>`SELECT * FROM pawl_archived`
  const rows = yield* sql<Readonly<Record<string, unknown>>>`SELECT * FROM pawl_archive`
  yield* sql`DELETE FROM pawl_archived`
  yield* sql`DELETE FROM pawl_archive`
  yield* ledger.accept(callback("1", status), november + 2 * day)
  for (const key of keys) yield* sql`INSERT INTO pawl_archived ${sql.insert(key)}`
  for (const row of rows) yield* sql`INSERT INTO pawl_archive ${sql.insert(row)}`
})

const bothHold = (place: () => Place) => {
  it("a transaction of which an older version made a new row is worked on, and joined", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* finish("1", november)
        yield* tell("REFUNDED", november + day)
        yield* ledger.archive.move(everything)
        yield* acceptInOlderVersion("CHARGEBACK")
        yield* ledger.shift({ at: november, by: 1, until: due })
        yield* ledger.bringForward(planned)
        yield* ledger.backlog(due)
        const { rows } = yield* ledger.claim({ at: due, until: due + 1000, limit: 9 })
        expect(rows).toHaveLength(1)
        for (const row of rows) yield* ledger.write(row, { release: { dueAt: undefined } })
        yield* expectBoth
      })
    ))

  it("a callback of a refund finds its place beside such a row", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* finish("1", november)
        yield* ledger.archive.move(everything)
        yield* acceptInOlderVersion("CHARGEBACK")
        const refund = { ...callback("1", "REFUNDED"), kind: "refund" as const }
        expect(yield* ledger.accept(refund, november + 3 * day)).toEqual({ isNew: true })
      })
    ))
}

describe("a SQLite file with rows in both places", () => {
  bothHold(file)
})
await onPostgres((place) => {
  describe("a PostgreSQL database with rows in both places", () => {
    bothHold(() => place)
  })
})

const pageHolds = (place: () => Place) =>
  it("a page lists each transaction once while it is archived and comes back", () =>
    within(place())(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        for (const id of ids) yield* finish(id, november)
        const pages: Array<ReadonlyArray<string>> = []
        const reading = Effect.gen(function* () {
          const { rows } = yield* ledger.page({
            limit: 10,
            from: 0,
            before: 9e15,
            after: undefined
          })
          pages.push(rows.map(({ transactionId }) => transactionId))
        })
        const moving = Effect.andThen(
          ledger.archive.move(everything),
          Effect.forEach(ids, (id) => ledger.accept(callback(id, "SUCCEED"), november))
        )
        yield* Effect.raceFirst(
          Effect.repeat(reading, { times: 200 }),
          Effect.forever(Effect.andThen(moving, Effect.yieldNow))
        )
        expect(new Set(pages.map((page) => page.join()))).toEqual(new Set([ids.join()]))
      })
    ))

describe("in a SQLite file", () => {
  pageHolds(file)
})
await onPostgres((place) => {
  describe("pages in PostgreSQL", () => {
    pageHolds(() => place)
  })
})
