/** `@pawl/testkit/Laws/Store` has the law. */
import type { KnownKind } from "@pawl/core/Kind"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import { live as test } from "@pawl/test-support/Tests"
import { empty, ledgerOf } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { onPostgres } from "@pawl/test-support/Stores"

const pairs = 500
const kinds: ReadonlyArray<KnownKind> = ["card-payment", "card-payout", "refund"]

await onPostgres((place) => {
  test("makes one row of each of 500 transactions that are registered and called back at once (R37)", function* () {
    const open = Layer.build(Layer.fresh(ledgerOf(place)))
    const [shop, receiver] = yield* Effect.all([open, open])
    const sql = Context.get(shop, SqlClient)
    yield* Effect.provideService(empty, SqlClient, sql)
    const register = (n: number) => {
      const kind = kinds[n % kinds.length] ?? "refund"
      return Context.get(shop, Ledger).register({ kind, transactionId: `r${n}` }, 1000)
    }
    const accept = (n: number) =>
      Context.get(receiver, Ledger).accept(verified("card", card({ transactionId: `r${n}` })), 1000)
    yield* Effect.forEach(
      Array.from({ length: pairs }, (_, n) => n),
      (n) => Effect.all([register(n), accept(n)], { concurrency: "unbounded" }),
      { concurrency: 16 }
    )
    const [counts] = yield* sql`SELECT sum(parts)::INT AS rows, sum(registered)::INT AS registered,
        sum(callbacks)::INT AS callbacks FROM pawl_transactions_view`
    expect(counts).toEqual({ rows: pairs, registered: pairs, callbacks: pairs })
  })
})
