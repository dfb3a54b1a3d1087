/**
 * The laws of how a ledger takes callbacks.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Row } from "@pawl/webhook/Row"
import { expect } from "./Expect.ts"
import { callback, claimAll, claimOne, law, type LedgerLaw, nextDue } from "./LedgerLaw.ts"

/**
 * What `accept` does.
 *
 * @category laws
 * @since 0.1.0
 */
export const accepting: ReadonlyArray<LedgerLaw> = [
  law(
    {
      name: "accept makes a row of a transaction's first callback, due at once",
      section: "docs/decisions/0008",
      explanation:
        "One row a transaction: what the callback claims is its evidence, and whoever asks the service is to do so now."
    },
    function* (ledger) {
      const first = callback("PENDING", { metadata: { a: "1" } })
      expect(yield* ledger.accept(first, 1000)).toEqual({ isNew: true })
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
    }
  ),

  law(
    {
      name: "accept keeps the evidence of a repeat, counts it, and says it is nothing new",
      section: 'spec.md, "Events"',
      explanation: "Delivery is at least once: the same callback can arrive more than once."
    },
    function* (ledger) {
      yield* ledger.accept(callback("PENDING"), 1000)
      for (const times of [2, 3, 4]) {
        expect(yield* ledger.accept(callback("PENDING"), 1000 * times)).toEqual({ isNew: false })
        const row = yield* ledger.get("card", "100001")
        expect(row).toMatchObject({ evidence: Evidence.claimed("PENDING"), callbacks: times })
      }
      expect(yield* ledger.accept(callback("SUCCEED"), 9000)).toEqual({ isNew: true })
    }
  ),

  law(
    {
      name: "accept keeps the newest callback of each status, byte for byte",
      section: "docs/decisions/0017",
      explanation:
        "The handler is given what came with the status it is told of: whatever the merchant put into the metadata, and fields that nobody documented."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "accept starts the poll ladder anew for a new status, and never for a repeat",
      section: "docs/decisions/0006",
      explanation:
        "A status that is new is worth asking about soon. Whoever sends one callback again and again must not make us ask for ever."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "accept makes a row due for new evidence and for a claim not confirmed, and for nothing else",
      section: "docs/decisions/0008",
      explanation: "A repeat of what the service itself confirmed costs one row write, and no work."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "accept never makes a row due later",
      section: "docs/decisions/0008",
      explanation: "What came first is still to be done: the next callback does not put it off."
    },
    function* (ledger) {
      yield* ledger.accept(callback("PENDING"), 1000)
      yield* ledger.accept(callback("SUCCEED"), 5000)
      expect(yield* nextDue(ledger)).toBe(1000)
    }
  ),

  law(
    {
      name: "accept gives no row to what is in quarantine, and keeps it with its bytes",
      section: "docs/decisions/0017",
      explanation:
        "What verifies and cannot be understood is kept and never acted on: a refusal would lose a genuine callback after its last try."
    },
    function* (ledger) {
      const odd = callback("SETTLED")
      const nul = callback("SUCCEED", { method: "apm", metadata: { a: "\0\ud800" } })
      expect(yield* ledger.accept(odd, 1000)).toEqual({ isNew: true })
      expect(yield* ledger.accept(nul, 2000)).toEqual({ isNew: true })
      expect(yield* ledger.get("card", "100001")).toBeUndefined()
      expect(yield* ledger.get("apm", "100001")).toBeUndefined()
      expect(yield* nextDue(ledger)).toBeUndefined()
      expect(yield* ledger.quarantined).toEqual([odd, nul])
    }
  ),

  law(
    {
      name: "accept keeps apart what differs in method or id, whatever the id looks like (A08, A23)",
      section: 'spec.md, "Callback checksum"',
      explanation:
        "A checksum does not say which layout it is of, and an id is text: no number, no name of a property, no pattern."
    },
    function* (ledger) {
      yield* ledger.accept(callback("PENDING"), 1000)
      // With the account of the card callback its checksum is the same: a replay in the other layout.
      yield* ledger.accept(callback("SUCCEED", { method: "apm", account: "mid-1" }), 2000)
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
    }
  )
]
