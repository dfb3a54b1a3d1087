/**
 * The laws of how a ledger takes what the merchant started, before its callbacks and after.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Effect from "effect/Effect"
import { expect } from "./Expect.ts"
import { callback, claimAll, claimOne, law, type LedgerLaw, nextDue } from "./LedgerLaw.ts"

/**
 * What `register` does.
 *
 * @category laws
 * @since 0.1.0
 */
export const registering: ReadonlyArray<LedgerLaw> = [
  law(
    {
      name: "register makes a row before any callback, due at once, with a status that counts as confirmed",
      section: "docs/decisions/0008",
      explanation:
        "What the merchant started is followed from then on, callbacks or not; the status of the response is the service's own word."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "register gives a row that a callback made its kind, and keeps the rest of it (R19)",
      section: "docs/decisions/0042",
      explanation:
        "The callback may be faster than the response: the row it made is the operation's."
    },
    function* (ledger) {
      yield* ledger.accept(callback("PENDING"), 1000)
      const before = yield* ledger.get("card", "100001")
      const refund = { kind: "refund", transactionId: "100001", amount: "10.00" } as const
      for (const at of [2000, 3000]) {
        yield* ledger.register({ ...refund, status: "NEW" }, at)
        expect(yield* ledger.get("card", "100001")).toEqual({
          ...before,
          kind: "refund",
          terms: { amount: "10.00" },
          evidence: Evidence.join(Evidence.claimed("PENDING"), Evidence.confirmed("NEW"))
        })
      }
      expect((yield* claimAll(ledger, 3000)).length).toBe(1)
    }
  ),

  law(
    {
      name: "a registration during a lease is not lost: the row is due at once when it is released",
      section: "docs/decisions/0008",
      explanation: "Whoever holds the row does not know of it; whoever takes it next does."
    },
    function* (ledger) {
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
    }
  ),

  law(
    {
      name: "terms that were registered stay, whatever tokens say later",
      section: "docs/decisions/0043",
      explanation:
        "The terms of the first token stay, and a registration replaces them: a token moved to another callback changes nothing."
    },
    function* (ledger) {
      const accept = (amount: string, at: number) =>
        ledger.accept(
          callback("SUCCEED", {
            method: "apm",
            token: ["apm-payment", { requestId: "r", amount }]
          }),
          at
        )
      const termsNow = Effect.map(ledger.get("apm", "100001"), (row) => row?.terms)
      yield* accept("10.00", 1000)
      yield* accept("11.00", 2000)
      expect(yield* termsNow).toEqual({ requestId: "r", amount: "10.00" })
      yield* ledger.register(
        { kind: "apm-payment", transactionId: "100001", account: "4711", amount: "12.00" },
        3000
      )
      expect(yield* termsNow).toEqual({ account: "4711", amount: "12.00" })
      yield* accept("10.00", 4000)
      yield* ledger.register({ kind: "apm-payment", transactionId: "100001" }, 5000)
      expect(yield* termsNow).toEqual({ account: "4711", amount: "12.00" })
    }
  )
]
