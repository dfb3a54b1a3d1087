/** The laws of a ledger that histories cannot test: concurrent calls, waiting, and limits. */
import * as Evidence from "@pawl/core/Evidence"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Change } from "@pawl/webhook/internal/rule/Row"
import { expect } from "../Expect.ts"
import { callback, law, type LedgerLaw, nextDue, signedForPayment } from "./LedgerLaw.ts"

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
      yield* ledger.accept(callback("SUCCEED"), 3000)
      yield* ledger.awaitWork
    }
  ),

  law(
    {
      name: "a registration and the first callback at the same time make one row (R37)",
      section: "docs/decisions/0012",
      explanation:
        "The first callback of a fast transaction comes while its create is being registered. Two rows would tell the handler of one transaction twice, and out of order."
    },
    function* (ledger) {
      const ids = Array.from({ length: 40 }, (_, n) => String(n))
      const both = (transactionId: string, at: number) => {
        const kind = at % 4 < 2 ? "card-payment" : "refund"
        const events = [
          Effect.asVoid(ledger.accept(callback("SUCCEED", { transactionId }), 1)),
          ledger.register({ kind, transactionId, status: "PENDING", amount: "10.00" }, 1)
        ]
        return Effect.all(at % 2 === 0 ? events : events.toReversed(), {
          concurrency: "unbounded"
        })
      }
      yield* Effect.forEach(ids, both, { concurrency: "unbounded" })
      expect((yield* ledger.backlog(1)).due).toBe(ids.length)
      for (const id of ids)
        expect(yield* ledger.get("card", id)).toMatchObject({
          registered: true,
          callbacks: 1,
          ordered: { amount: "10.00" }
        })
    }
  ),

  law(
    {
      name: "a registration changes nothing that another one ordered, and replaces what only a token ordered (R44)",
      section: "docs/decisions/0020",
      explanation:
        "A sandbox may use an id twice, and a program may register an operation with the wrong request. If the second order replaced the first, a callback with the wrong amount would count as right. A token may be moved from another callback, so a registration with the right amount is not refused because of it."
    },
    function* (ledger) {
      const operation = { kind: "apm-payment", transactionId: "1" } as const
      const order = { account: "a", amount: "10.00", currency: "EUR" }
      yield* ledger.accept(callback("PENDING", { method: "apm", transactionId: "1" }), 1)
      for (const each of [order, order, { amount: "10.0" }, { requestId: "r2" }])
        yield* ledger.register({ ...operation, ...each }, 2)
      const ordered = { ...order, requestId: "r2" }
      const others = [
        { amount: "10.01" },
        { currency: "USD" },
        { account: "b" },
        { requestId: "r3" }
      ]
      for (const other of others) {
        const again = { ...operation, ...order, ...other, status: "SUCCEED" } as const
        const error = yield* Effect.flip(ledger.register(again, 3))
        expect(error).toMatchObject({ _tag: "RegisteredDifferently" })
        expect({ [(error as { field?: string }).field ?? ""]: null }).toEqual(
          Object.fromEntries(Object.keys(other).map((name) => [name, null]))
        )
      }
      expect(yield* ledger.get("apm", "1")).toMatchObject({ ordered, callbacks: 1 })
      expect((yield* ledger.get("apm", "1"))?.evidence).toBe(Evidence.claimed("PENDING"))

      const refund = { kind: "refund", transactionId: "2" } as const
      const token = ["refund", { requestId: "r1", amount: "10.00", currency: "EUR" }] as const
      yield* ledger.register(refund, 4)
      yield* ledger.accept(callback("PENDING", { transactionId: "2", token }), 4)
      expect(yield* ledger.get("card", "2")).toMatchObject({ ordered: { amount: "10.00" } })
      yield* ledger.register({ ...refund, amount: "25.00" }, 5)
      expect(yield* ledger.get("card", "2")).toMatchObject({ ordered: { amount: "25.00" } })
    }
  ),

  law(
    {
      name: "quarantine keeps a body once, at most 16 of a transaction, and refuses none",
      section: "docs/decisions/0012",
      explanation:
        "A verified callback that cannot be understood is kept with its bytes and never acted on. An attacker who saw one callback can send its signed fields again with any other fields. A body beyond the limit takes the place of the newest one: it is not refused, because a refusal says that the store failed."
    },
    function* (ledger) {
      const long = "x".repeat(9000)
      const odd = (n: number) =>
        callback("SUCCEED", { transactionId: long, metadata: { n: `\0\ud800${n}` } })
      for (let n = 0; n < 16; n++) expect(yield* ledger.accept(odd(n), n)).toEqual({ isNew: true })
      expect(yield* ledger.accept(odd(3), 20)).toEqual({ isNew: false })
      const other = callback("SETTLED", { method: "apm", transactionId: long })
      const accepted = yield* Effect.all([ledger.accept(odd(16), 21), ledger.accept(other, 22)], {
        concurrency: "unbounded"
      })
      expect(accepted).toEqual([{ isNew: true, reached: "quarantine" }, { isNew: true }])
      expect(yield* ledger.accept(odd(17), 23)).toEqual({ isNew: true, reached: "quarantine" })
      expect(yield* ledger.accept(odd(3), 24)).toEqual({ isNew: false })
      expect(yield* ledger.quarantined).toEqual([
        ...Array.from({ length: 15 }, (_, n) => odd(n)),
        other,
        odd(17)
      ])
      expect(yield* ledger.get("card", long)).toBeUndefined()
      expect(yield* nextDue(ledger)).toBeUndefined()
    }
  ),

  law(
    {
      name: "an id that is not signed names only a registered refund, which gets nothing signed of another transaction (A27)",
      section: "docs/decisions/0012",
      explanation:
        "The checksum of a callback does not cover its refundId. An attacker who saw the callback of one refund can send it with the id of another one: it must make no row, and the other refund must not be compared with the amount of the first, or be told with it."
    },
    function* (ledger) {
      const names = (refundId: string) => ({ transactionId: "9", refundId, metadata: { refundId } })
      yield* ledger.accept(
        callback("SUCCEED", { ...names("1"), token: ["refund", { requestId: "r" }] }),
        1
      )
      expect(yield* ledger.get("card", "1")).toBeUndefined()
      expect(yield* ledger.get("card", "9")).toMatchObject({ kind: "refund", callbacks: 1 })

      const named = (refundId: string, transactionId: string) =>
        callback("PENDING", { ...names(refundId), transactionId }, signedForPayment)
      yield* ledger.accept(named("2", "8"), 2)
      yield* ledger.accept(named("9", "8"), 2)
      expect(yield* ledger.get("card", "2")).toBeUndefined()
      expect(yield* ledger.get("card", "9")).toMatchObject({ callbacks: 1 })
      expect(yield* ledger.get("card", "8")).toMatchObject({ callbacks: 2, ordered: undefined })

      for (const refundId of [undefined, 7, undefined])
        yield* ledger.accept(
          callback("PENDING", { transactionId: "7", ...(refundId && { refundId }) }),
          2
        )
      yield* ledger.accept(callback("PENDING", { transactionId: "7", type: "PAYOUT" }), 2)
      yield* ledger.accept(callback("PENDING", { transactionId: "7" }), 2)
      const hints = { namesPayout: true, namesRefund: true }
      expect(yield* ledger.get("card", "7")).toMatchObject({ kind: "card", ...hints })
      expect(yield* ledger.get("card", "8")).toMatchObject({
        namesPayout: false,
        namesRefund: false
      })

      yield* ledger.register({ kind: "refund", transactionId: "2", amount: "4.00" }, 3)
      yield* ledger.accept(named("2", "8"), 4)
      const refund = yield* ledger.get("card", "2")
      expect(refund).toMatchObject({ kind: "refund", registered: true, callbacks: 1 })
      expect(refund?.newestCallbacks).toEqual({ PENDING: { at: 4, signed: undefined } })
      const body = yield* ledger.body(
        { method: "card", transactionId: "2", scope: "refund" },
        "PENDING"
      )
      expect(body).toEqual(named("2", "8").bytes)
    }
  ),

  law(
    {
      name: "deleteBodies deletes at most its limit, of the quarantine too, and no body of a status that is not told",
      section: "docs/decisions/0017",
      explanation: "A clean-up in small parts does not delay callbacks."
    },
    function* (ledger) {
      for (const transactionId of ["1", "2", "3"]) {
        for (const status of ["SUCCEED", "SETTLED"])
          yield* ledger.accept(callback(status, { transactionId }), 1)
      }
      expect(yield* ledger.deleteBodies({ before: 9, limit: 2 })).toBe(2)
      const { rows } = yield* ledger.claim({ at: 1, until: 9, limit: 9 })
      for (const row of rows) yield* ledger.write(row, { told: "SUCCEED" })
      // They came at 1, so no body is older.
      expect(yield* ledger.deleteBodies({ before: 1, limit: 9 })).toBe(0)
      for (const count of [3, 1, 0])
        expect(yield* ledger.deleteBodies({ before: 9, limit: 2 })).toBe(count)
      expect(yield* ledger.quarantined).toEqual([])
    }
  ),

  law(
    {
      name: "deleteOld deletes at most its limit of old transactions, and none that is open, leased or parked",
      section: "docs/decisions/0017",
      explanation:
        "A merchant may have to delete old transactions. Nothing that a worker or a person still has to do may be lost with them."
    },
    function* (ledger) {
      const ids = ["done", "ended", "watched", "new", "open", "leased", "parked", "retried"]
      for (const transactionId of ids)
        yield* ledger.accept(
          callback("SUCCEED", { transactionId }),
          transactionId === "new" ? 1000 : 999
        )
      const { rows } = yield* ledger.claim({ at: 1000, until: 31_000, limit: 9 })
      const changes: Readonly<Record<string, Change>> = {
        watched: { told: "SUCCEED", release: { dueAt: 90_000, lane: "watch" } },
        open: { told: "PENDING", release: { dueAt: undefined } },
        leased: { told: "SUCCEED" },
        parked: {
          told: "SUCCEED",
          deadLetter: { reason: "handler-failed", at: 1000, to: undefined },
          release: { dueAt: undefined }
        },
        retried: { told: "SUCCEED", release: { dueAt: 90_000, lane: "retry" } }
      }
      const done: Change = { told: "SUCCEED", release: { dueAt: undefined } }
      for (const row of rows) yield* ledger.write(row, changes[row.transactionId] ?? done)
      for (const count of [2, 1, 0])
        expect(yield* ledger.deleteOld({ before: 1000, limit: 2 })).toBe(count)
      const kept = yield* Effect.filter(ids, (id) =>
        Effect.map(ledger.get("card", id), (row) => row !== undefined)
      )
      expect(kept).toEqual(ids.slice(3))
      expect(yield* ledger.story("card", "done")).toEqual([])
      const again = yield* ledger.accept(callback("SUCCEED", { transactionId: "done" }), 2000)
      expect(again).toEqual({ isNew: true })
      expect(yield* ledger.get("card", "done")).toMatchObject({ callbacks: 1, told: undefined })
    }
  ),

  law(
    {
      name: "redriveAll redrives the oldest dead letters of a reason, up to its limit, at its rate",
      section: "docs/decisions/0047",
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
      const first = yield* ledger.redriveAll({ ...options, limit: 2 })
      expect(first).toEqual({
        listed: 2,
        redriven: 2,
        last: { at: 3000, scope: "card", transactionId: "3" }
      })
      expect(yield* nextDue(ledger)).toBe(9000)
      expect((yield* ledger.backlog(9332)).due).toBe(1)
      expect((yield* ledger.backlog(9333)).due).toBe(2)
      expect((yield* ledger.get("card", "3"))?.retryAt).toBe(9333)
      const second = yield* ledger.redriveAll({ ...options, after: first.last, limit: 2 })
      expect(second).toEqual({ listed: 1, redriven: 1, last: undefined })
      const parked = yield* ledger.deadLetters({ limit: 9 })
      expect(parked.map(({ transactionId }) => transactionId)).toEqual(["2", "5"])
    }
  )
]
