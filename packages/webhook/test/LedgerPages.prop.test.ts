/** Lists and deletions that go through more documents than one page has. */
import { optional } from "@pawl/test-support/Properties"
import * as Evidence from "@pawl/core/Evidence"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { live, test } from "@pawl/test-support/Tests"
import { repeats } from "@pawl/test-support/Repeats"
import { build, documentsOf, requestRow, scopes, storedRow } from "./memoryLedger.ts"
import { bodyName } from "../src/internal/ledger/Accepting.ts"
import * as Keeping from "../src/internal/ledger/Keeping.ts"
import * as Working from "../src/internal/ledger/Working.ts"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import type { Records } from "../src/internal/records/Engine.ts"
import { alarmsFor } from "../src/internal/rule/Counters.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import type { Parked } from "../src/internal/rule/Row.ts"
import { compareText, type PlannedPage } from "../src/internal/rule/RowPages.ts"
import type { RequestRow } from "../src/internal/rule/RequestRow.ts"

const reasons = ["handler-failed", "amount-mismatch"] as const
const parkedRow = fc.record({
  scope: fc.constantFrom(...scopes),
  reason: fc.constantFrom(...reasons),
  // Few times, so that many dead letters have the same one.
  at: optional(fc.nat({ max: 3 }))
})

const parkedRows = documentsOf(parkedRow)

/** Requests that cannot be read fill the first page. */
const unread = [
  { settledAt: 0, isDamaged: true },
  { settledAt: 0, isDamaged: true }
]

const ascending = (one: number, two: number) => one - two

const placeOf = ({ deadLetter, scope, transactionId }: Parked) =>
  [deadLetter.at, transactionId, scope, deadLetter.reason] as const

type Documents = typeof parkedRows extends fc.Arbitrary<infer Value> ? Value : never

/** A document with a later dead letter of a reason is listed before one with an earlier one. */
const failed = { scope: "card", reason: "handler-failed", at: 0 } as const
const mismatch = { scope: "card-payout", reason: "amount-mismatch", at: 1 } as const
const laterBefore: Documents = [
  [failed],
  [failed, mismatch],
  [failed],
  [{ ...mismatch, scope: "card", at: 0 }]
]

/** UTF-16 has U+1F600 before U+FF5E. */
const nameOf = (id: number) => `${["", "\uff5e", "\u{1f600}"][id % 3]}${id}`

const limits = fc.integer({ min: 1, max: 4 })
const runs = { numRuns: repeats(200) }

/** The work on a store of which some operations are changed. */
const workOn = (
  { engines }: Effect.Success<ReturnType<typeof build>>,
  change: (records: Records) => Partial<Records>
) => {
  const [records] = engines.own
  const own = { ...records, ...change(records) }
  return Working.make({ ...engines, own: [own], of: () => own }, () => Effect.die("unused"))
}

