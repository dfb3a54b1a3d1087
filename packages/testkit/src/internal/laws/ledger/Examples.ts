/**
 * The laws of a ledger that no history reaches: of what comes at once, of waiting, of a hundred at a time.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect } from "../Expect.ts"
import { callback, law, type LedgerLaw, nextDue } from "./LedgerLaw.ts"

/**
 * The laws that are one example each.
 *
 * @category laws
 * @since 0.1.0
 */
export const examples: ReadonlyArray<LedgerLaw> = [
  law(
    {
      name: "awaitWork completes when a row becomes due, and when one becomes free",
      section: "docs/decisions/0008",
      explanation:
        "A worker that waits learns of work in its own process without asking for it, and misses none."
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
      // What came while nobody waited is not missed.
      yield* ledger.accept(callback("SUCCEED"), 3000)
      yield* ledger.awaitWork
    }
  ),

  law(
    {
      name: "quarantine keeps a body once, and 16 of one transaction, so that no other's suffers",
      section: "docs/decisions/0029",
      explanation:
        "What verifies and cannot be understood is kept with its bytes, and never acted on. Whoever saw one callback can send its signed fields again around anything: what finds no room is answered 503, not dropped behind a 200."
    },
    function* (ledger) {
      // An identifier of this length could not be in an index.
      const long = "x".repeat(9000)
      const odd = (n: number) =>
        callback("SUCCEED", { transactionId: long, metadata: { n: `\0\ud800${n}` } })
      for (let n = 0; n < 16; n++) expect(yield* ledger.accept(odd(n), n)).toEqual({ isNew: true })
      expect(yield* ledger.accept(odd(3), 20)).toEqual({ isNew: false })
      const other = callback("SETTLED", { method: "apm", transactionId: long })
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
      expect(yield* ledger.get("card", long)).toBeUndefined()
      expect(yield* nextDue(ledger)).toBeUndefined()
    }
  ),

  law(
    {
      name: "forget takes so many at a time, of quarantine too",
      section: "docs/decisions/0046",
      explanation: "No callback waits for a clean-up."
    },
    function* (ledger) {
      for (const transactionId of ["1", "2", "3"]) {
        for (const status of ["SUCCEED", "SETTLED"])
          yield* ledger.accept(callback(status, { transactionId }), 1)
      }
      for (const count of [4, 2, 0])
        expect(yield* ledger.forget({ before: 9, limit: 2 })).toBe(count)
      expect(yield* ledger.quarantined).toEqual([])
    }
  )
]
