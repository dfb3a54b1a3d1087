/**
 * Transactions that are archived, for tests of the archive.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Ledger } from "../src/Ledger.ts"
import { empty, ledgerOf, type Place } from "./places.ts"
import { card, verified } from "./service.ts"

export const day = 86_400_000
export const november = Date.UTC(2026, 10, 5)
export const ids = ["1", "2", "3"]
export const everything = { before: Infinity, dueAfter: -Infinity, limit: 100 }

export const callback = (transactionId: string, transactionStatus: OpenStatus, more = {}) =>
  verified("card", card({ transactionId, transactionStatus, ...more }))

/** Stores a callback of a transaction, confirms and tells it, and plans no more work or a read at a time. */
export const finish = Effect.fnUntraced(function* (id: string, at: number, dueAt?: number) {
  const ledger = yield* Ledger
  yield* ledger.accept(callback(id, "SUCCEED", { note: `Grace Hopper ${id}` }), at)
  const { rows } = yield* ledger.claim({ at, until: at + 1000, limit: 1 })
  for (const row of rows) {
    yield* ledger.write(row, {
      evidence: Evidence.confirmed("SUCCEED"),
      told: "SUCCEED",
      sequence: 1,
      fact: { fact: "told", sequence: 1, to: "SUCCEED", at },
      release: { dueAt }
    })
  }
})

/** Returns all that a ledger says of transactions. */
export const said = Effect.gen(function* () {
  const ledger = yield* Ledger
  const bodies = yield* Effect.forEach(ids, (transactionId) =>
    ledger.body({ method: "card", transactionId, scope: "card" }, "SUCCEED")
  )
  return {
    rows: yield* Effect.forEach(ids, (id) => ledger.get("card", id)),
    stories: yield* Effect.forEach(ids, (id) => ledger.story("card", id)),
    bodies: bodies.map((bytes) => bytes && new TextDecoder().decode(bytes)),
    pages: yield* Effect.forEach(
      [undefined, { transactionId: "1", scope: "card" as const }],
      (after) => ledger.page({ limit: 2, from: 0, before: 9e15, after })
    )
  }
})

export const countOf = (table: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly count: unknown }>`SELECT count(*) AS count FROM ${sql(table)}`,
      ([line]) => Number(line?.count)
    )
  )

export const hotTables = ["pawl_transactions", "pawl_callbacks", "pawl_facts"]

const emptied = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* empty
  yield* sql`DELETE FROM pawl_archived`
  yield* sql`DELETE FROM pawl_archive`
})

export const within =
  (place: Place) =>
  <A>(body: Effect.Effect<A, unknown, Ledger | SqlClient>) =>
    Effect.runPromise(
      Effect.provide(Effect.andThen(emptied, body), ledgerOf(place), { local: true })
    )