describe("a ledger in memory", () => {
  it("lists each row and each dead letter once by pages of any size, the oldest dead letter first, and those of one reason", () =>
    live.forAll(
      [parkedRows, limits, optional(fc.constantFrom(...reasons))],
      { ...runs, examples: [[laterBefore, 1, "amount-mismatch"]] },
      function* (documents, limit, reason) {
        const { ledger, write } = yield* build()
        const stored = documents.map((rows, id) => rows.map((row) => storedRow(nameOf(id), row)))
        for (const [id, value] of stored.entries()) {
          if (value.length > 0) yield* write(nameOf(id), value)
        }
        const found: Array<ReturnType<typeof placeOf>> = []
        let after: Parameters<typeof ledger.deadLetters>[0]["after"]
        for (;;) {
          const page = yield* ledger.deadLetters({ after, limit, reason })
          found.push(...page.map(placeOf))
          const last = page.at(-1)
          if (last === undefined) break
          const { deadLetter, scope, transactionId } = last
          after = { at: deadLetter.at, scope, transactionId }
        }
        const all = stored
          .flat()
          .flatMap(({ row }) => (row.deadLetter === undefined ? [] : [placeOf(row as Parked)]))
        expect((yield* ledger.backlog(0)).deadLetters).toBe(all.length)
        const expected = all.filter(([, , , each]) => each === (reason ?? each))
        expect(found.map(([at]) => at)).toEqual(expected.map(([at]) => at).toSorted(ascending))
        expect(found.map(String).toSorted()).toEqual(expected.map(String).toSorted())
        const rows: Array<string> = []
        let last: Parameters<typeof ledger.page>[0]["after"]
        do {
          const page = yield* ledger.page({ after: last, limit, from: 0, before: 2000 })
          rows.push(...page.rows.map(({ scope, transactionId }) => `${transactionId} ${scope}`))
          last = page.last
        } while (last !== undefined)
        const written = stored.flat().map(({ row }) => `${row.transactionId} ${row.scope}`)
        expect(rows).toEqual(written.toSorted(compareText))
      }
    ))

  it("counts the due rows of two shards, and brings each planned read forward, by pages of any size, whatever rows an id has", () =>
    live.forAll(
      [
        documentsOf(
          fc.record({
            scope: fc.constantFrom(...scopes),
            // Due already, or planned for few times.
            dueAt: fc.constantFrom(1, 1e6, 1e6 + 1, 1e6 + 2),
            lease: fc.constantFrom(undefined, undefined, { id: 1, until: 9e6, evidence: 0 })
          })
        ),
        limits
      ],
      runs,
      function* (documents, limit) {
        const { ledger, write } = yield* build()
        for (const [id, rows] of documents.entries()) {
          const watched = rows.map(({ dueAt, lease, scope }) => ({
            ...storedRow(`${id}`, { scope }),
            dueAt,
            lease,
            lane: "watch" as const
          }))
          yield* write(`${id}`, watched)
        }
        const due = documents
          .flat()
          .flatMap(({ dueAt, lease }) => (lease === undefined && dueAt <= 1e6 ? [dueAt] : []))
        const [oldestDueAt] = due.toSorted(ascending)
        const backlog = yield* ledger.backlog(1e6)
        expect(backlog).toEqual({ due: due.length, oldestDueAt, deadLetters: 0 })
        let after: PlannedPage["after"]
        let dueAt = 1000
        do {
          const page = { after, readSince: 0, dueAt, rate: 10, limit }
          after = yield* ledger.bringForward({ lane: "watch", ...page })
          dueAt += limit * 100
        } while (after !== undefined)
        const { rows } = yield* ledger.page({ limit: 99, from: 0, before: 2000 })
        const planned = documents
          .flat()
          .filter(({ dueAt, lease }) => dueAt > 1 && lease === undefined)
        const brought = rows.flatMap(({ pollAt = Infinity, transactionId }) =>
          pollAt < 1e6 ? [{ at: pollAt, transactionId }] : []
        )
        expect(brought).toHaveLength(planned.length)
        const times = [...new Set(brought.map(({ at, transactionId }) => `${at} ${transactionId}`))]
          .map((each) => Number.parseInt(each, 10))
          .toSorted(ascending)
        for (const [position, time] of times.entries()) {
          expect((times[position + 2 * 10] ?? Infinity) - time).toBeGreaterThanOrEqual(999)
        }
      }
    ))

  test("claims the oldest row first, also if an id has one before and one behind that of another id", function* () {
    const { ledger, write } = yield* build(1)
    const due = (id: string, scope: "card" | "refund", dueAt: number) => {
      return { ...storedRow(id, { scope }), dueAt }
    }
    yield* write("1", [due("1", "card", 1), due("1", "refund", 3)])
    yield* write("2", [due("2", "card", 2)])
    const { rows } = yield* ledger.claim({ at: 3, until: 9, limit: 9 })
    expect(rows.map(({ transactionId }) => transactionId)).toEqual(["1", "2", "1"])
  })

  test("after the clock was set back, each row and each request is due earlier, however many pages they fill", function* () {
    const { ledger, requests, write } = yield* build(1)
    for (let id = 0; id < 250; id++) {
      yield* write(`${id}`, [{ ...storedRow(`${id}`), dueAt: 9000 }])
      yield* requests.write(requestRow(`${id}`), { at: 9000 })
    }
    yield* ledger.shift({ at: 5000, by: 4000, until: 6000 })
    expect((yield* ledger.backlog(5000)).due).toBe(250)
    expect((yield* requests.claim({ at: 5000, until: 6000, limit: 999 })).rows).toHaveLength(250)
  })

  test("after an outage a row that the store refuses to write keeps no later page from being read", function* () {
    const store = yield* build(1)
    const { ledger, write } = store
    for (const [position, id] of ["bad", "1", "2"].entries())
      yield* write(id, [{ ...storedRow(id), lane: "watch", dueAt: 9000 + position }])
    const refused = new StoreUnavailable({ cause: { code: "23514" } })
    const working = workOn(store, ({ change }) => ({
      change: (...asked) => (asked[1].startsWith("bad") ? Effect.fail(refused) : change(...asked))
    }))
    let after: PlannedPage["after"]
    do {
      const page = { after, readSince: 0, dueAt: 1000, rate: 10, limit: 1 }
      after = yield* working.bringForward({ lane: "watch", ...page })
    } while (after !== undefined)
    expect((yield* ledger.backlog(1000)).due).toBe(2)
  })

  test("no row is left late because the disk is full for a while", function* () {
    const store = yield* build(1)
    yield* store.write("1", [{ ...storedRow("1"), dueAt: 9000 }])
    const full = new StoreUnavailable({ cause: { code: "53100" } })
    const working = workOn(store, () => ({ change: () => Effect.fail(full) }))
    const failed = yield* Effect.flip(working.shift({ at: 5000, by: 4000, until: 6000 }))
    expect(failed).toBe(full)
  })

  test("a request that a person denied while its transaction settled it is not deleted", function* () {
    const store = yield* build(1)
    const { requests, write } = store
    yield* requests.write(requestRow("1"), { at: 0 })
    const deny = (row: RequestRow | undefined) => ({
      value: row && { ...row, deniedTransactionId: "2" },
      result: undefined
    })
    const working = workOn(store, ({ change, get }) => ({
      get: (...asked) =>
        Effect.tap(get(...asked), () => Effect.orDie(change("requests", "1", deny)))
    }))
    const stored = storedRow("2")
    const signed = { account: "a", amount: "1", currency: "EUR", transactionId: "2" }
    const row = {
      ...stored.row,
      ordered: { requestId: "1" },
      newestCallbacks: { SUCCEED: { at: 0, signed } }
    }
    yield* write("2", [{ ...stored, row, dueAt: 0 }])
    const alarms = Metric.value(alarmsFor(RequestRule.provedWrong))
    const before = yield* alarms
    const { rows } = yield* working.claim({ at: 0, until: 9, limit: 1 })
    for (const leased of rows)
      yield* working.write(leased, {
        evidence: Evidence.confirmed("SUCCEED"),
        read: { status: "SUCCEED", askedAt: 1 },
        release: { dueAt: undefined }
      })
    expect(yield* alarms).toEqual(before)
    expect(yield* requests.get("1")).toMatchObject({
      deniedTransactionId: "2",
      settledAt: undefined
    })
  })

  test("a request that cannot be read is not written anew", function* () {
    const { engines, requests } = yield* build(1)
    const value = requestRow("damaged")
    yield* engines.own[0].change("requests", "damaged", () => ({ value, result: undefined }))
    const written = yield* requests.write(value, { at: 1000, until: 2000 })
    expect(written).toMatchObject({ isNew: false, row: { requestId: "damaged", lease: undefined } })
  })

  test("a process deletes nothing that another one changed after it was found", function* () {
    const { engines, ledger, requests, write } = yield* build(1)
    const [records] = engines.own
    const stored = storedRow("1")
    const row = { ...stored.row, told: "SUCCEED", newStatusAt: 0 } as const
    yield* write("1", [{ ...stored, row }])
    const outcome = { _tag: "Answered", text: "x" } as const
    const value = { ...requestRow("1"), body: undefined, outcome, settledAt: 0 }
    yield* records.change("requests", "1", () => ({ value, result: undefined }))
    const old = { before: 1, limit: 9 }
    const page: typeof records.page = (...asked) =>
      Effect.tap(records.page(...asked), () =>
        Effect.orDie(write("1", [{ ...stored, row: { ...row, newStatusAt: 1 } }]))
      )
    const due: typeof records.due = (...asked) =>
      Effect.tap(records.due(...asked), () => requests.deleteTexts(old))
    const own = [{ ...records, due, page }] as const
    expect(yield* Keeping.make({ ...engines, own }).deleteOld(old)).toBe(0)
    expect((yield* ledger.page({ limit: 9, from: 0, before: 2000 })).rows).toHaveLength(1)
    expect(yield* RequestStore.make({ ...engines, own }, ledger).deleteTexts(old)).toBe(0)
    expect(yield* requests.get("1")).toMatchObject({ outcome: { _tag: "Answered" } })
  })

  it("claims each due request of two shards once, the oldest first, at most as many as asked, although a shard is down", () =>
    live.forAll(
      [
        // The last one was planned before the clock was set back.
        fc.array(fc.constantFrom(1, 2, 3, 1e9), { maxLength: 25 }),
        limits,
        fc.boolean()
      ],
      runs,
      function* (times, limit, isDown) {
        const { engines, ledger } = yield* build()
        const [first, ...others] = engines.own
        const lease = () => Effect.fail(new StoreUnavailable({ cause: "down" }))
        const own = [isDown ? { ...first, lease } : first, ...others] as const
        const requests = RequestStore.make({ ...engines, own }, ledger)
        for (const [id, at] of times.entries()) {
          yield* requests.write({ ...requestRow(`${id}`), expiresAt: undefined }, { at })
        }
        const claimed: Array<RequestRow> = []
        for (let claims = 0; claims <= 2 * times.length; claims++) {
          const { rows } = yield* requests.claim({ at: 1e6, until: 1_030_000, limit })
          expect(rows.length).toBeLessThanOrEqual(limit)
          claimed.push(...rows)
        }
        const wanted = [...times.keys()].filter(
          (id) => !isDown || engines.of({ requestId: `${id}` }) !== first
        )
        expect(claimed.map(({ requestId }) => Number(requestId)).toSorted(ascending)).toEqual(
          wanted
        )
        for (const records of engines.own) {
          const mine = claimed.filter((row) => engines.of(row) === records)
          const createdAt = mine.map((row) => row.createdAt)
          expect(createdAt).toEqual(createdAt.toSorted(ascending))
        }
      }
    ))

  it("deletes each old body but those of dead letters, by pages of any size, and keeps the newer ones after a move", () =>
    live.forAll(
      [
        documentsOf(
          fc.record({
            scope: fc.constantFrom(...scopes),
            isParked: fc.boolean(),
            isMoved: fc.boolean(),
            callbacks: fc.dictionary(fc.constantFrom("PENDING", "SUCCEED"), fc.nat({ max: 3 }))
          })
        ),
        limits
      ],
      runs,
      function* (documents, limit) {
        const { engines, ledger } = yield* build()
        const all = documents.flatMap((rows, id) =>
          rows.flatMap(({ callbacks, isMoved, isParked, scope }) =>
            Object.entries(callbacks).map(([status, at]) => ({
              key: { method: "card", transactionId: `${id}`, scope } as const,
              status: status as "PENDING" | "SUCCEED",
              at: isMoved ? 0 : at,
              isKept: isParked || at >= 2
            }))
          )
        )
        for (const [id, rows] of documents.entries()) {
          const key = { method: "card", transactionId: `${id}` } as const
          const value = rows.map(({ callbacks, isParked, scope }) => {
            const stored = storedRow(`${id}`, { scope, at: isParked ? 0 : undefined })
            const newestCallbacks = Object.fromEntries(
              Object.entries(callbacks).map(([status, at]) => [status, { at, signed: undefined }])
            )
            return { ...stored, row: { ...stored.row, newestCallbacks } }
          })
          const put = all
            .filter(({ key }) => key.transactionId === `${id}`)
            .map(({ at, key: { scope }, status }) => {
              return { name: bodyName(scope, status), at, bytes: new Uint8Array(1) }
            })
          const rule = () => ({ value, put, result: undefined })
          yield* engines.of(key).change("transactions", `${id}\tcard`, rule)
        }
        let left = all.filter(({ isKept }) => !isKept).length
        while (left > 0) {
          const deleted = yield* ledger.deleteBodies({ before: 2, limit })
          expect(deleted).toBeGreaterThanOrEqual(Math.min(left, limit))
          left -= deleted
        }
        expect(left).toBe(0)
        expect(yield* ledger.deleteBodies({ before: 2, limit })).toBe(0)
        for (const { isKept, key, status } of all) {
          const [records, name] = [engines.of(key), bodyName(key.scope, status)]
          const text = records.text("transactions", `${key.transactionId}\tcard`, name)
          expect((yield* text) !== undefined).toBe(isKept)
        }
      }
    ))

  it("deletes the texts of each old request, by pages of any size, whatever requests cannot be read", () =>
    live.forAll(
      [
        fc.array(fc.record({ settledAt: fc.nat({ max: 3 }), isDamaged: fc.boolean() }), {
          maxLength: 25
        }),
        limits
      ],
      { ...runs, examples: [[[...unread, { settledAt: 1, isDamaged: false }], 1]] },
      function* (settled, limit) {
        const { engines, requests } = yield* build()
        const all = settled.map(({ isDamaged, settledAt }, id) => {
          const row = { ...requestRow(`${isDamaged ? "damaged" : ""}${id}`), settledAt }
          return { ...row, body: undefined, outcome: { _tag: "Answered", text: "x" } } as const
        })
        for (const value of all) {
          const { requestId } = value
          const rule = () => ({ value, result: undefined })
          yield* engines.of(value).change("requests", requestId, rule)
        }
        const isOld = ({ requestId, settledAt }: (typeof all)[number]) =>
          settledAt < 2 && !requestId.startsWith("damaged")
        let left = all.filter(isOld).length
        while (left > 0) {
          const deleted = yield* requests.deleteTexts({ before: 2, limit })
          expect(deleted).toBeGreaterThan(0)
          expect(deleted).toBeLessThanOrEqual(2 * limit)
          left -= deleted
        }
        for (const row of all.filter(({ requestId }) => !requestId.startsWith("damaged"))) {
          const { outcome } = (yield* requests.get(row.requestId)) ?? {}
          expect(outcome).toMatchObject({ text: isOld(row) ? undefined : "x" })
        }
      }
    ))

  test("keeps no document of a transaction that it did not know when it was erased", function* () {
    const { engines, ledger } = yield* build(1)
    yield* ledger.erase("card", "1")
    const [records] = engines.own
    expect((yield* records.page("transactions", { after: "", limit: 9 })).found).toEqual([])
  })

  it("lists each parked request once by pages of any size, oldest first", () =>
    live.forAll(
      [fc.array(optional(fc.nat({ max: 3 })), { maxLength: 25 }), limits],
      runs,
      function* (times, limit) {
        const { engines, requests } = yield* build()
        for (const [id, at] of times.entries()) {
          const requestId = `${id}`
          const parked = at === undefined ? undefined : ({ reason: "no-key", at } as const)
          yield* engines.of({ requestId }).change("requests", requestId, () => ({
            value: { ...requestRow(requestId), parked },
            result: undefined
          }))
        }
        const found: Array<readonly [number, string]> = []
        let after: { readonly at: number; readonly requestId: string } | undefined
        for (;;) {
          const page = yield* requests.parked({ after, limit })
          found.push(...page.map(({ parked, requestId }) => [parked.at, requestId] as const))
          const last = page.at(-1)
          if (last === undefined) break
          after = { at: last.parked.at, requestId: last.requestId }
        }
        const expected = times.flatMap((at, id) =>
          at === undefined ? [] : [[at, `${id}`] as const]
        )
        expect(found).toEqual(
          expected.toSorted(([one, id], [two, other]) => one - two || (id < other ? -1 : 1))
        )
      }
    ))
})
