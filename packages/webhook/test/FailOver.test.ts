/** A server that takes over without the last commits, while a process remembers them. */
import { inEachStore } from "@pawl/test-support/Stores"
import { empty, ledgerOf } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { live } from "@pawl/test-support/Tests"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "vitest"
import { Ledger } from "../src/Ledger.ts"

await inEachStore((place) => {
  live("R23: a callback after a fail-over that lost commits stays", function* () {
    const one = yield* Layer.build(Layer.fresh(ledgerOf(place)))
    const sql = Context.get(one, SqlClient)
    yield* Effect.provideService(empty, SqlClient, sql)
    const accept = (ledger: Ledger["Service"], transactionStatus: string) =>
      ledger.accept(verified("card", card({ transactionStatus })), 1000)
    const first = Context.get(one, Ledger)
    yield* accept(first, "NEW")
    const [line = {}] = yield* sql`SELECT version, document FROM pawl_transactions`
    yield* accept(first, "PENDING")
    yield* sql`UPDATE pawl_transactions SET ${sql.update(line)}`
    const second = Context.get(yield* Layer.build(Layer.fresh(ledgerOf(place))), Ledger)
    yield* accept(second, "SUCCEED")
    yield* accept(first, "PROCESSING")
    const row = yield* second.get("card", "100001")
    expect(Object.keys(row?.newestCallbacks ?? {})).toEqual(["NEW", "PROCESSING", "SUCCEED"])
  })
})
