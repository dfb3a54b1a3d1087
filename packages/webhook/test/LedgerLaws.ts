/**
 * The laws of the ledger port, over any layer of it, for any runner.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import fc from "fast-check"
import type { Ledger } from "../src/Ledger.ts"
import type { Change, Leased, Row } from "../src/Row.ts"
import { expect } from "./assertions.ts"
import { keeping } from "./LedgerKeeping.ts"
import { callback, claimAll, claimOne, law, type Law } from "./LedgerLaw.ts"
import { history as steps, nextDue, replay } from "./LedgerModel.ts"
import { apm, card, checksum, incoming, verified, verify } from "./service.ts"

/** How a row comes about, is worked on, and let go. */
const life: ReadonlyArray<Law> = [
  law("accept: makes a row of a transaction's first callback, due at once", (ledger) =>
    Effect.gen(function* () {
      const body = card({ transactionStatus: "PENDING", metadata: { a: "1" } })
      expect(yield* ledger.accept(verified("card", body), 1000)).toEqual({ isNew: true })
      const row: Row = {
        method: "card",
        scope: "card",
        transactionId: "100001",
        kind: "card",
        terms: undefined,
        cleared: false,
        secret: "current",
        evidence: Evidence.claimed("PENDING"),
        read: undefined,
        callbacks: 1,
        told: undefined,
        tells: 0,
        trying: undefined,
        attempt: 0,
        failingSince: undefined,
        tellAt: 1000,
        createdAt: 1000,
        since: 1000,
        polls: 0,
        pollAt: undefined,
        askedAt: undefined,
        doubtedAt: 1000,
        parked: undefined,
        newest: {
          PENDING: {
            signed: {
              account: "mid-1",
              amount: "10.00",
              currency: "EUR",
              transactionId: "100001"
            },
            unsigned: { transactionStatus: "PENDING", metadata: { a: "1" } }
          }
        }
      }
      expect(yield* ledger.get("card", "100001")).toEqual(row)
      expect(yield* nextDue(ledger)).toBe(1000)
    })
  ),

  law("accept: keeps the evidence of a repeat, counts it, and says it is nothing new", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.accept(callback("PENDING"), 1000)
      for (const times of [2, 3, 4]) {
        expect(yield* ledger.accept(callback("PENDING"), 1000 * times)).toEqual({ isNew: false })
        const row = yield* ledger.get("card", "100001")
        expect(row).toMatchObject({ evidence: Evidence.claimed("PENDING"), callbacks: times })
      }
      expect(yield* ledger.accept(callback("SUCCEED"), 9000)).toEqual({ isNew: true })
    })
  ),

  law("accept: keeps the newest callback of each status, byte for byte", (ledger) =>
    Effect.gen(function* () {
      const metadata = { ["__proto__"]: "x", "'; --": "\u2028 👩‍👩‍👧 \\u0000" }
      yield* ledger.accept(callback("PENDING", { metadata: { n: "1" } }), 1)
      yield* ledger.accept(callback("SUCCEED", { metadata: { n: "2" } }), 2)
      yield* ledger.accept(callback("PENDING", { metadata, declineCode: 5 }), 3)
      const row = yield* ledger.get("card", "100001")
      expect(row?.newest.PENDING?.unsigned).toEqual({
        transactionStatus: "PENDING",
        metadata,
        declineCode: 5
      })
      expect(row?.newest.SUCCEED?.unsigned).toMatchObject({ metadata: { n: "2" } })
    })
  ),

  law("accept: starts the poll ladder anew for a new status, and never for a repeat", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.accept(callback("PENDING"), 1000)
      const leased = yield* claimOne(ledger, 1000)
      yield* ledger.write(leased, {
        polls: 3,
        pollAt: 90_000,
        askedAt: 2000,
        release: { dueAt: 90_000 }
      })
      yield* ledger.accept(callback("PENDING"), 3000)
      const repeated = yield* ledger.get("card", "100001")
      expect(repeated).toMatchObject({ since: 1000, polls: 3, pollAt: 90_000, doubtedAt: 3000 })
      yield* ledger.accept(callback("PROCESSING"), 4000)
      const renewed = yield* ledger.get("card", "100001")
      expect(renewed).toMatchObject({
        since: 4000,
        polls: 0,
        pollAt: undefined,
        doubtedAt: 4000,
        askedAt: 2000
      })
    })
  ),

  law(
    "accept: makes a row due for new evidence and for a claim not confirmed, and for nothing else",
    (ledger) =>
      Effect.gen(function* () {
        yield* ledger.accept(callback("PENDING"), 1000)
        const first = yield* claimOne(ledger, 1000)
        yield* ledger.write(first, { release: { dueAt: 90_000 } })
        expect(yield* nextDue(ledger)).toBe(90_000)
        yield* ledger.accept(callback("PENDING"), 2000)
        expect(yield* nextDue(ledger)).toBe(2000)

        const second = yield* claimOne(ledger, 2000)
        const evidence = Evidence.confirmed("PENDING")
        yield* ledger.write(second, { evidence, release: { dueAt: 90_000 } })
        const before = yield* ledger.get("card", "100001")
        expect(yield* ledger.accept(callback("PENDING"), 3000)).toEqual({ isNew: false })
        expect(yield* nextDue(ledger)).toBe(90_000)
        expect(yield* ledger.get("card", "100001")).toEqual({ ...before, callbacks: 3 })

        yield* ledger.accept(callback("SUCCEED"), 4000)
        expect(yield* nextDue(ledger)).toBe(4000)
      })
  ),

  law("accept: never makes a row due later", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.accept(callback("PENDING"), 1000)
      yield* ledger.accept(callback("SUCCEED"), 5000)
      expect(yield* nextDue(ledger)).toBe(1000)
    })
  ),

  law("accept: gives no row to what is in quarantine, and keeps it with its bytes", (ledger) =>
    Effect.gen(function* () {
      const odd = verified("card", card({ transactionStatus: "SETTLED" }))
      const nul = verified("apm", apm({ metadata: { a: "\0\ud800" } }))
      expect(yield* ledger.accept(odd, 1000)).toEqual({ isNew: true })
      expect(yield* ledger.accept(nul, 2000)).toEqual({ isNew: true })
      expect(yield* ledger.get("card", "100001")).toBeUndefined()
      expect(yield* ledger.get("apm", "100001")).toBeUndefined()
      expect(yield* nextDue(ledger)).toBeUndefined()
      expect(yield* ledger.quarantined).toEqual([odd, nul])
    })
  ),

  law(
    "accept: keeps apart what differs in method or id, whatever the id looks like (A08, A23)",
    (ledger) =>
      Effect.gen(function* () {
        yield* ledger.accept(callback("PENDING"), 1000)
        // A card checksum replayed as an APM callback makes a row of its own.
        const replay = incoming("apm", apm({ accountId: "mid-1" }), {
          checksum: checksum("card", card())
        })
        yield* ledger.accept(Result.getOrThrow(verify(replay)), 2000)
        const ids = [
          "__proto__",
          "constructor",
          "toString",
          "1e2",
          "100001_",
          "-",
          "0100001",
          "x".repeat(64)
        ]
        for (const transactionId of ids)
          yield* ledger.accept(callback("NEW", { transactionId }), 3000)
        expect(yield* ledger.get("card", "100001")).toMatchObject({
          callbacks: 1,
          evidence: Evidence.claimed("PENDING")
        })
        expect(yield* ledger.get("apm", "100001")).toMatchObject({ callbacks: 1, kind: "apm" })
        for (const transactionId of ids) {
          expect(yield* ledger.get("card", transactionId)).toMatchObject({
            transactionId,
            callbacks: 1
          })
        }
        expect((yield* claimAll(ledger, 9000)).length).toBe(2 + ids.length)
      })
  ),

  law(
    "register: makes a row before any callback, due at once, with a status that counts as confirmed",
    (ledger) =>
      Effect.gen(function* () {
        yield* ledger.register({ kind: "refund", transactionId: "7", status: "PENDING" }, 1000)
        yield* ledger.register({ kind: "apm-payout", transactionId: "8" }, 2000)
        expect(yield* ledger.get("card", "7")).toMatchObject({
          kind: "refund",
          evidence: Evidence.confirmed("PENDING"),
          callbacks: 0,
          createdAt: 1000,
          since: 1000
        })
        expect(yield* ledger.get("apm", "8")).toMatchObject({
          kind: "apm-payout",
          evidence: Evidence.none
        })
        expect((yield* claimAll(ledger, 2000)).map(({ transactionId }) => transactionId)).toEqual([
          "7",
          "8"
        ])
      })
  ),

  law("register: gives a row that a callback made its kind, and keeps the rest of it", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.accept(callback("PENDING"), 1000)
      const before = yield* ledger.get("card", "100001")
      yield* ledger.register({ kind: "card-payout", transactionId: "100001", status: "NEW" }, 2000)
      expect(yield* ledger.get("card", "100001")).toEqual({
        ...before,
        kind: "card-payout",
        evidence: Evidence.join(Evidence.claimed("PENDING"), Evidence.confirmed("NEW"))
      })
      yield* ledger.register({ kind: "card-payout", transactionId: "100001", status: "NEW" }, 2000)
      expect(yield* ledger.get("card", "100001")).toMatchObject({ callbacks: 1, createdAt: 1000 })
    })
  ),

  law(
    "register: during a lease is not lost: the row is due at once when it is released",
    (ledger) =>
      Effect.gen(function* () {
        yield* ledger.accept(callback("PENDING"), 1000)
        const leased = yield* claimOne(ledger, 1000)
        yield* ledger.register(
          { kind: "card-payment", transactionId: "100001", status: "SUCCEED" },
          1500
        )
        yield* ledger.write(leased, { release: { dueAt: 90_000 } })
        expect(yield* nextDue(ledger)).toBe(1500)
        const again = yield* claimOne(ledger, 1500)
        expect(again).toMatchObject({
          kind: "card-payment",
          evidence: Evidence.join(Evidence.claimed("PENDING"), Evidence.confirmed("SUCCEED"))
        })
      })
  ),

  law(
    "claim: leases what is due, oldest first, within the limit, and says exactly when the next is",
    (ledger) =>
      Effect.gen(function* () {
        for (const [transactionId, at] of [
          ["3", 3000],
          ["1", 1000],
          ["4", 4000],
          ["2", 2000],
          ["5", 5000]
        ] as const) {
          yield* ledger.accept(callback("NEW", { transactionId }), at)
        }
        const ids = (rows: ReadonlyArray<Leased>) => rows.map(({ transactionId }) => transactionId)
        const first = yield* ledger.claim({ at: 4000, until: 60_000, limit: 2 })
        expect(ids(first.rows)).toEqual(["1", "2"])
        expect(first.dueAt).toBe(3000)
        const second = yield* ledger.claim({ at: 4000, until: 60_000, limit: 2 })
        expect(ids(second.rows)).toEqual(["3", "4"])
        expect(second.dueAt).toBe(5000)
        const third = yield* ledger.claim({ at: 4999, until: 70_000, limit: 2 })
        expect(third).toEqual({ rows: [], dueAt: 5000 })
        const fourth = yield* ledger.claim({ at: 5000, until: 70_000, limit: 2 })
        expect(ids(fourth.rows)).toEqual(["5"])
        expect(fourth.dueAt).toBe(60_000)
      })
  ),

  law("claim: of nothing gives nothing", (ledger) =>
    Effect.gen(function* () {
      expect(yield* ledger.claim({ at: 1000, until: 2000, limit: 10 })).toEqual({
        rows: [],
        dueAt: undefined
      })
      yield* ledger.accept(callback("NEW"), 1000)
      expect(yield* ledger.claim({ at: 1000, until: 2000, limit: 0 })).toEqual({
        rows: [],
        dueAt: 1000
      })
      const leased = yield* claimOne(ledger, 1000)
      yield* ledger.write(leased, { release: { dueAt: undefined } })
      expect(yield* ledger.claim({ at: 9e15, until: 9e15, limit: 10 })).toEqual({
        rows: [],
        dueAt: undefined
      })
    })
  ),

  law("claim: leases to one alone until the lease is over, however due the row becomes", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.accept(callback("NEW"), 1000)
      const leased = yield* claimOne(ledger, 1000, 31_000)
      yield* ledger.accept(callback("SUCCEED"), 2000)
      expect(yield* ledger.claim({ at: 30_999, until: 99_000, limit: 10 })).toEqual({
        rows: [],
        dueAt: 31_000
      })
      expect(yield* ledger.write(leased, { until: 41_000 })).toBeDefined()
      expect(yield* ledger.claim({ at: 40_999, until: 99_000, limit: 10 })).toEqual({
        rows: [],
        dueAt: 41_000
      })
      const next = yield* claimOne(ledger, 41_000)
      expect(next.lease === leased.lease).toBe(false)
      expect(next.evidence).toBe(
        Evidence.join(Evidence.claimed("NEW"), Evidence.claimed("SUCCEED"))
      )
    })
  ),

  law("write: without the lease changes nothing and gives nothing", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.accept(callback("NEW"), 1000)
      const lost = yield* claimOne(ledger, 1000, 2000)
      const held = yield* claimOne(ledger, 2000, 60_000)
      const change: Change = {
        told: "NEW",
        tells: 1,
        kind: "refund",
        evidence: Evidence.confirmed("FAILED"),
        read: { status: "FAILED", askedAt: 1 },
        until: 90_000,
        release: { dueAt: 0 }
      }
      const before = yield* ledger.get("card", "100001")
      expect(yield* ledger.write(lost, change)).toBeUndefined()
      expect(yield* ledger.get("card", "100001")).toEqual(before)
      expect(yield* nextDue(ledger)).toBe(60_000)

      expect(yield* ledger.write(held, { told: "NEW", release: { dueAt: 5000 } })).toBeDefined()
      const released = yield* ledger.get("card", "100001")
      expect(yield* ledger.write(held, change)).toBeUndefined()
      expect(yield* ledger.get("card", "100001")).toEqual(released)
      expect(yield* nextDue(ledger)).toBe(5000)
    })
  ),

  law("write: joins evidence and reads, sets the rest, and gives the row as it is now", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.accept(callback("NEW"), 1000)
      const leased = yield* claimOne(ledger, 1000)
      const parked = { reason: "handler-failed", at: 5, to: "NEW" } as const
      const one = yield* ledger.write(leased, {
        evidence: Evidence.confirmed("SUCCEED"),
        read: { status: "SUCCEED", askedAt: 3000 },
        trying: "SUCCEED",
        attempt: 2,
        failingSince: 4,
        parked
      })
      expect(one).toMatchObject({ trying: "SUCCEED", attempt: 2, failingSince: 4, parked })
      const two = yield* ledger.write(leased, {
        evidence: Evidence.confirmed("PENDING"),
        read: { status: "PENDING", askedAt: 2000 },
        told: "SUCCEED",
        tells: 1,
        trying: undefined,
        parked: undefined,
        release: { dueAt: 9000 }
      })
      expect(two).toMatchObject({
        evidence: [
          Evidence.claimed("NEW"),
          Evidence.confirmed("SUCCEED"),
          Evidence.confirmed("PENDING")
        ].reduce(Evidence.join),
        read: { status: "SUCCEED", askedAt: 3000 },
        told: "SUCCEED",
        trying: undefined,
        attempt: 2,
        parked: undefined
      })
      expect(yield* ledger.get("card", "100001")).toMatchObject({
        told: "SUCCEED",
        tells: 1,
        callbacks: 1
      })
    })
  ),

  law(
    "write: keeps all of an accept that came during the lease, and frees the row due at once",
    (ledger) =>
      Effect.gen(function* () {
        yield* ledger.accept(callback("PENDING"), 1000)
        const leased = yield* claimOne(ledger, 1000)
        yield* ledger.accept(callback("SUCCEED", { metadata: { n: "2" } }), 2000)
        const learned = yield* ledger.write(leased, {
          evidence: Evidence.confirmed("PENDING"),
          read: { status: "PENDING", askedAt: 1500 },
          askedAt: 1500,
          polls: 1,
          pollAt: 301_500
        })
        const row = {
          evidence: [
            Evidence.claimed("PENDING"),
            Evidence.claimed("SUCCEED"),
            Evidence.confirmed("PENDING")
          ].reduce(Evidence.join),
          callbacks: 2,
          since: 2000,
          polls: 0,
          pollAt: undefined,
          askedAt: 1500,
          doubtedAt: 2000,
          newest: { PENDING: {}, SUCCEED: { unsigned: { metadata: { n: "2" } } } }
        }
        expect({ ...learned, callbacks: 2 }).toMatchObject(row)
        // The worker goes on with what the write gave it; the accept is still not lost.
        yield* ledger.write(learned as Leased, {
          told: "PENDING",
          tells: 1,
          polls: 1,
          pollAt: 301_500
        })
        yield* ledger.write(learned as Leased, { release: { dueAt: 301_500 } })
        expect(yield* ledger.get("card", "100001")).toMatchObject({ ...row, told: "PENDING" })
        expect(yield* nextDue(ledger)).toBe(2000)
      })
  ),

  law("write: moves the ladder on, whatever repeats came during the lease", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.accept(callback("SUCCEED"), 1000)
      const leased = yield* claimOne(ledger, 1000)
      yield* ledger.accept(callback("SUCCEED"), 2000)
      yield* ledger.write(leased, {
        polls: 1,
        pollAt: 6000,
        askedAt: 1000,
        release: { dueAt: 6000 }
      })
      // Not confirmed, so the repeat is due at once; but it holds no poll up.
      expect(yield* ledger.get("card", "100001")).toMatchObject({
        polls: 1,
        pollAt: 6000,
        doubtedAt: 2000
      })
      expect(yield* nextDue(ledger)).toBe(2000)
    })
  ),

  law(
    "write: is due when it says so, though a confirmed callback was repeated during the lease",
    (ledger) =>
      Effect.gen(function* () {
        yield* ledger.register(
          { kind: "card-payment", transactionId: "100001", status: "SUCCEED" },
          1000
        )
        yield* ledger.accept(callback("SUCCEED"), 1000)
        const leased = yield* claimOne(ledger, 1000)
        yield* ledger.accept(callback("SUCCEED"), 2000)
        yield* ledger.write(leased, { polls: 1, pollAt: 50_000, release: { dueAt: 50_000 } })
        expect(yield* ledger.get("card", "100001")).toMatchObject({
          polls: 1,
          pollAt: 50_000,
          callbacks: 2
        })
        expect(yield* nextDue(ledger)).toBe(50_000)
      })
  ),

  law("woken: completes when a row becomes due, and when one becomes free", (ledger) =>
    Effect.gen(function* () {
      const waits = Effect.forkChild(ledger.woken, { startImmediately: true })
      const one = yield* waits
      expect(one.pollUnsafe()).toBeUndefined()
      yield* ledger.accept(callback("PENDING"), 1000)
      yield* Fiber.join(one)

      const two = yield* waits
      const leased = yield* claimOne(ledger, 1000)
      expect(two.pollUnsafe()).toBeUndefined()
      yield* ledger.write(leased, { release: { dueAt: 5000 } })
      yield* Fiber.join(two)

      const three = yield* waits
      expect(three.pollUnsafe()).toBeUndefined()
      yield* ledger.register({ kind: "refund", transactionId: "9" }, 2000)
      yield* Fiber.join(three)
      // What came while nobody waited is not missed.
      yield* ledger.accept(callback("SUCCEED"), 3000)
      yield* ledger.woken
    })
  )
]

/** The laws that are tried on one example each. */
export const laws: ReadonlyArray<Law> = [...life, ...keeping]

/** A ledger leaves the rows, leases and due times that a plain model has; `layer` makes an empty one each time. */
export const history = {
  name: "any history: leaves the rows, leases and due times that a plain model has",
  check: (layer: Layer.Layer<Ledger, unknown>, numRuns = 500): Promise<void> =>
    fc.assert(
      fc.asyncProperty(steps, (drawn) =>
        Effect.runPromise(Effect.provide(replay(drawn), layer, { local: true }))
      ),
      { numRuns }
    )
}
