/** `@pawl/testkit/Laws/Store` has the laws of every ledger. */
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"
import { layerMemory, Ledger } from "../src/Ledger.ts"
import type { Leased } from "../src/internal/rule/Row.ts"
import type { Verified } from "../src/Verifier.ts"
import { test, testIn } from "@pawl/test-support/Tests"
import { client, emptied, ledgerOf, type Place } from "@pawl/test-support/Places"
import { card, incoming, secret, verified, verifierOf } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

const groups = (place: Place, numRuns: number) => {
  const callbacks = fc.array(
    fc.record({
      transactionId: fc.constantFrom("1", "2", "3"),
      transactionStatus: fc.constantFrom<Status>("NEW", "PENDING", "SUCCEED", "FAILED"),
      note: fc.nat(99)
    }),
    { minLength: 2, maxLength: 30 }
  )
  it("accepts a group with the same result as its callbacks one by one", () =>
    fc.assert(
      fc.asyncProperty(callbacks, (drawn) =>
        Effect.gen(function* () {
          const one = Context.get(yield* Layer.build(layerMemory), Ledger)
          const many = Context.get(yield* Layer.build(emptied(place)), Ledger)
          const all = drawn.map(({ note, transactionId, transactionStatus }) =>
            verified(
              "card",
              card({ transactionId, transactionStatus, metadata: { n: String(note) } })
            )
          )
          // A confirmed status makes a repeat not due.
          for (const ledger of [one, many]) {
            yield* ledger.register({ kind: "refund", transactionId: "1", status: "PENDING" }, 1)
          }
          // Callbacks of one row with different statuses may change places, so each row has one
          // time.
          const timeOf = ({ transactionId }: Verified) => 1000 + Number(transactionId)
          const inTurn = yield* Effect.forEach(all, (each) => one.accept(each, timeOf(each)))
          const atOnce = yield* Effect.forEach(all, (each) => many.accept(each, timeOf(each)), {
            concurrency: "unbounded"
          })
          expect(atOnce).toEqual(inTurn)
          for (const id of ["1", "2", "3"]) {
            expect(yield* many.get("card", id)).toEqual(yield* one.get("card", id))
          }
          const claims = yield* Effect.forEach([one, many], (ledger) =>
            ledger.claim({ at: 5000, until: 6000, limit: 2 })
          )
          const plain = claims.map(({ dueAt, rows }) => ({
            dueAt,
            rows: rows.map((row) => ({ ...row, lease: 0 }))
          }))
          expect(plain[1]).toEqual(plain[0])
        }).pipe(Effect.scoped, Effect.runPromise)
      ),
      { numRuns }
    ))
}

/** Callbacks of one status keep their order in a group. */
const newest = (place: Place, numRuns: number) => {
  const callbacks = fc.array(
    fc.record({
      transactionId: fc.constantFrom("1", "2"),
      isPrevious: fc.boolean(),
      namesRefund: fc.boolean(),
      type: fc.constantFrom("PAYMENT", "PAYOUT"),
      mid: fc.constantFrom("mid-1", "mid-2"),
      orderAmount: fc.constantFrom("1.00", "2.00"),
      orderCurrency: fc.constantFrom("EUR", "USD"),
      note: fc.nat(99)
    }),
    { minLength: 2, maxLength: 12 }
  )
  const { verify: rotated } = verifierOf("newer", secret)
  const { verify } = verifierOf(secret)
  it("keeps the time, the secret, the hint, the signed fields and the body of the callbacks of a group as of those one by one", () =>
    fc.assert(
      fc.asyncProperty(callbacks, (drawn) =>
        Effect.gen(function* () {
          const one = Context.get(yield* Layer.build(layerMemory), Ledger)
          const many = Context.get(yield* Layer.build(emptied(place)), Ledger)
          const all = drawn.map(({ isPrevious, namesRefund, note, type, ...signed }) => {
            const fields = { ...signed, type, metadata: { n: String(note) } }
            const hint = namesRefund ? { refundId: signed.transactionId } : {}
            const callback = card({ ...fields, ...hint })
            return Result.getOrThrow((isPrevious ? rotated : verify)(incoming("card", callback)))
          })
          const accepts = (ledger: Ledger["Service"]) =>
            all.map((each, at) => ledger.accept(each, 1000 + at))
          for (const _ of [1, 2]) {
            const inTurn = yield* Effect.all(accepts(one))
            expect(yield* Effect.all(accepts(many), { concurrency: "unbounded" })).toEqual(inTurn)
          }
          for (const transactionId of ["1", "2"]) {
            const key = { method: "card", transactionId, scope: "card" } as const
            const shown = (ledger: Ledger["Service"]) =>
              Effect.all([ledger.get("card", transactionId), ledger.body(key, "SUCCEED")])
            expect(yield* shown(many)).toEqual(yield* shown(one))
          }
        }).pipe(Effect.scoped, Effect.runPromise)
      ),
      { numRuns }
    ))
}

