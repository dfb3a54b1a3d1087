/**
 * The laws of a ledger that histories cannot test: concurrent calls, waiting, and limits.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect } from "../Expect.ts"
import { callback, law, type LedgerLaw, nextDue } from "./LedgerLaw.ts"

/**
 * The laws with one example each.
 */
export const examples: ReadonlyArray<LedgerLaw> = [
  law(
    {
      name: "awaitWork completes when a row becomes due, and when a row is released",
      section: "docs/decisions/0012",
      explanation:
        "A waiting worker learns of work in its own process without polling, and misses none."
    },
    function* (ledger) {
      const waits = Effect.forkChild(ledger.awaitWork, { startImmediately: true })
      const one = yield* waits
      expect(one.pollUnsafe()).toBeUndefined()
      yield* ledger.accept(callback("PENDING"), 1000)
      yield* Fiber.join(one)

      const two = yield* waits
      const { rows } = yield* ledger.claim({ at: 1000, until: 31_000, limit: 1 })
      expect(two.pollUnsafe()).toBeUndefined()
      for (const leased of rows) yield* ledger.write(leased, { release: { dueAt: 5000 } })
      yield* Fiber.join(two)

      const three = yield* waits
      expect(three.pollUnsafe()).toBeUndefined()
      yield* ledger.register({ kind: "refund", transactionId: "9" }, 2000)
      yield* Fiber.join(three)
      // Work that comes while no worker waits is not missed.
      yield* ledger.accept(callback("SUCCEED"), 3000)
      yield* ledger.awaitWork
    }
  ),

  law(
    {
      name: "quarantine keeps a body once, at most 16 of a transaction, and affects no other transaction",
      section: "docs/decisions/0016",
      explanation:
        "A verified callback that cannot be understood is kept with its bytes and never acted on. An attacker who saw one callback can send its signed fields again with any other fields. A body beyond the limit gets 503, because after a 200 a genuine one would be lost."
    },
    function* (ledger) {
      // An id of this length is too long for an index.
      const long = "x".repeat(9000)
      const odd = (n: number) =>
        callback("SUCCEED", { transactionId: long, metadata: { n: `\0\ud800${n}` } })
      for (let n = 0; n < 16; n++) expect(yield* ledger.accept(odd(n), n)).toEqual({ isNew: true })
      expect(yield* ledger.accept(odd(3), 20)).toEqual({ isNew: false })
      const other = callback("SETTLED", { method: "apm", transactionId: long })
      // Concurrent calls are committed together.
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
      expect(yield* ledger.get("card", long)).toBeUndefined()
      expect(yield* nextDue(ledger)).toBeUndefined()
    }
  ),

  law(
    {
      name: "deleteBodies deletes at most its limit, of the quarantine too",
      section: "docs/decisions/0017",
      explanation: "A clean-up in small parts does not delay callbacks."
    },
    function* (ledger) {
      for (const transactionId of ["1", "2", "3"]) {
        for (const status of ["SUCCEED", "SETTLED"])
          yield* ledger.accept(callback(status, { transactionId }), 1)
      }
      for (const count of [4, 2, 0])
        expect(yield* ledger.deleteBodies({ before: 9, limit: 2 })).toBe(count)
      expect(yield* ledger.quarantined).toEqual([])
    }
  ),

  law(
    {
      name: "redriveAll redrives the oldest dead letters of a reason, up to its limit, at its rate",
      section: "docs/decisions/0061",
      explanation:
        "After an outage of the application its dead letters are redriven together, and must not overrun it."
    },
    function* (ledger) {
      for (const transactionId of ["1", "2", "3", "4", "5"])
        yield* ledger.accept(callback("PENDING", { transactionId }), 1)
      const { rows } = yield* ledger.claim({ at: 1, until: 31_000, limit: 5 })
      for (const row of rows) {
        const reason = row.transactionId === "2" ? "unknown-transaction" : "handler-failed"
        const deadLetter = { reason, at: 1000 * Number(row.transactionId), to: undefined } as const
        yield* ledger.write(row, { deadLetter, release: { dueAt: undefined } })
      }
      const options = { reason: "handler-failed", before: 4000, dueAt: 9000, rate: 3 } as const
      expect(yield* ledger.redriveAll({ ...options, limit: 2 })).toBe(2)
      expect(yield* nextDue(ledger)).toBe(9000)
      expect((yield* ledger.backlog(9332)).due).toBe(1)
      expect((yield* ledger.backlog(9333)).due).toBe(2)
      expect((yield* ledger.get("card", "3"))?.retryAt).toBe(9333)
      expect(yield* ledger.redriveAll({ ...options, limit: 2 })).toBe(1)
      expect(yield* ledger.redriveAll({ ...options, limit: 2 })).toBe(0)
      const parked = yield* ledger.deadLetters({ limit: 9 })
      expect(parked.map(({ transactionId }) => transactionId)).toEqual(["2", "5"])
    }
  )
]
