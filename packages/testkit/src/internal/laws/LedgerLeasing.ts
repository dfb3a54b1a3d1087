/**
 * The laws of how a ledger's row is worked on: leased, written, let go.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Change, Leased } from "@pawl/webhook/Row"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect } from "./Expect.ts"
import { callback, claimOne, law, type LedgerLaw, nextDue } from "./LedgerLaw.ts"

/** What a claim gives that leases no row. */
const nothing = (dueAt?: number) => ({ rows: [], dueAt })

/**
 * What `claim`, `write` and `woken` do.
 *
 * @category laws
 * @since 0.1.0
 */
export const leasing: ReadonlyArray<LedgerLaw> = [
  law(
    {
      name: "claim leases what is due, oldest first, within the limit, and says exactly when the next is",
      section: "docs/decisions/0008",
      explanation:
        "A worker sleeps until then: too late leaves a payment waiting, too early asks in vain."
    },
    function* (ledger) {
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
      expect(third).toEqual(nothing(5000))
      const fourth = yield* ledger.claim({ at: 5000, until: 70_000, limit: 2 })
      expect(ids(fourth.rows)).toEqual(["5"])
      expect(fourth.dueAt).toBe(60_000)
    }
  ),

  law(
    {
      name: "a claim of nothing gives nothing",
      section: "docs/decisions/0008",
      explanation: "With nothing due, or with no room for any, nothing is leased."
    },
    function* (ledger) {
      expect(yield* ledger.claim({ at: 1000, until: 2000, limit: 10 })).toEqual(nothing())
      yield* ledger.accept(callback("NEW"), 1000)
      expect(yield* ledger.claim({ at: 1000, until: 2000, limit: 0 })).toEqual(nothing(1000))
      const leased = yield* claimOne(ledger, 1000)
      yield* ledger.write(leased, { release: { dueAt: undefined } })
      expect(yield* ledger.claim({ at: 9e15, until: 9e15, limit: 10 })).toEqual(nothing())
    }
  ),

  law(
    {
      name: "claim leases to one alone until the lease is over, however due the row becomes",
      section: "docs/decisions/0008",
      explanation:
        "Two workers on one transaction would tell the handler twice, and in either order."
    },
    function* (ledger) {
      yield* ledger.accept(callback("NEW"), 1000)
      const leased = yield* claimOne(ledger, 1000, 31_000)
      yield* ledger.accept(callback("SUCCEED"), 2000)
      expect(yield* ledger.claim({ at: 30_999, until: 99_000, limit: 10 })).toEqual(nothing(31_000))
      expect(yield* ledger.write(leased, { until: 41_000 })).toBeDefined()
      expect(yield* ledger.claim({ at: 40_999, until: 99_000, limit: 10 })).toEqual(nothing(41_000))
      const next = yield* claimOne(ledger, 41_000)
      expect(next.lease === leased.lease).toBe(false)
      expect(next.evidence).toBe(
        Evidence.join(Evidence.claimed("NEW"), Evidence.claimed("SUCCEED"))
      )
    }
  ),

  law(
    {
      name: "a write without the lease changes nothing and gives nothing",
      section: "docs/decisions/0008",
      explanation: "A worker that was away too long has lost the row to another, whose word counts."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "write joins evidence and reads, sets the rest, and gives the row as it is now",
      section: "docs/decisions/0008",
      explanation:
        "What was learned is another join: an older answer of the service does not undo a newer one."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "write keeps all of an accept that came during the lease, and frees the row due at once",
      section: "docs/decisions/0008",
      explanation: "An accept during a lease is never lost: a 200 was answered for it."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "write moves the ladder on, whatever repeats came during the lease",
      section: "docs/decisions/0006",
      explanation: "Whoever repeats a callback without end does not hold a poll up."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "a written row is due when the write says so, though a confirmed callback was repeated during the lease",
      section: "docs/decisions/0008",
      explanation: "A repeat of what is confirmed is no news, whenever it comes."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "woken completes when a row becomes due, and when one becomes free",
      section: "docs/decisions/0008",
      explanation:
        "A worker that waits learns of work in its own process without asking for it, and misses none."
    },
    function* (ledger) {
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
    }
  )
]