const promises = (place: Place) => {
  const test = testIn(place)

  test("keeps the bytes of the newest body of a status, and the count of its callbacks", function* () {
    const ledger = yield* Ledger
    const bodies = [0, 1, 2].map((n) => verified("card", card({ metadata: { n: `${n} ✓` } })))
    const key = { method: "card", scope: "card", transactionId: "100001" } as const
    for (const [index, body] of bodies.entries()) {
      yield* ledger.accept(body, index)
      expect(yield* ledger.body(key, "SUCCEED")).toEqual(body.bytes)
      const [story] = yield* ledger.story("card", "100001")
      expect(story?.facts).toMatchObject([{ fact: "accepted", count: index + 1, at: 0 }])
    }
  })

  test("A31: reads no body but that of the status to tell", function* () {
    const ledger = yield* Ledger
    const sql = yield* SqlClient
    const accept = (transactionStatus: Status) =>
      ledger.accept(verified("card", card({ transactionStatus })), 1000)
    yield* accept("PENDING")
    yield* accept("SUCCEED")
    // A body that is not JSON, so these calls would fail if they parsed it.
    const unreadable = new Uint8Array([0])
    yield* sql`UPDATE pawl_transactions_texts SET body = ${unreadable}`
    const { rows } = yield* ledger.claim({ at: 1000, until: 2000, limit: 1 })
    const leased = rows[0] as Leased
    const written = yield* ledger.write(leased, {
      deadLetter: { reason: "handler-failed", at: 1, to: undefined }
    })
    const signed = {
      account: "mid-1",
      amount: "10.00",
      currency: "EUR",
      transactionId: "100001"
    }
    const stored = { at: 1000, signed }
    const shown = [leased, written, yield* ledger.get("card", "100001")]
    for (const row of shown) {
      expect(row?.newestCallbacks).toEqual({ PENDING: stored, SUCCEED: stored })
    }
    expect(yield* ledger.body(leased, "SUCCEED")).toEqual(unreadable)
    expect(yield* ledger.body(leased, "FAILED")).toBeUndefined()
  })

  test("accepts 300 concurrent callbacks of as many transactions, and writes to their rows", function* () {
    const ledger = yield* Ledger
    const ids = Array.from({ length: 300 }, (_, id) => String(id))
    const accepted = yield* Effect.forEach(
      ids,
      (transactionId) => ledger.accept(verified("card", card({ transactionId })), 1000),
      { concurrency: "unbounded" }
    )
    expect(accepted.filter(({ isNew }) => isNew)).toHaveLength(300)
    const { rows } = yield* ledger.claim({ at: 1000, until: 9000, limit: 300 })
    const written = yield* Effect.forEach(rows, (row) => ledger.write(row, { askedAt: 1 }), {
      concurrency: "unbounded"
    })
    expect(written.filter((row) => row?.askedAt === 1)).toHaveLength(300)
  })

  test("a registration of a row that is there sets its kind, joins its evidence, and is one more fact", function* () {
    const ledger = yield* Ledger
    yield* ledger.accept(verified("card", card({ transactionStatus: "PENDING" })), 1000)
    const registration = { kind: "card-payment", transactionId: "100001" } as const
    for (const count of [1, 2]) {
      yield* ledger.register({ ...registration, status: "NEW" }, 1000 + count)
      const [story] = yield* ledger.story("card", "100001")
      const registered = story?.facts.filter(({ fact }) => fact === "registered")
      expect(registered).toMatchObject([{ count, number: count }])
    }
    expect(yield* ledger.get("card", "100001")).toMatchObject({
      kind: "card-payment",
      registered: true,
      evidence: Evidence.claimed("PENDING") | Evidence.confirmed("NEW")
    })
  })

  test("keeps work that came during a lease, if the lease ends without work", function* () {
    const ledger = yield* Ledger
    const accept = (transactionStatus: Status, at: number) =>
      ledger.accept(verified("card", card({ transactionStatus })), at)
    yield* accept("PENDING", 1000)
    const { rows } = yield* ledger.claim({ at: 1000, until: 9000, limit: 1 })
    yield* accept("SUCCEED", 1500)
    yield* ledger.write(rows[0] as Leased, { release: { dueAt: undefined } })
    const next = yield* ledger.claim({ at: 1500, until: 9000, limit: 1 })
    expect(next.rows).toMatchObject([{ transactionId: "100001", callbacks: 2 }])
  })

  test("gives each fact of a row the next number, from 1 on, and no other change", function* () {
    const ledger = yield* Ledger
    yield* ledger.accept(verified("card", card()), 1000)
    const { rows } = yield* ledger.claim({ at: 1000, until: 9000, limit: 1 })
    const leased = rows[0] as Leased
    for (const at of [1, 2]) {
      yield* ledger.write(leased, { askedAt: at })
      yield* ledger.write(leased, {
        facts: [{ fact: "told", at, sequence: at, to: "SUCCEED" }]
      })
    }
    const [story] = yield* ledger.story("card", "100001")
    const told = story?.facts.filter(({ fact }) => fact === "told")
    expect(told?.map(({ number }) => number)).toEqual([1, 2])
  })

  test("rolls a write back with its transaction", function* () {
    const ledger = yield* Ledger
    const sql = yield* SqlClient
    yield* ledger.accept(verified("card", card()), 1000)
    const { rows } = yield* ledger.claim({ at: 1000, until: 2000, limit: 1 })
    const leased = rows[0] as Leased
    const told = ledger.write(leased, { told: "SUCCEED", sequence: 1, evidence: Evidence.none })
    yield* Effect.flip(sql.withTransaction(Effect.andThen(told, Effect.fail("no"))))
    expect(yield* ledger.get("card", "100001")).toMatchObject({ told: undefined, sequence: 0 })
    yield* sql.withTransaction(told)
    expect(yield* ledger.get("card", "100001")).toMatchObject({ told: "SUCCEED", sequence: 1 })
  })

  it.effect("accepts a hundred concurrent callbacks in a few statements", () => {
    let statements = 0
    const count: Statement.Transformer = (statement) => {
      if (statement.compile()[0].includes("INSERT INTO pawl_transactions_texts")) statements++
      return Effect.succeed(statement)
    }
    return Effect.gen(function* () {
      const ledger = yield* Ledger
      const ids = Array.from({ length: 100 }, (_, id) => String(id))
      yield* Effect.forEach(
        ids,
        (transactionId) => ledger.accept(verified("card", card({ transactionId })), 1000),
        { concurrency: "unbounded" }
      )
      expect((yield* ledger.claim({ at: 1000, until: 2000, limit: 200 })).rows.length).toBe(100)
      expect(statements).toBeLessThan(10)
    }).pipe(
      Effect.provide(emptied(place), { local: true }),
      Effect.provideService(Statement.CurrentTransformer, count)
    )
  })
}

