import { inspect } from "node:util"
import { expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { Ledger } from "../src/Ledger.ts"
import { RequestStore } from "../src/internal/ledger/RequestStore.ts"
import * as Refusals from "../src/internal/records/Refusals.ts"
import * as Fault from "../src/internal/sql/Fault.ts"
import { newRequest } from "./memoryLedger.ts"
import { allow, refuse } from "./refusals.ts"
import { services } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { inEachStore, onPostgres } from "@pawl/test-support/Stores"
import { testIn } from "@pawl/test-support/Tests"
import { keepLog } from "@pawl/test-support/World"

const minute = 60_000

await inEachStore((place) => {
  const test = testIn(place)

  test("R46: a transaction that the store refuses to write keeps no other from its lease", function* () {
    const { at, ledger, sql } = yield* services
    for (const transactionId of ["1", "bad", "2", "3", "bad too"])
      yield* ledger.accept(verified("card", card({ transactionId })), at)
    yield* sql`UPDATE pawl_transactions SET document = '', version = version + 1
      WHERE key LIKE '3%' OR key LIKE 'bad too%'`
    yield* refuse(sql, "pawl_transactions")
    const claim = (after: number) =>
      ledger.claim({ at: at + after, until: at + after + minute, limit: 9 })
    const { refused = [], rows, unreadable } = yield* claim(0)
    expect(rows.map(({ transactionId }) => transactionId).toSorted()).toEqual(["1", "2"])
    // One that cannot be parked either is tried again.
    expect(unreadable).toEqual([{ method: "card", transactionId: "3" }])
    expect(
      refused.map(({ error, one }) => [one.leased.transactionId, Fault.of(error).kind])
    ).toEqual([["bad", "statement"]])
    expect(inspect(refused, { depth: null })).not.toContain("the text of a row")
    // Nothing else is due, so the store refuses all.
    const { failure, ...none } = yield* claim(1)
    expect(failure).toMatchObject({ _tag: "StoreUnavailable" })
    expect(none).toMatchObject({
      rows: [],
      refused: [{ one: { leased: { transactionId: "bad" } } }]
    })
    expect(inspect(failure, { depth: null })).not.toContain("the text of a row")
    yield* allow(sql, "pawl_transactions")
    const last = yield* claim(10_000)
    expect(last.rows).toMatchObject([{ transactionId: "bad" }])
    expect(last.unreadable).toEqual([{ method: "card", transactionId: "bad too" }])
  })

  test("R46: transactions that the store refuses to write keep no lane to themselves", function* () {
    const { at, ledger, sql } = yield* services
    for (const [position, id] of ["bad 1", "bad 2", "bad 3", "4", "5"].entries())
      yield* ledger.accept(verified("card", card({ transactionId: id })), at + position)
    yield* refuse(sql, "pawl_transactions")
    const claims: Array<ReadonlyArray<string | undefined>> = []
    for (let round = 10; round < 14; round++) {
      const asked = { at: at + round, until: at + minute, limit: 2 }
      const { dueAt, failure, refused = [], rows } = yield* ledger.claim(asked)
      claims.push([
        ...rows.map(({ transactionId }) => transactionId),
        ...refused.map(({ one }) => one.leased.transactionId),
        // Although more are due, which the store may refuse too, the next claim waits.
        ...(failure === undefined ? [] : ["all", dueAt?.toString()])
      ])
    }
    yield* allow(sql, "pawl_transactions")
    expect(claims).toEqual([
      ["bad 1", "bad 2", "all", undefined],
      ["4", "bad 1", "bad 2", "bad 3"],
      ["5", "bad 1", "bad 2", "bad 3"],
      ["bad 1", "bad 2", "bad 3", "all", undefined]
    ])
  })

  test("R46: many transactions that the store refuses to write do not use up the claims of a lane", function* () {
    const ledger = yield* Ledger
    const sql = yield* SqlClient
    yield* refuse(sql, "pawl_transactions")
    const [claimed, last]: [Array<string>, Array<string | undefined>] = [[], []]
    let refused = 0
    for (const [count, limit] of [
      [60, 1],
      [250, 5]
    ] as const) {
      const start = limit * minute
      for (; refused < count; refused++)
        yield* ledger.accept(verified("card", card({ transactionId: `bad ${refused}` })), refused)
      yield* ledger.accept(verified("card", card({ transactionId: `good ${count}` })), start)
      for (let at = start; at < start + minute && claimed.at(-1) !== `good ${count}`; at += 250) {
        const { rows } = yield* ledger.claim({ at, until: 9 * minute, limit })
        claimed.push(...rows.map(({ transactionId }) => transactionId))
      }
      last.push(claimed.at(-1))
    }
    yield* allow(sql, "pawl_transactions")
    expect(last).toEqual(["good 60", "good 250"])
  })

  test("R46: a transaction that the store refused is leased after the clock was set back", function* () {
    const { at, ledger, sql } = yield* services
    yield* ledger.accept(verified("card", card({ transactionId: "bad" })), at - 60 * minute)
    const claim = (at: number) => ledger.claim({ at, until: at + minute, limit: 9 })
    yield* refuse(sql, "pawl_transactions")
    expect((yield* claim(at)).rows).toEqual([])
    yield* allow(sql, "pawl_transactions")
    expect((yield* claim(at + 1)).rows).toEqual([])
    expect((yield* claim(at - 30 * minute)).rows).toMatchObject([{ transactionId: "bad" }])
  })

  test("R46: after the clock was set back only the transactions that the store refuses to write stay late", function* () {
    const ledger = yield* Ledger
    const requests = yield* RequestStore
    const sql = yield* SqlClient
    for (const transactionId of ["1", "bad", "2"])
      yield* ledger.accept(verified("card", card({ transactionId })), 9000)
    for (const row of (yield* ledger.claim({ at: 9000, until: 9001, limit: 9 })).rows)
      yield* ledger.write(row, { release: { dueAt: 9000, lane: "repeat" } })
    for (const requestId of ["1", "bad"]) yield* requests.write(newRequest(requestId), { at: 9000 })
    for (const table of ["pawl_transactions", "pawl_requests"]) yield* refuse(sql, table)
    const { kept, lines } = keepLog("Warn")
    yield* kept(ledger.shift({ at: 5000, by: 4000, until: 6000 }))
    const page = { lane: "repeat", readSince: 9001, dueAt: 6000, rate: 10, limit: 9 } as const
    yield* kept(ledger.bringForward(page))
    for (const table of ["pawl_transactions", "pawl_requests"]) yield* allow(sql, table)
    const message = "The store refuses to make some work due earlier"
    expect(lines).toEqual([1, 2, 3].map(() => [message, expect.any(StoreUnavailable)]))
    expect((yield* ledger.backlog(5000)).due).toBe(2)
    const { rows } = yield* requests.claim({ at: 5000, until: 6000, limit: 9 })
    expect(rows).toMatchObject([{ requestId: "1" }])
  })

  test("R46: a request that the store refuses to write keeps no other from its lease", function* () {
    const requests = yield* RequestStore
    const sql = yield* SqlClient
    for (const requestId of ["1", "bad", "2"])
      yield* requests.write(newRequest(requestId), { at: 1 })
    yield* refuse(sql, "pawl_requests")
    const { failure, rows } = yield* requests.claim({ at: 1, until: 2, limit: 9 })
    yield* allow(sql, "pawl_requests")
    expect(rows.map(({ requestId }) => requestId).toSorted()).toEqual(["1", "2"])
    // After a minute of it the process raises its alarm.
    expect(Fault.of(failure).kind).toBe("statement")
  })
})

await onPostgres((place) => {
  const test = testIn(place)

  test("R46: transactions that are leased one by one are returned in spite of a conflict", function* () {
    const { at, ledger, sql } = yield* services
    for (const transactionId of ["1", "bad", "conflict"])
      yield* ledger.accept(verified("card", card({ transactionId })), at)
    yield* refuse(sql, "pawl_transactions")
    yield* sql.unsafe("CREATE SEQUENCE pawl_test_conflicts")
    // The others are committed meanwhile. The batch fails before it comes to this document.
    yield* sql.unsafe(`CREATE FUNCTION pawl_test_conflict() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(0.2); IF nextval(''pawl_test_conflicts'') < 3 THEN RAISE SQLSTATE ''40001''; END IF; RETURN NEW; END'`)
    yield* sql.unsafe(`CREATE TRIGGER pawl_test_conflict BEFORE UPDATE ON pawl_transactions
      FOR EACH ROW WHEN (OLD.key LIKE 'conflict%') EXECUTE FUNCTION pawl_test_conflict()`)
    const { refused = [], rows } = yield* ledger.claim({ at, until: at + minute, limit: 9 })
    yield* allow(sql, "pawl_transactions")
    yield* sql.unsafe("DROP TRIGGER pawl_test_conflict ON pawl_transactions")
    expect(rows.map(({ transactionId }) => transactionId).toSorted()).toEqual(["1", "conflict"])
    expect(refused).toMatchObject([{ one: { leased: { transactionId: "bad" } } }])
  })

  test("R46: a store that cannot write any transaction leaves none out afterwards", function* () {
    const { at, ledger, sql } = yield* services
    yield* ledger.accept(verified("card", card({ transactionId: "1" })), at)
    yield* sql.unsafe(`CREATE FUNCTION pawl_test_full() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE SQLSTATE ''53100''; END'`)
    yield* sql.unsafe(`CREATE TRIGGER pawl_test_full BEFORE UPDATE ON pawl_transactions
      FOR EACH ROW EXECUTE FUNCTION pawl_test_full()`)
    const claim = ledger.claim({ at, until: at + minute, limit: 9 })
    expect(Fault.of(yield* Effect.flip(claim)).kind).toBe("full")
    yield* sql.unsafe("DROP TRIGGER pawl_test_full ON pawl_transactions")
    expect((yield* claim).rows).toMatchObject([{ transactionId: "1" }])
  })
})

it("R46: at most 1000 documents that the store refuses to write are left out at a time", () => {
  const refusals = Refusals.make(1)
  const error = new StoreUnavailable({ cause: "refused" })
  for (let id = 0; id < 1001; id++) refusals.keep(String(id), { error, refused: [] }, 0)
  const { limits } = refusals.widened({ at: 1, limits: [0, undefined, 2] })
  expect(limits).toEqual([0, undefined, 1002])
})
