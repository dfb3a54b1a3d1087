import * as Evidence from "@pawl/core/Evidence"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { assert, describe, expect, it } from "@effect/vitest"
import * as Cleaner from "../src/internal/work/Cleaner.ts"
import * as Ledger from "../src/Ledger.ts"
import { Transactions } from "../src/LedgerSql.ts"
import type { NewRequest } from "../src/internal/rule/RequestRow.ts"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import { blank } from "../src/internal/rule/Row.ts"
import { live } from "@pawl/test-support/Tests"
import { emptied, type Place } from "@pawl/test-support/Places"
import { apm, search, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { day } from "@pawl/test-support/World"

const request = (requestId: string, changes?: Partial<NewRequest>): NewRequest => ({
  requestId,
  kind: "apm-payment",
  digest: `digest-${requestId}`,
  hasCardData: false,
  body: `sealed-${requestId}`,
  ...changes
})

const window = 24 * 60 * 60_000
const answered = { _tag: "Answered", text: "sealed-answer" } as const

type Stores = RequestStore.RequestStore | Ledger.Ledger

const memory = RequestStore.layerMemory.pipe(Layer.provideMerge(Layer.fresh(Ledger.layerMemory)))

const promises = (layer: Layer.Layer<Stores, unknown>) => {
  const test = (name: string, body: Effect.Effect<void, unknown, Stores>) =>
    it.live(name, () => Effect.provide(body, layer, { local: true }))

  const stores = Effect.all({ store: RequestStore.RequestStore, ledger: Ledger.Ledger })

  test(
    "a request is written once, and the second one gets the row of the first",
    Effect.gen(function* () {
      const { store } = yield* stores
      const first = yield* store.write(request("1"), { at: 1000 })
      expect(first).toMatchObject({ isNew: true, row: { dueAt: 1000, createdAt: 1000 } })
      const second = yield* store.write(request("1", { digest: "other" }), { at: 2000 })
      expect(second).toEqual({ isNew: false, row: first.row })
      expect(yield* store.get("1")).toEqual(first.row)
      expect(yield* store.get("2")).toBeUndefined()
    })
  )

  test(
    "a request that is sent at once is claimed by others only after its lease, and is in doubt then",
    Effect.gen(function* () {
      const { store } = yield* stores
      const { row } = yield* store.write(request("1", { expiresAt: 500_000 }), {
        at: 1000,
        until: 31_000
      })
      expect(row).toMatchObject({ begunAt: 1000, lease: { until: 31_000, inDoubt: false } })
      const early = yield* store.claim({ at: 30_999, until: 60_000, limit: 5 })
      expect(early).toEqual({ rows: [], dueAt: 31_000 })
      const late = yield* store.claim({ at: 31_000, until: 61_000, limit: 5 })
      expect(late.rows).toMatchObject([{ requestId: "1", lease: { inDoubt: true }, attempts: 2 }])
      expect(late.dueAt).toBe(61_000)
      const lost = { ...row, lease: row.lease ?? { id: -1, until: 0, inDoubt: false } }
      expect(yield* store.renew(lost, 90_000)).toBe(false)
      const noEffect = { _tag: "NotSent", reason: "no-effect" } as const
      const refused = yield* store.settle("1", {
        outcome: noEffect,
        at: 31_001,
        lease: lost.lease.id
      })
      expect(refused.isSettled).toBe(false)
    })
  )

  test(
    "the outcome and the registration of its transaction are written together",
    Effect.gen(function* () {
      const { ledger, store } = yield* stores
      const { row } = yield* store.write(request("1"), { at: 1000, until: 31_000 })
      const transaction = { method: "apm", transactionId: "100001" } as const
      const settled = yield* store.settle(
        "1",
        { outcome: answered, at: 2000, lease: row.lease?.id, transaction },
        {
          kind: "apm-payment",
          transactionId: "100001",
          requestId: "1",
          account: "4711",
          amount: "10.00",
          currency: "EUR",
          status: "PENDING"
        }
      )
      expect(settled).toMatchObject({
        isSettled: true,
        refusal: undefined,
        row: { outcome: answered, settledAt: 2000, transaction, begunAt: 1000 }
      })
      expect(settled.row).toMatchObject({ body: undefined, lease: undefined, dueAt: undefined })
      expect(yield* ledger.get("apm", "100001")).toMatchObject({
        kind: "apm-payment",
        registered: true,
        ordered: { requestId: "1" }
      })
      // The worker of the ledger is told at once.
      yield* ledger.awaitWork
      const { rows } = yield* ledger.claim({ at: 2000, until: 3000, limit: 1 })
      expect(rows).toMatchObject([{ transactionId: "100001" }])
      const again = yield* store.settle("1", { outcome: { ...answered, text: "b" }, at: 3000 })
      expect(again).toMatchObject({ isSettled: false, row: { outcome: answered } })
    })
  )

  test(
    "a registration that the ledger refuses does not keep the outcome from being written",
    Effect.gen(function* () {
      const { ledger, store } = yield* stores
      const registration = { kind: "apm-payment", transactionId: "1", amount: "10.00" } as const
      yield* ledger.register(registration, 1000)
      yield* store.write(request("1"), { at: 1000, until: 31_000 })
      const settled = yield* store.settle(
        "1",
        { outcome: answered, at: 2000 },
        { ...registration, amount: "11.00" }
      )
      expect(settled).toMatchObject({
        isSettled: true,
        refusal: { _tag: "RegisteredDifferently", field: "amount" }
      })
      expect(yield* store.get("1")).toMatchObject({ outcome: answered })
      expect(yield* ledger.get("apm", "1")).toMatchObject({ ordered: { amount: "10.00" } })
    })
  )

  test(
    "a confirmed transaction whose callback URL names the request settles it",
    Effect.gen(function* () {
      const { ledger, store } = yield* stores
      for (const id of ["1", "2"]) {
        yield* store.write(request(id), { at: 1000, until: 31_000 })
      }
      const query = search("apm", "apm-payment", { requestId: "1" })
      yield* ledger.accept(verified("apm", apm(), query), 2000)
      const { rows } = yield* ledger.claim({ at: 2000, until: 3000, limit: 5 })
      expect(yield* store.get("1")).toMatchObject({ outcome: undefined })
      for (const row of rows) {
        yield* ledger.write(row, {
          evidence: Evidence.confirmed("PENDING"),
          read: { status: "PENDING", askedAt: 2500 },
          release: { dueAt: undefined }
        })
      }
      const transaction = { method: "apm", transactionId: "100001" }
      expect(yield* store.get("1")).toMatchObject({
        outcome: { _tag: "Found" },
        settledAt: 2500,
        transaction,
        lease: undefined,
        body: "sealed-1"
      })
      expect(yield* store.get("2")).toMatchObject({ outcome: undefined })
      const settled = yield* store.settle("1", { outcome: answered, at: 3000 })
      expect(settled).toMatchObject({ isSettled: true, row: { outcome: answered, transaction } })
    })
  )

  test(
    "a transaction that another store has found settles the request that it names",
    Effect.gen(function* () {
      const { store } = yield* stores
      yield* store.write(request("1"), { at: 1000, until: 31_000 })
      const signed = { account: "4711", amount: "10.00", currency: "EUR", transactionId: "100001" }
      const row = {
        ...blank("apm-payment", "100001", 1000),
        ordered: { requestId: "1" },
        newestCallbacks: { PENDING: { at: 1000, signed } },
        evidence: Evidence.confirmed("PENDING"),
        read: { status: "PENDING", askedAt: 2000 }
      } as const
      yield* store.find("1", { ...row, ordered: { requestId: "2" } })
      expect(yield* store.get("1")).toMatchObject({ outcome: undefined })
      yield* store.find("1", row)
      expect(yield* store.get("1")).toMatchObject({
        outcome: { _tag: "Found" },
        transaction: { method: "apm", transactionId: "100001" }
      })
      yield* store.find("2", row)
      expect(yield* store.get("2")).toBeUndefined()
    })
  )

  test(
    "a cancelled request is never begun, and a begun one is never cancelled",
    Effect.gen(function* () {
      const { store } = yield* stores
      yield* store.write(request("1"), { at: 1000 })
      yield* store.write(request("2"), { at: 1000 })
      const { rows } = yield* store.claim({ at: 1000, until: 31_000, limit: 5 })
      const [one, two] = rows.toSorted((a, b) => a.requestId.localeCompare(b.requestId))
      if (one === undefined || two === undefined) return expect(rows).toHaveLength(2)
      expect(yield* store.cancel("1", 1001)).toBe(true)
      expect(yield* store.begin(one, { at: 1002, window })).toBeUndefined()
      expect(yield* store.begin(two, { at: 1002, window })).toMatchObject({ begunAt: 1002 })
      expect(yield* store.cancel("2", 1003)).toBe(false)
      expect(yield* store.cancel("3", 1003)).toBe(false)
    })
  )

  test(
    "parked requests are listed in pages, oldest first, and are redriven",
    Effect.gen(function* () {
      const { store } = yield* stores
      for (const id of ["1", "2", "3"]) yield* store.write(request(id), { at: 1000 })
      const { rows } = yield* store.claim({ at: 1000, until: 31_000, limit: 5 })
      for (const row of rows) {
        yield* store.park(row, "no-key", 5000 - Number(row.requestId))
      }
      const page = yield* store.parked({ limit: 2 })
      expect(page.map(({ requestId }) => requestId)).toEqual(["3", "2"])
      const rest = yield* store.parked({ limit: 2, after: { at: 4998, requestId: "2" } })
      expect(rest.map(({ requestId }) => requestId)).toEqual(["1"])
      expect(yield* store.claim({ at: 9000, until: 31_000, limit: 5 })).toEqual({
        rows: [],
        dueAt: undefined
      })
      expect(yield* store.redrive("3", { at: 9000, window })).toBe(true)
      expect(yield* store.redrive("3", { at: 9000, window })).toBe(false)
      const { rows: again } = yield* store.claim({ at: 9000, until: 31_000, limit: 5 })
      expect(again).toMatchObject([{ requestId: "3", attempts: 1 }])
    })
  )

  test(
    "claims lease each due request once, oldest first, and one that waits by its name",
    Effect.gen(function* () {
      const { store } = yield* stores
      for (const [index, id] of ["1", "2", "3"].entries()) {
        yield* store.write(request(id), { at: 1000 + index })
      }
      const claim = (at: number, limit: number) => store.claim({ at, until: at + 30_000, limit })
      const first = yield* claim(1002, 2)
      expect(first.rows.map(({ requestId }) => requestId).toSorted()).toEqual(["1", "2"])
      expect((yield* claim(1002, 2)).rows.map(({ requestId }) => requestId)).toEqual(["3"])
      expect((yield* claim(1002, 2)).rows).toEqual([])
      const [row] = first.rows
      if (row === undefined) return
      yield* store.release(row, { at: 1100, dueAt: 200_000, refusal: "404" })
      const { requestId } = row
      const one = yield* store.claim({ at: 1200, until: 31_200, limit: 1, requestId })
      expect(one.rows).toMatchObject([{ requestId, refusals: { reason: "404", count: 1 } }])
      const two = yield* store.claim({ at: 1200, until: 31_200, limit: 1, requestId })
      expect(two.rows).toEqual([])
    })
  )

  test(
    "a request is due although the clock was set back by an hour",
    Effect.gen(function* () {
      const { store } = yield* stores
      yield* store.write(request("1"), { at: 4_000_000 })
      const { rows } = yield* store.claim({ at: 400_000, until: 430_000, limit: 5 })
      expect(rows).toHaveLength(1)
    })
  )

  test(
    "a request keeps its longest wait from a claim that began before the wait (2,000 cycles of `rel create`)",
    Effect.gen(function* () {
      const { store } = yield* stores
      yield* store.write(request("1"), { at: 1000 })
      const { rows } = yield* store.claim({ at: 1000, until: 31_000, limit: 1 })
      const [row] = rows
      if (row === undefined) return assert.fail("it is not due")
      yield* store.release(row, { at: 5000, dueAt: 305_000 })
      const { rows: early } = yield* store.claim({ at: 4000, until: 34_000, limit: 1 })
      expect(early).toEqual([])
    })
  )

  test(
    "the body is deleted with the outcome, and the texts of 120 old requests after the retention time",
    Effect.gen(function* () {
      const { ledger, store } = yield* stores
      const now = yield* Clock.currentTimeMillis
      const settle = Effect.fnUntraced(function* (requestId: string, days: number) {
        const at = now - days * day
        yield* store.write(request(requestId), { at, until: at + 30_000 })
        expect(yield* store.get(requestId)).toMatchObject({ body: `sealed-${requestId}` })
        yield* store.settle(requestId, { outcome: answered, at })
        expect(yield* store.get(requestId)).toMatchObject({ body: undefined, outcome: answered })
      })
      const old = Array.from({ length: 120 }, (_, id) => `old-${id}`)
      yield* Effect.forEach(old, (id) => settle(id, 31), { concurrency: "unbounded" })
      yield* settle("young", 29)
      yield* store.write(request("open"), { at: now - 31 * day })

      yield* Layer.build(Cleaner.layer).pipe(
        Effect.provideService(Ledger.Ledger, ledger),
        Effect.provideService(RequestStore.RequestStore, store)
      )
      const texts = Effect.map(Effect.forEach(old, store.get), (rows) =>
        rows.filter(
          (row) => row?.outcome !== undefined && "text" in row.outcome && row.outcome.text
        )
      )
      yield* Effect.repeat(Effect.delay(texts, 10), { until: ({ length }) => length === 0 })
      expect(yield* store.get("old-7")).toMatchObject({
        digest: "digest-old-7",
        outcome: { _tag: "Answered", text: undefined }
      })
      expect(yield* store.get("young")).toMatchObject({ outcome: answered })
      expect(yield* store.get("open")).toMatchObject({ body: "sealed-open" })
    }).pipe(Effect.scoped)
  )

  test(
    "a request whose attempt had no effect begins again, with the body of then",
    Effect.gen(function* () {
      const { store } = yield* stores
      const { row } = yield* store.write(request("1"), { at: 1000, until: 31_000 })
      yield* store.settle("1", {
        outcome: { _tag: "NotSent", reason: "no-effect" },
        at: 2000,
        lease: row.lease?.id
      })
      const again = request("1", { body: "sealed-again" })
      const leased = yield* store.restart(again, { at: 3000, until: 33_000 })
      expect(leased).toMatchObject({
        body: "sealed-again",
        begunAt: 3000,
        createdAt: 1000,
        outcome: undefined,
        lease: { until: 33_000, inDoubt: false }
      })
      expect(yield* store.restart(again, { at: 3000, until: 33_000 })).toBeUndefined()
    })
  )
}

const inTransactions = (place: Place) => {
  live("a request is written in the transaction of the merchant, or not at all", function* () {
    const built = yield* Layer.build(emptied(place))
    const store = Context.get(built, RequestStore.RequestStore)
    const sql = Context.get(built, SqlClient)
    const { run } = Context.get(built, Transactions)
    yield* sql`CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY)`
    yield* sql`DELETE FROM orders`
    const order = (id: string) =>
      Effect.andThen(
        sql`INSERT INTO orders (id) VALUES (${id})`,
        store.write(request(id), { at: 1000 })
      )
    const undone = yield* Effect.flip(run(Effect.andThen(order("1"), Effect.fail("undo"))))
    expect(undone).toBe("undo")
    expect(yield* store.get("1")).toBeUndefined()
    yield* run(order("2"))
    expect(yield* store.get("2")).toMatchObject({ dueAt: 1000 })
    // A requestId that is taken leaves the transaction usable.
    const written = yield* run(
      Effect.gen(function* () {
        expect(yield* store.isInTransaction).toBe(true)
        const { isNew } = yield* store.write(request("2"), { at: 2000 })
        yield* sql`INSERT INTO orders (id) VALUES ('3')`
        return isNew
      })
    )
    expect(written).toBe(false)
    expect(yield* sql`SELECT id FROM orders ORDER BY id`).toEqual([{ id: "2" }, { id: "3" }])
    expect(yield* store.isInTransaction).toBe(false)
  })

  live("writes that wait at the same time all get their own row", function* () {
    const store = Context.get(yield* Layer.build(emptied(place)), RequestStore.RequestStore)
    const ids = Array.from({ length: 40 }, (_, id) => String(id % 30))
    const written = yield* Effect.forEach(
      ids,
      (id) => store.write(request(id), { at: 1000, until: 31_000 }),
      { concurrency: "unbounded" }
    )
    expect(written.map(({ row }) => row.requestId)).toEqual(ids)
    expect(written.filter(({ isNew }) => isNew)).toHaveLength(30)
  })
}

describe("in memory", () => {
  promises(memory)
})

describe("in SQLite", () => {
  const file = files()
  promises(Layer.suspend(() => emptied(file())))
  inTransactions(file())
})

await onPostgres((place) => {
  promises(emptied(place))
  inTransactions(place)
})
