import * as Evidence from "@pawl/core/Evidence"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import { Ledger } from "@pawl/webhook/Ledger"
import { card, verified } from "./Service.ts"

export const november = Date.UTC(2026, 10, 5)

export const callback = (transactionId: string, transactionStatus: OpenStatus, more = {}) =>
  verified("card", card({ transactionId, transactionStatus, ...more }))

/** Stores a callback, confirms and tells it, and plans no more work or a read of the watch. */
export const finish = Effect.fnUntraced(function* (id: string, at: number, dueAt?: number) {
  const ledger = yield* Ledger
  yield* ledger.accept(callback(id, "SUCCEED", { note: `Grace Hopper ${id}` }), at)
  const { rows } = yield* ledger.claim({ at, until: at + 1000, limit: 1 })
  for (const row of rows) {
    yield* ledger.write(row, {
      evidence: Evidence.confirmed("SUCCEED"),
      told: "SUCCEED",
      sequence: 1,
      facts: [{ fact: "told", sequence: 1, to: "SUCCEED", at }],
      release: { dueAt, lane: "watch" }
    })
  }
})
