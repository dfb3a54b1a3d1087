import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { describe, expect } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import type { Leased, Registration } from "../src/internal/rule/Row.ts"
import { testIn } from "@pawl/test-support/Tests"
import { type Place } from "@pawl/test-support/Places"
import { apm, card, search, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

const payment = search("card", "card-payment", { requestId: "order-17", mid: "mid-1" })
const refund = search("card", "refund", { requestId: "refund-1", mid: "mid-1" })

const accept = (transactionId: string, transactionStatus: Status, token: string) =>
  Ledger.use((ledger) =>
    ledger.accept(verified("card", card({ transactionId, transactionStatus }), token), 1000)
  )

/** Registers refund 1, and accepts two callbacks of a payment 1. */
const twoRows = (registration: Partial<Registration> = {}) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    yield* ledger.register({ kind: "refund", transactionId: "1", ...registration }, 1000)
    yield* accept("1", "PENDING", payment)
    yield* accept("1", "PENDING", payment)
    yield* accept("1", "SUCCEED", payment)
  })

const leasePayment = Effect.gen(function* () {
  const ledger = yield* Ledger
  const { rows } = yield* ledger.claim({ at: 1000, until: 2000, limit: 100 })
  return rows.find((row) => row.transactionId === "1" && row.scope === "card-payment") as Leased
})

/** Makes the payment a refund, which joins the rows. */
const joinTo = (leased: Leased) => Ledger.use((ledger) => ledger.write(leased, { kind: "refund" }))

const leaseAndJoin = Effect.flatMap(leasePayment, joinTo)

/** The lines of a table but for the rows of `twoRows`. */
const bystanders = Effect.flatMap(SqlClient, (sql) =>
  Effect.forEach(
    ["pawl_transactions", "pawl_transactions_texts"],
    (table) => sql`SELECT * FROM ${sql(table)} WHERE key <> ${"1\tcard"} ORDER BY key`
  )
)

const promises = (place: Place) => {
  const test = testIn(place)

  test("a join changes no row but the two, and no callback of another row", function* () {
    const ledger = yield* Ledger
    yield* twoRows()
    // Rows with the same id or the same scope, not both.
    yield* ledger.accept(
      verified("apm", apm({ transactionId: "1", transactionStatus: "PENDING" })),
      1000
    )
    yield* accept("2", "PENDING", payment)
    yield* accept("2", "SUCCEED", refund)
    const leased = yield* leasePayment
    const before = yield* bystanders
    expect(before.map(({ length }) => length)).toEqual([2, 3])
    expect(yield* joinTo(leased)).toBeUndefined()
    expect(yield* bystanders).toEqual(before)
    const left = yield* ledger.story("card", "1")
    expect(left.map(({ row }) => row.scope)).toEqual(["refund"])
  })

  test("a join adds the numbers of callbacks, of the row and of each status, and joins the evidence", function* () {
    const ledger = yield* Ledger
    yield* twoRows({ status: "NEW" })
    yield* accept("1", "PENDING", refund)
    yield* leaseAndJoin
    const evidence =
      Evidence.confirmed("NEW") | Evidence.claimed("PENDING") | Evidence.claimed("SUCCEED")
    expect(yield* ledger.get("card", "1")).toMatchObject({ callbacks: 4, evidence })
    const [story] = yield* ledger.story("card", "1")
    const counts = story?.facts.flatMap((each) =>
      each.fact === "accepted" ? [[each.status, each.count]] : []
    )
    expect(counts?.toSorted()).toEqual([
      ["PENDING", 3],
      ["SUCCEED", 1]
    ])
  })

  test("a join takes the order of the joined row if the other has none", function* () {
    const ledger = yield* Ledger
    yield* twoRows()
    yield* leaseAndJoin
    const ordered = { requestId: "order-17", account: "mid-1" }
    expect((yield* ledger.get("card", "1"))?.ordered).toEqual(ordered)
  })

  test("a join keeps an order that the row has", function* () {
    const ledger = yield* Ledger
    yield* twoRows({ amount: "25.00" })
    yield* leaseAndJoin
    expect((yield* ledger.get("card", "1"))?.ordered).toEqual({ amount: "25.00" })
  })

  test("a join keeps the read, the larger sequence and the last unconfirmed claim of the joined row (R37)", function* () {
    const ledger = yield* Ledger
    yield* twoRows()
    const read = { status: "PENDING", askedAt: 900 } as const
    const leased = yield* leasePayment
    yield* ledger.write(leased, { read, told: "PENDING", sequence: 3 })
    yield* joinTo(leased)
    const joined = { read, told: "PENDING", sequence: 3, unconfirmedAt: 1000, registered: true }
    expect(yield* ledger.get("card", "1")).toMatchObject(joined)
    // A worker that leased the row before the join does not take the sequence back.
    const { rows } = yield* ledger.claim({ at: 9000, until: 9999, limit: 9 })
    for (const row of rows) yield* ledger.write(row, { told: "SUCCEED", sequence: 1 })
    expect(yield* ledger.get("card", "1")).toMatchObject({ told: "SUCCEED", sequence: 3 })
  })

  test("a join keeps the bodies of both rows, and that of the row that stays where both have one", function* () {
    const ledger = yield* Ledger
    const sql = yield* SqlClient
    const bodyOf = (transactionStatus: Status) =>
      verified("card", card({ transactionId: "1", transactionStatus }), refund).bytes
    yield* twoRows()
    yield* accept("1", "PENDING", refund)
    yield* leaseAndJoin
    const key = { method: "card", transactionId: "1", scope: "refund" } as const
    expect(yield* ledger.body(key, "PENDING")).toEqual(bodyOf("PENDING"))
    expect(yield* ledger.body(key, "SUCCEED")).toEqual(bodyOf("SUCCEED"))
    expect(yield* sql`SELECT name FROM pawl_transactions_texts`).toHaveLength(2)
    expect(yield* ledger.deleteBodies({ before: 2000, limit: 9 })).toBe(2)
    expect(yield* sql`SELECT name FROM pawl_transactions_texts`).toEqual([])
  })
}

const file = files()
describe("in a SQLite file", () => {
  promises(file())
})
await onPostgres((place) => {
  promises(place)
})
