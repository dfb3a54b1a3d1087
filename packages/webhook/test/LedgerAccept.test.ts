/** An accept is one statement on PostgreSQL, and a transaction on SQLite. */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Tracer from "effect/Tracer"
import { describe, expect, it } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import { emptied, type Place } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

const accept = Ledger.use((ledger) => ledger.accept(verified("card", card()), 1000))

const promises = (place: Place, transactions: number) => {
  it.effect(`an accept begins ${transactions} transactions`, () => {
    let begun = 0
    const tracer = Tracer.make({
      span: (options) => {
        if (options.name === "sql.transaction") begun++
        return new Tracer.NativeSpan(options)
      }
    })
    return Effect.gen(function* () {
      const sql = yield* SqlClient
      begun = 0
      yield* sql.withTransaction(Effect.void)
      expect(begun).toBe(1)
      yield* accept
      expect(begun).toBe(1 + transactions)
    }).pipe(
      Effect.provide(emptied(place), { local: true }),
      Effect.provideService(Tracer.Tracer, tracer)
    )
  })

  it.effect("an accept stores neither the row nor the body if one of them cannot be stored", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`ALTER TABLE pawl_transactions_texts RENAME TO absent`
      const error = yield* Effect.flip(accept)
      yield* sql`ALTER TABLE absent RENAME TO pawl_transactions_texts`
      expect(error).toBeInstanceOf(StoreUnavailable)
      expect(yield* sql`SELECT * FROM pawl_transactions`).toEqual([])
      expect(yield* accept).toEqual({ isNew: true })
    }).pipe(Effect.provide(emptied(place), { local: true }))
  )
}

const file = files()
describe("in a SQLite file", () => {
  promises(file(), 1)
})
await onPostgres((place) => {
  promises(place, 0)
})
