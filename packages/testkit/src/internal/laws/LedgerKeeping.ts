/**
 * The laws of what a ledger keeps, for how long, and under which key.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Leased, Parked } from "@pawl/webhook/Row"
import * as Effect from "effect/Effect"
import { expect } from "./Expect.ts"
import { callback, claimAll, claimOne, law, type LedgerLaw, nextDue } from "./LedgerLaw.ts"

/**
 * Under which key a row is kept, and what is kept of it.
 *
 * @category laws
 * @since 0.1.0
 */
export const keeping: ReadonlyArray<LedgerLaw> = [
  law(
    {
      name: "a token's callback has a row of its kind, and a refund's never touches the payment's (A08)",
      section: "docs/decisions/0042",
      explanation:
        "Where a refund's callback names its payment, only the URL it came to tells them apart."
    },
    function* (ledger) {
      yield* ledger.register({ kind: "card-payment", transactionId: "100001" }, 1000)
      const before = yield* ledger.get("card", "100001")
      const request = { requestId: "refund-1", mid: "mid-1" }
      // Its transactionId is the payment's.
      yield* ledger.accept(callback("FAILED", { token: ["refund", request] }), 2000)
      expect(yield* ledger.get("card", "100001")).toEqual(before)
      const rows = yield* claimAll(ledger, 2000)
      expect(rows.map(({ kind, scope }) => [kind, scope])).toEqual([
        ["card-payment", "card-payment"],
        ["refund", "refund"]
      ])
      expect(rows[1]).toMatchObject({
        evidence: Evidence.claimed("FAILED"),
        terms: { requestId: "refund-1", account: "mid-1" }
      })
      // One that names no operation is the payment's, as before.
      yield* ledger.accept(callback("SUCCEED"), 3000)
      expect(yield* ledger.get("card", "100001")).toMatchObject({
        kind: "card-payment",
        evidence: Evidence.claimed("SUCCEED")
      })
    }
  ),

  law(
    {
      name: "a refund's callback is found by the refundId it says, whatever its transactionId is",
      section: "docs/decisions/0012",
      explanation: "The refundId is the only name of its own that a refund is known to have."
    },
    function* (ledger) {
      yield* ledger.register({ kind: "refund", transactionId: "7" }, 1000)
      const token = ["refund", { requestId: "refund-1" }] as const
      yield* ledger.accept(callback("SUCCEED", { refundId: 7, token }), 2000)
      expect(yield* ledger.get("card", "7")).toMatchObject({ kind: "refund", callbacks: 1 })
      expect(yield* ledger.get("card", "100001")).toBeUndefined()
    }
  ),

  law(
    {
      name: "a row that turns out to be another's transaction is joined to that, with all it has",
      section: "docs/decisions/0042",
      explanation:
        "A callback without a token may overtake one with it. When a read tells its kind, the two rows are one, and nothing that was seen or told is lost."
    },
    function* (ledger) {
      const token = ["refund", { requestId: "refund-1" }] as const
      yield* ledger.accept(callback("PENDING", { metadata: { n: "1" } }), 1000)
      yield* ledger.accept(callback("SUCCEED", { metadata: { n: "2" } }), 1000)
      const unknown = yield* claimOne(ledger, 1000)
      yield* ledger.accept(callback("SUCCEED", { metadata: { n: "3" }, token }), 2000)
      const change = {
        kind: "refund",
        evidence: Evidence.confirmed("SUCCEED"),
        told: "PENDING"
      } as const
      expect(yield* ledger.write(unknown, change)).toBeUndefined()
      const rows = yield* claimAll(ledger, 2000)
      expect(rows.length).toBe(1)
      expect(rows[0]).toMatchObject({
        scope: "refund",
        kind: "refund",
        callbacks: 3,
        told: "PENDING",
        terms: { requestId: "refund-1" },
        evidence: [
          Evidence.claimed("PENDING"),
          Evidence.claimed("SUCCEED"),
          Evidence.confirmed("SUCCEED")
        ].reduce(Evidence.join),
        newest: {
          PENDING: { unsigned: { metadata: { n: "1" } } },
          SUCCEED: { unsigned: { metadata: { n: "3" } } }
        }
      })
      expect(yield* ledger.write(unknown, { release: { dueAt: 1 } })).toBeUndefined()
    }
  ),

  law(
    {
      name: "deadLetters lists what is parked, oldest first, until it is re-driven",
      section: "docs/decisions/0044",
      explanation:
        "What waits for a person is shown to a person, and a re-drive is a person's word that it may go on."
    },
    function* (ledger) {
      const park = Effect.fnUntraced(function* (id: string, reason: Parked["reason"], at: number) {
        yield* ledger.accept(callback("SUCCEED", { transactionId: id }), 1000)
        const leased = yield* claimOne(ledger, 1000)
        yield* ledger.write(leased, {
          parked: { reason, at, to: "SUCCEED" },
          attempt: 9,
          pollAt: 90_000,
          release: { dueAt: undefined }
        })
      })
      yield* park("1", "handler-failed", 3000)
      yield* park("2", "unknown-transaction", 2000)
      yield* park("3", "amount-mismatch", 4000)
      yield* ledger.accept(callback("SUCCEED", { transactionId: "4" }), 9000)
      const ids = Effect.map(ledger.deadLetters, (rows) =>
        rows.map(({ transactionId }) => transactionId)
      )
      expect(yield* ids).toEqual(["2", "1", "3"])

      const redrive = (transactionId: string, more?: { readonly scope: "refund" }) =>
        ledger.redrive({ method: "card", transactionId, ...more }, 5000)
      expect(yield* redrive("4")).toBe(false)
      expect(yield* redrive("5")).toBe(false)
      expect(yield* redrive("1", { scope: "refund" })).toBe(false)
      expect(yield* ledger.redrive({ method: "apm", transactionId: "1" }, 5000)).toBe(false)
      for (const id of ["1", "2", "3"]) expect(yield* redrive(id)).toBe(true)
      expect(yield* redrive("1")).toBe(false)
      expect(yield* ids).toEqual([])
      const rows = yield* claimAll(ledger, 5000)
      expect(rows.map(({ transactionId }) => transactionId).toSorted()).toEqual(["1", "2", "3"])
      for (const row of rows) expect(row).toMatchObject({ attempt: 9, tellAt: 5000 })
      const of = (id: string) => rows.find(({ transactionId }) => transactionId === id)
      expect(of("1")).toMatchObject({ pollAt: 90_000, cleared: false })
      expect(of("2")).toMatchObject({ pollAt: 5000, cleared: false })
      expect(of("3")).toMatchObject({ pollAt: 90_000, cleared: true })
    }
  ),

  law(
    {
      name: "a write with `tellsBefore` is done once",
      section: "docs/decisions/0045",
      explanation:
        "The answer to a commit may be lost, so the mark of a transition that was told is not made twice."
    },
    function* (ledger) {
      yield* ledger.accept(callback("SUCCEED"), 1000)
      const leased = yield* claimOne(ledger, 1000)
      const told = { told: "SUCCEED", tells: 1, tellsBefore: 0 } as const
      expect(yield* ledger.write(leased, told)).toMatchObject({ tells: 1 })
      expect(yield* ledger.write(leased, { ...told, told: "FAILED" })).toBeUndefined()
      expect(yield* ledger.get("card", "100001")).toMatchObject({ told: "SUCCEED", tells: 1 })
      expect(yield* ledger.write(leased, { release: { dueAt: 5000 } })).toBeDefined()
    }
  ),

  law(
    {
      name: "forget deletes old bodies and nothing else: a replay after a year is a repeat (R22)",
      section: "docs/decisions/0046",
      explanation:
        "What was told must be known for as long as somebody may replay a callback, which is for ever."
    },
    function* (ledger) {
      const year = 31_536_000_000
      yield* ledger.accept(callback("PENDING"), 1000)
      yield* ledger.accept(callback("SUCCEED"), 9000)
      const leased = yield* claimOne(ledger, 9000)
      const evidence = Evidence.confirmed("SUCCEED")
      yield* ledger.write(leased, { evidence, told: "SUCCEED", release: { dueAt: undefined } })
      const before = yield* ledger.get("card", "100001")
      expect(yield* ledger.forget({ before: 9000, limit: 100 })).toBe(1)
      const after = yield* ledger.get("card", "100001")
      expect(after).toEqual({ ...before, newest: { SUCCEED: before?.newest.SUCCEED } })
      expect(yield* ledger.forget({ before: 9001, limit: 100 })).toBe(1)
      expect(yield* ledger.forget({ before: 9001, limit: 100 })).toBe(0)
      expect(yield* ledger.accept(callback("SUCCEED"), year)).toEqual({ isNew: false })
      expect(yield* ledger.get("card", "100001")).toMatchObject({
        callbacks: 3,
        told: "SUCCEED",
        since: 9000,
        newest: { SUCCEED: {} }
      })
      expect(yield* nextDue(ledger)).toBeUndefined()
    }
  ),

  law(
    {
      name: "forget keeps a dead letter's bodies, and takes so many at a time, of quarantine too",
      section: "docs/decisions/0046",
      explanation:
        "A dead letter keeps its bodies for whoever looks at it, and no callback waits for a clean-up."
    },
    function* (ledger) {
      for (const id of ["1", "2", "3", "4"]) {
        yield* ledger.accept(callback("SUCCEED", { transactionId: id }), Number(id))
        yield* ledger.accept(callback("SETTLED", { transactionId: id }), Number(id))
      }
      const rows = yield* claimAll(ledger, 4)
      const dead = rows[1] as Leased
      const parked = { reason: "handler-failed", at: 5, to: "SUCCEED" } as const
      yield* ledger.write(dead, { parked })
      expect(yield* ledger.forget({ before: 9, limit: 2 })).toBe(4)
      expect(yield* ledger.forget({ before: 9, limit: 2 })).toBe(3)
      expect(yield* ledger.forget({ before: 9, limit: 2 })).toBe(0)
      expect((yield* ledger.quarantined).length).toBe(0)
      expect(yield* ledger.get("card", "2")).toMatchObject({ newest: { SUCCEED: {} } })
      expect((yield* ledger.get("card", "1"))?.newest).toEqual({})
    }
  ),

  law(
    {
      name: "quarantine keeps a body once, and 16 of one transaction, so that no other's suffers",
      section: "docs/decisions/0029",
      explanation:
        "Whoever saw one callback can send its signed fields again around anything. What finds no room is answered 503, not dropped behind a 200."
    },
    function* (ledger) {
      // An identifier of this length could not be in an index.
      const odd = (n: number, transactionId = "x".repeat(9000)) =>
        callback("SUCCEED", { transactionId, metadata: { n: String(n) } })
      for (let n = 0; n < 16; n++) expect(yield* ledger.accept(odd(n), n)).toEqual({ isNew: true })
      expect(yield* ledger.accept(odd(3), 20)).toEqual({ isNew: false })
      const other = callback("SUCCEED", { method: "apm", transactionId: "x".repeat(9000) })
      // At once, as they may come: they are committed together.
      const [refusal, accepted] = yield* Effect.all(
        [Effect.flip(ledger.accept(odd(16), 21)), ledger.accept(other, 22)],
        { concurrency: "unbounded" }
      )
      expect(refusal).toMatchObject({ _tag: "StoreUnavailable" })
      expect(accepted).toEqual({ isNew: true })
      expect(yield* ledger.accept(odd(3), 23)).toEqual({ isNew: false })
      expect(yield* ledger.quarantined).toEqual([
        ...Array.from({ length: 16 }, (_, n) => odd(n)),
        other
      ])
    }
  )
]
