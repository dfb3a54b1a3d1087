import { expect } from "vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Ledger } from "../src/Ledger.ts"
import { RequestStore } from "../src/internal/ledger/RequestStore.ts"
import * as Fault from "../src/internal/sql/Fault.ts"
import { allow, refuse } from "./refusals.ts"
import { card, verified } from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"
import { testIn } from "@pawl/test-support/Tests"

await inEachStore((place) => {
  const test = testIn(place)

  test("R46: a transaction that the store refuses to write keeps no other from its lease", function* () {
    const ledger = yield* Ledger
    const sql = yield* SqlClient
    const at = yield* Clock.currentTimeMillis
    for (const transactionId of ["1", "bad", "2", "3", "bad too"])
      yield* ledger.accept(verified("card", card({ transactionId })), at)
    yield* sql`UPDATE pawl_transactions SET document = '', version = version + 1
      WHERE key LIKE '3%' OR key LIKE 'bad too%'`
    yield* refuse(sql, "pawl_transactions")
    const claim = (after: number) =>
      ledger.claim({ at: at + after, until: at + after + 1000, limit: 9 })
    const { refused = [], rows, unreadable } = yield* claim(0)
    expect(rows.map(({ transactionId }) => transactionId).toSorted()).toEqual(["1", "2"])
    // One that cannot be parked either is tried again.
    expect(unreadable).toEqual([{ method: "card", transactionId: "3" }])
    expect(
      refused.map(({ error, one }) => [one.leased.transactionId, Fault.of(error).kind])
    ).toEqual([["bad", "statement"]])
    // Nothing else is due, so the claim fails as one of a store that refuses all.
    expect(yield* Effect.flip(claim(1))).toMatchObject({ _tag: "StoreUnavailable" })
    yield* allow(sql, "pawl_transactions")
    const last = yield* claim(2)
    expect(last.rows).toMatchObject([{ transactionId: "bad" }])
    expect(last.unreadable).toEqual([{ method: "card", transactionId: "bad too" }])
  })

  test("R46: a request that the store refuses to write keeps no other from its lease", function* () {
    const requests = yield* RequestStore
    const sql = yield* SqlClient
    for (const requestId of ["1", "bad", "2"])
      yield* requests.write(
        { requestId, kind: "card-payment", digest: "digest", hasCardData: false },
        { at: 1 }
      )
    yield* refuse(sql, "pawl_requests")
    const { failure, rows } = yield* requests.claim({ at: 1, until: 2, limit: 9 })
    yield* allow(sql, "pawl_requests")
    expect(rows.map(({ requestId }) => requestId).toSorted()).toEqual(["1", "2"])
    // After a minute of it the process raises its alarm.
    expect(Fault.of(failure).kind).toBe("statement")
  })
})
