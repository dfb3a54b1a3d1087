/** The bytes include key and index entries. Keys come in order. */
import * as Evidence from "@pawl/core/Evidence"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Fact from "../src/internal/rule/Fact.ts"
import * as SqliteStore from "../src/internal/records/SqliteStore.ts"
import { Ledger } from "../src/Ledger.ts"
import type { Leased } from "../src/internal/rule/Row.ts"
import { live as test } from "@pawl/test-support/Tests"
import { ledgerOf } from "@pawl/test-support/Places"
import { card, search, verified } from "@pawl/test-support/Service"
import { files } from "@pawl/test-support/Stores"
import { day } from "@pawl/test-support/World"

const rows = 10_000
const maxBytes = 450

const finish = Effect.fnUntraced(function* (transactionId: string, at: number) {
  const ledger = yield* Ledger
  const order = { requestId: "order-2026-000017", mid: "mid-1", amount: "10.00", currency: "EUR" }
  const { mid, ...others } = order
  const token = search("card", "card-payment", order)
  const accept = (transactionStatus: string, after: number) =>
    ledger.accept(verified("card", card({ transactionId, transactionStatus }), token), at + after)
  yield* ledger.register({ kind: "card-payment", transactionId, account: mid, ...others }, at)
  yield* accept("PENDING", 1500)
  yield* accept("SUCCEED", 21_500)
  const now = at + 22_000
  const { rows } = yield* ledger.claim({ at: now, until: now + 30_000, limit: 1 })
  const leased = rows[0] as Leased
  const told = { sequence: 1, to: "SUCCEED" } as const
  const evidence = Evidence.join(leased.evidence, Evidence.confirmed("SUCCEED"))
  yield* ledger.write(leased, {
    evidence,
    read: { status: "SUCCEED", askedAt: now },
    askedAt: now,
    told: "SUCCEED",
    sequence: 1,
    attempt: 0,
    polls: 1,
    pollAt: now + day,
    facts: [
      Fact.asked(now, "SUCCEED", "card-payment"),
      { fact: "called", ...told, evidence, read: "SUCCEED", at: now + 100 },
      { fact: "told", ...told, at: now + 150 }
    ],
    release: { dueAt: now + day, lane: "watch" }
  })
  expect(yield* ledger.deleteBodies({ before: now + day, limit: 9 })).toBe(2)
})

const file = files()

test.with(() => ledgerOf(file()))(
  `a finished card transaction without bodies takes at most ${maxBytes} bytes`,
  function* () {
    const sql = yield* SqlClient
    yield* finish("100001", 1_767_225_600_000)
    const { bytes: used } = SqliteStore.make(sql)
    const before = yield* used
    yield* sql`WITH RECURSIVE numbers (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
      INSERT INTO pawl_transactions (key, version, due_0, due_1, due_2, due_3, due_4, parts, document)
      SELECT (100001 + n) || ${"\tcard"}, version + n, due_0, due_1, due_2, due_3, due_4 + n, parts,
        document
      FROM numbers, pawl_transactions WHERE key = ${"100001\tcard"}`
    const bytes = ((yield* used) - before) / rows
    expect(bytes).toBeLessThanOrEqual(maxBytes)
    // The copies are counted.
    expect(bytes).toBeGreaterThan(200)
    yield* sql`DELETE FROM pawl_transactions WHERE key <> ${"100001\tcard"}`
    expect(yield* used).toBeLessThan(before + 10 * rows)
  }
)
