import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { describe, expect } from "@effect/vitest"
import * as Ledger from "../src/Ledger.ts"
import { Transactions } from "../src/LedgerSql.ts"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import { Records } from "../src/internal/records/Records.ts"
import { newRequest } from "./memoryLedger.ts"
import { live } from "@pawl/test-support/Tests"
import { emptied, type Place } from "@pawl/test-support/Places"
import { inEachStore } from "@pawl/test-support/Stores"

const answered = { _tag: "Answered", text: "sealed-answer" } as const

type Stores = RequestStore.RequestStore | Ledger.Ledger

const memory = RequestStore.layerMemory.pipe(Layer.provideMerge(Layer.fresh(Ledger.layerMemory)))

/** The laws of a request store in `@pawl/testkit/Laws/Store` hold too. */
const promises = (layer: Layer.Layer<Stores, unknown>) => {
  const test = live.with(() => layer)

  const stores = Effect.all({ store: RequestStore.RequestStore, ledger: Ledger.Ledger })

  test("a request that waits is due earlier by the time by which the clock was set back, and wakes its process", function* () {
    const { ledger, store } = yield* stores
    const minute = 60_000
    for (const id of ["1", "2"]) yield* store.write(newRequest(id), { at: 0 })
    const { rows } = yield* store.claim({ at: 9 * minute, until: 10 * minute, limit: 2 })
    for (const row of rows.filter(({ requestId }) => requestId === "1"))
      yield* store.release(row, { at: 9 * minute, dueAt: 9 * minute + 2000 })
    const [at, by] = [5 * minute, 4 * minute]
    const claim = (after: number) =>
      Effect.map(
        store.claim({ at: at + after, until: at + after + minute, limit: 9 }),
        ({ rows }) => rows.map(({ requestId }) => requestId)
      )
    expect(yield* claim(minute)).toEqual([])
    yield* store.awaitWork
    yield* ledger.shift({ at, by, until: at + 10_000 })
    yield* store.awaitWork
    expect(yield* claim(1999)).toEqual([])
    expect(yield* claim(2000)).toEqual(["1"])
    expect(yield* claim(29_999)).toEqual([])
    expect(yield* claim(30_000)).toEqual(["2"])
  })

  test("the registration of an outcome wakes the worker of the ledger", function* () {
    const { ledger, store } = yield* stores
    yield* store.write(newRequest("1"), { at: 1000, until: 31_000 })
    const registration = { kind: "apm-payment", transactionId: "100001" } as const
    yield* store.settle("1", { outcome: answered, at: 2000 }, registration)
    yield* ledger.awaitWork
  })
}

const inTransactions = (place: Place) => {
  live("Q07: a request is written in the transaction of the merchant, or not at all", function* () {
    const built = yield* Layer.build(emptied(place))
    const store = Context.get(built, RequestStore.RequestStore)
    const sql = Context.get(built, SqlClient)
    const { run } = Context.get(built, Transactions)
    yield* sql`CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY)`
    yield* sql`DELETE FROM orders`
    const order = (id: string) =>
      Effect.andThen(
        sql`INSERT INTO orders (id) VALUES (${id})`,
        store.write(newRequest(id), { at: 1000 })
      )
    const undone = yield* Effect.flip(run(Effect.andThen(order("1"), Effect.fail("undo"))))
    expect(undone).toBe("undo")
    expect(yield* store.get("1")).toBeUndefined()
    yield* run(order("2"))
    expect(yield* store.get("2")).toMatchObject({ dueAt: 1000 })
    // A requestId that is taken leaves the transaction usable.
    const written = yield* run(
      Effect.gen(function* () {
        expect(yield* store.isInTransaction).toBe(true)
        const { isNew } = yield* store.write(newRequest("2"), { at: 2000 })
        yield* sql`INSERT INTO orders (id) VALUES ('3')`
        return isNew
      })
    )
    expect(written).toBe(false)
    expect(yield* sql`SELECT id FROM orders ORDER BY id`).toEqual([{ id: "2" }, { id: "3" }])
    expect(yield* store.isInTransaction).toBe(false)
  })
}

live(
  "a request whose transaction could not be registered has no outcome, and is sent again",
  function* () {
    const built = yield* Layer.build(Layer.fresh(Ledger.layerMemory))
    const store = RequestStore.make(Context.get(built, Records), {
      register: () => Effect.fail(new StoreUnavailable({}))
    })
    yield* store.write(newRequest("1", { body: "sealed" }), { at: 1000, until: 31_000 })
    const transaction = { method: "apm", transactionId: "100001" } as const
    const settlement = { outcome: answered, at: 2000, transaction }
    const registration = { kind: "apm-payment", transactionId: "100001" } as const
    const settled = yield* Effect.exit(store.settle("1", settlement, registration))
    expect(settled._tag).toBe("Failure")
    expect(yield* store.get("1")).toMatchObject({ outcome: undefined, body: "sealed" })
    expect((yield* store.claim({ at: 31_000, until: 61_000, limit: 1 })).rows).toHaveLength(1)
  }
)

describe("in memory", () => {
  promises(memory)
})
await inEachStore((place) => {
  promises(emptied(place))
  inTransactions(place)
})
