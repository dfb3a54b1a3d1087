import { StoreUnavailable } from "@pawl/core/CallbackError"
import { Handler, type Transition } from "@pawl/core/Handler"
import { test, live } from "@pawl/test-support/Tests"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import type { Leased } from "../src/internal/rule/Row.ts"
import { emptied, type Place, empty, ledgerOf } from "@pawl/test-support/Places"
import { card, transition, verified } from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"

const orders = Effect.flatMap(SqlClient, (sql) =>
  Effect.andThen(
    sql`CREATE TABLE IF NOT EXISTS orders (transaction_id TEXT NOT NULL, status TEXT NOT NULL)`,
    sql`DELETE FROM orders`
  )
)
const insert = ({ to, transactionId }: Transition) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`INSERT INTO orders (transaction_id, status) VALUES (${transactionId}, ${to})`
  )
const written = Effect.flatMap(
  SqlClient,
  (sql) => sql<{ readonly transaction_id: string; readonly status: string }>`SELECT * FROM orders`
)

const world = Effect.fnUntraced(function* (
  place: Place,
  commit: (transition: Transition) => Effect.Effect<unknown, unknown, SqlClient> = insert
) {
  const built = yield* Layer.build(
    Layer.provideMerge(LedgerSql.handler({ commit }), Layer.fresh(emptied(place)))
  )
  const ledger = Context.get(built, Ledger)
  yield* Effect.provide(orders, built)
  yield* ledger.accept(verified("card", card()), 1000)
  const { rows } = yield* ledger.claim({ at: 1000, until: 60_000, limit: 1 })
  const leased = rows[0] as Leased
  const told = ledger.write(leased, { told: "SUCCEED", sequence: 1, ifSequence: 0 })
  const commitTold = Context.get(built, Handler).commit
  if (commitTold === undefined) throw new Error("The handler has no commit")
  const state = Effect.gen(function* () {
    const row = yield* ledger.get("card", "100001")
    return { told: row?.told, orders: (yield* written).length }
  })
  return {
    told,
    commitTold: <A, E>(work: Effect.Effect<A, E>) => commitTold(transition, work),
    state: Effect.provide(state, built)
  }
})

const promises = (place: Place) => {
  test("writes both", function* () {
    const { commitTold, state, told } = yield* world(place)
    expect(yield* commitTold(told)).toMatchObject({ told: "SUCCEED" })
    expect(yield* state).toEqual({ told: "SUCCEED", orders: 1 })
  })

  test("writes neither when the commit fails after its write", function* () {
    const { commitTold, state, told } = yield* world(place, (handled) =>
      Effect.andThen(insert(handled), Effect.fail("no"))
    )
    expect(yield* Effect.flip(commitTold(told))).toBe("no")
    expect(yield* state).toEqual({ told: undefined, orders: 0 })
  })

  test("writes neither when the write of the ledger fails", function* () {
    const { commitTold, state, told } = yield* world(place)
    const lost = Effect.flatMap(told, () => Effect.fail("lost"))
    expect(yield* Effect.flip(commitTold(lost))).toBe("lost")
    expect(yield* state).toEqual({ told: undefined, orders: 0 })
  })

  test("fails with the SQL error of a write that the database refuses", function* () {
    const { commitTold, state, told } = yield* world(place, () =>
      Effect.flatMap(SqlClient, (sql) => sql`INSERT INTO orders (status) VALUES (NULL)`)
    )
    expect(yield* Effect.flip(commitTold(told))).toMatchObject({ _tag: "SqlError" })
    expect(yield* state).toEqual({ told: undefined, orders: 0 })
  })

  test("writes once when the response to the first transaction is lost", function* () {
    const { commitTold, state, told } = yield* world(place)
    yield* commitTold(told)
    const again = Effect.flatMap(told, (row) =>
      row === undefined ? Effect.fail(new StoreUnavailable({})) : Effect.succeed(row)
    )
    yield* Effect.flip(commitTold(again))
    expect(yield* state).toEqual({ told: "SUCCEED", orders: 1 })
  })
}

await inEachStore((place) => {
  promises(place)

  // A server takes over without the last commits, while a process remembers them.
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