const newer = (place: Place) =>
  it.effect("R42: an older version refuses a newer schema in one sentence", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* Layer.build(ledgerOf(place))
      yield* sql`INSERT INTO pawl_migrations (migration_id, name) VALUES (1000, 'later')`
      const { message } = yield* Effect.flip(Layer.build(Layer.fresh(ledgerOf(place))))
      expect(message).toMatch(
        /^The store belongs to a newer version of pawl \(its schema is 1000, this version knows \d+\): [^.]+$/u
      )
      yield* sql`DELETE FROM pawl_migrations WHERE migration_id = 1000`
      yield* Layer.build(Layer.fresh(ledgerOf(place)))
    }).pipe(Effect.provide(client(place)))
  )

const shifts = (place: Place) =>
  test("R27: shifts due times and leases as the rule does", function* () {
    const play = Effect.fnUntraced(function* (ledger: Ledger["Service"]) {
      const ids = Array.from({ length: 12 }, (_, id) => String(id + 1))
      for (const id of ids) {
        yield* ledger.accept(verified("card", card({ transactionId: id })), 1000 * Number(id))
      }
      // Three leases end later than any new one.
      yield* ledger.claim({ at: 3000, until: 9000, limit: 3 })
      for (const until of [6500, 7100, 7200]) yield* ledger.claim({ at: 6000, until, limit: 1 })
      const leased = (yield* ledger.claim({ at: 7000, until: 8000, limit: 1 })).rows
      for (const row of leased) yield* ledger.write(row, { release: { dueAt: 50_000 } })
      yield* ledger.shift({ at: 2000, by: 4500, until: 4000 })
      const claims = []
      for (let at = 2000; at <= 60_000; at += 500) {
        const { rows } = yield* ledger.claim({ at, until: 100_000, limit: 20 })
        const claimed = rows.map(({ transactionId }) => transactionId).toSorted()
        if (claimed.length > 0) claims.push([at, ...claimed])
      }
      return claims
    })
    const expected = yield* play(Context.get(yield* Layer.build(layerMemory), Ledger))
    expect(expected.length).toBeGreaterThan(4)
    expect(yield* play(Context.get(yield* Layer.build(emptied(place)), Ledger))).toEqual(expected)
  })

const file = files()
describe("in a SQLite file", () => {
  groups(file(), 60)
  newest(file(), 20)
  promises(file())
  shifts(file())
  newer(file())
})
await onPostgres((place) => {
  groups(place, 20)
  newest(place, 8)
  promises(place)
  shifts(place)
  newer(place)
})
