/**
 * The join of two rows of a transaction in a database: its sums, and the rows that it leaves alone.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { describe, expect, it } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import type { Leased, Registration } from "../src/Row.ts"
import { empty, emptied, type Place, within } from "./places.ts"
import { apm, card, search, verified } from "./service.ts"
import { files, onPostgres } from "./stores.ts"

const payment = search("card", "card-payment", { requestId: "order-17", mid: "mid-1" })
const refund = search("card", "refund", { requestId: "refund-1", mid: "mid-1" })

/** Accepts a callback of a transaction; the token names its kind. */
const accept = (transactionId: string, transactionStatus: Status, token: string) =>
  Ledger.use((ledger) =>
    ledger.accept(verified("card", card({ transactionId, transactionStatus }), token), 1000)
  )

/** Registers refund 1, and makes a second row of the id: two callbacks that name it a payment. */
const twoRows = (registration: Partial<Registration> = {}) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    yield* ledger.register({ kind: "refund", transactionId: "1", ...registration }, 1000)
    yield* accept("1", "PENDING", payment)
    yield* accept("1", "PENDING", payment)
    yield* accept("1", "SUCCEED", payment)
  })

/** Leases all rows, and returns that of payment 1. */
const leasePayment = Effect.gen(function* () {
  const ledger = yield* Ledger
  const { rows } = yield* ledger.claim({ at: 1000, until: 2000, limit: 100 })
  return rows.find((row) => row.transactionId === "1" && row.scope === "card-payment") as Leased
})

/** Writes that the transaction of the payment row is a refund, which joins the row to the other one. */
const joinTo = (leased: Leased) => Ledger.use((ledger) => ledger.write(leased, { kind: "refund" }))

const leaseAndJoin = Effect.flatMap(leasePayment, joinTo)

/** The lines of a table, without those of the two rows of `twoRows`. */
const bystanders = Effect.flatMap(SqlClient, (sql) =>
  Effect.forEach(
    ["pawl_transactions", "pawl_callbacks"],
    (table) => sql`SELECT * FROM ${sql(table)}
      WHERE NOT (transaction_id = '1' AND scope IN ('refund', 'card-payment'))
      ORDER BY transaction_id, scope`
  )
)

const promises = (place: Place) => {
  const inPlace = within(place)

  it.effect(
    "a join changes no row but the two, and no callback of another row",
    inPlace(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* twoRows()
        // Rows with the id of the two and another scope, and rows with their scopes and another id.
        yield* ledger.accept(
          verified("apm", apm({ transactionId: "1", transactionStatus: "PENDING" })),
          1000
        )
        yield* accept("2", "PENDING", payment)
        yield* accept("2", "SUCCEED", refund)
        const leased = yield* leasePayment
        const before = yield* bystanders
        expect(before.map(({ length }) => length)).toEqual([3, 3])
        expect(yield* joinTo(leased)).toBeUndefined()
        expect(yield* bystanders).toEqual(before)
        const sql = yield* SqlClient
        const left = yield* sql`SELECT scope FROM pawl_transactions WHERE transaction_id = '1'
          ORDER BY scope`
        expect(left.map(({ scope }) => scope)).toEqual(["apm", "refund"])
      })
    )
  )

  it.effect(
    "a join adds the numbers of callbacks, of the row and of each status, and joins the evidence",
    inPlace(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const sql = yield* SqlClient
        yield* twoRows({ status: "NEW" })
        yield* accept("1", "PENDING", refund)
        yield* leaseAndJoin
        const evidence =
          Evidence.confirmed("NEW") | Evidence.claimed("PENDING") | Evidence.claimed("SUCCEED")
        expect(yield* ledger.get("card", "1")).toMatchObject({ callbacks: 4, evidence })
        const counts = yield* sql`SELECT scope, status, count FROM pawl_callbacks ORDER BY status`
        expect(counts.map(({ count, scope, status }) => [scope, status, Number(count)])).toEqual([
          ["refund", "PENDING", 3],
          ["refund", "SUCCEED", 1]
        ])
      })
    )
  )

  it.effect(
    "a join takes the order of the joined row if the other has none",
    inPlace(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* twoRows()
        yield* leaseAndJoin
        const ordered = { requestId: "order-17", account: "mid-1" }
        expect((yield* ledger.get("card", "1"))?.ordered).toEqual(ordered)
      })
    )
  )

  it.effect(
    "a join keeps an order that the row has",
    inPlace(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* twoRows({ amount: "25.00" })
        yield* leaseAndJoin
        expect((yield* ledger.get("card", "1"))?.ordered).toEqual({ amount: "25.00" })
      })
    )
  )

  it.effect(
    "a join has not all facts if one of its rows is older than the facts, and else has them all",
    inPlace(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const sql = yield* SqlClient
        const scopes = ["card-payment", "refund"]
        for (const isRegistered of [true, false]) {
          for (const older of [[], scopes.slice(1), scopes.slice(0, 1), scopes]) {
            yield* empty
            if (isRegistered) yield* ledger.register({ kind: "refund", transactionId: "1" }, 1000)
            else yield* accept("1", "PENDING", refund)
            yield* accept("1", "PENDING", payment)
            // Rows of the first version were migrated so.
            for (const scope of older)
              yield* sql`UPDATE pawl_transactions SET facts = facts - 1000000 WHERE scope = ${scope}`
            yield* leaseAndJoin
            const stories = yield* ledger.story("card", "1")
            const isComplete = stories.map(({ complete }) => complete)
            expect([older, isComplete]).toEqual([older, [older.length === 0]])
          }
        }
      })
    )
  )

  it.effect(
    "a join keeps the read, the larger sequence and the last unconfirmed claim of the joined row (R37)",
    inPlace(
      Effect.gen(function* () {
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
    )
  )

  it.effect(
    "the row to join to is looked for only by a write that changes the kind of its row",
    () => {
      const texts: Array<string> = []
      const record: Statement.Transformer = (statement) => {
        texts.push(statement.compile()[0])
        return Effect.succeed(statement)
      }
      return Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* accept("1", "PENDING", payment)
        const { rows } = yield* ledger.claim({ at: 1000, until: 2000, limit: 1 })
        const leased = rows[0] as Leased
        const searches = Effect.fnUntraced(function* (change: Parameters<typeof ledger.write>[1]) {
          texts.length = 0
          yield* ledger.write(leased, change)
          return texts.filter((text) => /SELECT \* FROM pawl_transactions/u.test(text)).length
        })
        expect(yield* searches({ askedAt: 1 })).toBe(0)
        expect(yield* searches({ kind: "card-payment" })).toBe(0)
        expect(yield* searches({ kind: "refund" })).toBe(1)
      }).pipe(
        Effect.provide(emptied(place), { local: true }),
        Effect.provideService(Statement.CurrentTransformer, record)
      )
    }
  )
}

const file = files()
describe("in a SQLite file", () => {
  promises(file())
})
await onPostgres((place) => {
  promises(place)
})
