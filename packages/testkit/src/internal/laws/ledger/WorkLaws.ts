/** The laws of a ledger about the order of work, and about work after an outage. */
import { perLane, type ReadLane } from "@pawl/webhook/internal/rule/Row"
import type { RowKey } from "@pawl/webhook/internal/rule/RowPages"
import { slack } from "@pawl/webhook/internal/rule/ReadBudget"
import * as Effect from "effect/Effect"
import { expect } from "../Expect.ts"
import { callback, law, type LedgerLaw, nextDue } from "./LedgerLaw.ts"

export const workLaws: ReadonlyArray<LedgerLaw> = [
  law(
    {
      name: "of the first reads that a claim returns, some are the newest (A30)",
      section: "docs/decisions/0047",
      explanation:
        "Captured callbacks with statuses that no callback claimed before make many first reads due. If all were read oldest first, a genuine claim would wait for all of them; if all were read newest first, the oldest might never be read."
    },
    function* (ledger) {
      const claim = Effect.fnUntraced(function* (ask: number, newest?: number) {
        const limit = { ...perLane(0), ask }
        const { rows } = yield* ledger.claim({ at: 10, until: 1000, limit, newest })
        return rows.map(({ transactionId }) => transactionId)
      })
      for (let at = 1; at <= 8; at++)
        yield* ledger.accept(callback("SUCCEED", { transactionId: String(at) }), at)
      expect(yield* claim(3, 2)).toEqual(["1", "7", "8"])
      expect(yield* claim(2)).toEqual(["2", "3"])
      expect(yield* claim(1, 1)).toEqual(["6"])
      expect(yield* claim(4, 2)).toEqual(["4", "5"])
    }
  ),

  law(
    {
      name: "planned reads are brought forward in pages, at their rate, and never put off (R18)",
      section: "docs/decisions/0058",
      explanation:
        "After an outage that was longer than the service repeats a callback, every end that was missed is learned by a read soon. All of these reads at once would overrun the service."
    },
    function* (ledger) {
      const ids = ["1", "2", "3", "4", "5", "6", "7"]
      for (const transactionId of ids)
        yield* ledger.accept(callback("PENDING", { transactionId }), 1)
      const { rows } = yield* ledger.claim({ at: 1, until: 9e6, limit: 7 })
      for (const row of rows) {
        const lane = row.transactionId === "4" ? "retry" : "repeat"
        const dueAt = { "1": 2050, "2": 2090, "3": 8e6, "4": 3e6 }[row.transactionId] ?? 4e6
        const askedAt = row.transactionId === "7" ? 1500 : 1499
        if (row.transactionId !== "5")
          yield* ledger.write(row, { askedAt, release: { dueAt, lane } })
      }
      const page = { lane: "repeat", readSince: 1500, dueAt: 2000, rate: 10, limit: 2 } as const
      const after = yield* ledger.bringForward(page)
      expect(after?.at).toBe(2090)
      expect(yield* ledger.bringForward({ ...page, after, dueAt: 2200, limit: 3 })).toBe(undefined)
      const plans = yield* Effect.forEach(ids, (id) => ledger.get("card", id))
      expect(plans.map((row) => row?.pollAt)).toEqual([
        2000,
        undefined,
        2300,
        undefined,
        undefined,
        2200,
        undefined
      ])
      expect(yield* nextDue(ledger)).toBe(2000)
      for (const [at, due] of [
        [2000, 1],
        [2299, 3],
        [2300, 4],
        [4e6, 6]
      ] as const)
        expect((yield* ledger.backlog(at)).due).toBe(due)
    }
  ),

  law(
    {
      name: "the reads that are reserved are at most the limit of a second, those of claims first, and fewer after a 429",
      section: "docs/decisions/0090",
      explanation:
        "All processes of a ledger share one budget of reads. If each had its own, a service that allows 100 reads a second would get 300 from three receivers; and if the watch of old transactions used it up, the handler would wait for confirmations."
    },
    function* (ledger) {
      const times: Array<number> = []
      let at = 0
      const reserve = Effect.fnUntraced(function* (
        wanted: Partial<Readonly<Record<ReadLane, number>>>,
        limit = 5
      ) {
        const reads = { ask: 0, repeat: 0, watch: 0, ...wanted }
        const reserved = yield* ledger.reserveReads({ limit, reads }, at)
        at = reserved.at
        return reserved
      })
      /** Reserves reads like a process that sends them at the latest time. */
      const sendSome = Effect.fnUntraced(function* (count: number) {
        while (times.length < count) {
          const reserved = yield* reserve({ ask: 3, watch: 3 })
          times.push(...reserved.times)
          at += 50
        }
      })
      yield* sendSome(6)
      for (const [index, time] of times.entries()) {
        const sixth = times[index + 5]
        expect((sixth ?? Infinity) - time).toSatisfy(
          `${1000 + slack} ms and more for 5 reads`,
          (millis) => millis >= 1000 + slack
        )
      }
      at += 300
      expect((yield* reserve({ watch: 3 })).times).toEqual([])
      expect((yield* reserve({ ask: 1 })).times.length).toBe(1)
      yield* ledger.lowerReads({ limit: 5 }, at)
      const sent = times.length
      yield* sendSome(sent + 3)
      const [, second = 0, third = 0] = times.slice(sent)
      expect(third - second).toSatisfy(
        "more milliseconds between two reads",
        (millis) => millis > (1000 + slack) / 4
      )
      yield* ledger.lowerReads({ limit: 5, retryAfter: 60_000 }, at)
      const paused = yield* reserve({ ask: 1 })
      expect(paused.times).toEqual([])
      expect((paused.retryAt ?? 0) - at).toSatisfy(
        "a pause of more than 50,000 ms",
        (millis) => millis > 50_000
      )
    }
  ),

  law(
    {
      name: "the last time at which a worker was alive is kept, even if it is earlier",
      section: "docs/decisions/0058",
      explanation:
        "A worker that starts learns from it how long no callback was accepted, and that the clock was set back meanwhile."
    },
    function* (ledger) {
      expect(yield* ledger.lastAliveAt).toBeUndefined()
      for (const at of [1000, 2000, 500]) {
        yield* ledger.noteAlive(at)
        expect(yield* ledger.lastAliveAt).toBe(at)
      }
    }
  ),

  law(
    {
      name: "pages have each row that was created in a time once, and none of another time",
      section: "docs/decisions/0083",
      explanation:
        "The transactions of a day are read again in pages. A page without rows of that day is not the last one."
    },
    function* (ledger) {
      const ids = ["1", "2", "3", "4", "5", "6", "7"]
      for (const transactionId of ids)
        yield* ledger.accept(callback("PENDING", { transactionId }), 10 * Number(transactionId))
      yield* ledger.register({ kind: "refund", transactionId: "6" }, 60)
      const found: Array<string> = []
      let after: RowKey | undefined
      do {
        const { last, rows } = yield* ledger.page({ after, limit: 2, from: 50, before: 70 })
        found.push(...rows.map(({ scope, transactionId }) => `${scope} ${transactionId}`))
        after = last
      } while (after !== undefined)
      expect(found).toEqual(["card 5", "card 6"])
    }
  )
]
