/** Each step is made in memory, by the rule, and on a database. */
import { type Read, joinRead } from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "@effect/vitest"
import { isSameAmount } from "../src/internal/rule/Order.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import type { Change, Leased, Registration } from "../src/internal/rule/Row.ts"
import { testIn } from "@pawl/test-support/Tests"
import { type Place } from "@pawl/test-support/Places"
import { card, search, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

const tokens = {
  "card-payment": search("card", "card-payment", { requestId: "order-17", mid: "mid-1" }),
  refund: search("card", "refund", { requestId: "refund-1", mid: "mid-1" })
}

/** Steps before the join. `isNamed`: callbacks name a refund. */
interface Side {
  readonly isNamed?: boolean
  readonly order?: Partial<Registration>
  readonly claims?: ReadonlyArray<Status>
  readonly change?: Change
}

const orders: ReadonlyArray<Side> = [
  { claims: ["PENDING"] },
  { order: {} },
  { order: { amount: "25.00" } },
  { order: { account: "mid-2" }, claims: ["PENDING", "SUCCEED"], isNamed: true }
]
const changes: ReadonlyArray<Change> = [
  {},
  { told: "PENDING", sequence: 3, read: { status: "PENDING", askedAt: 900 } },
  { told: "NEW", sequence: 5, read: { status: "NEW", askedAt: 900 }, unconfirmedAt: undefined }
]
const sides = orders.flatMap((side) => changes.map((change): Side => ({ ...side, change })))

type Outcome = Effect.Effect<unknown, unknown, Ledger>

const joined = (transactionId: string, payment: Side, refund: Side): Outcome =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const all = [
      ["refund", refund, 1000],
      ["card-payment", payment, 2000]
    ] as const
    for (const [kind, { claims = [], isNamed, order }, at] of all) {
      if (order !== undefined) yield* ledger.register({ kind, transactionId, ...order }, at)
      for (const transactionStatus of claims) {
        const named = isNamed === true ? { refundId: transactionId } : {}
        const callback = card({ transactionId, transactionStatus, ...named })
        yield* ledger.accept(verified("card", callback, tokens[kind]), at)
      }
    }
    const { rows } = yield* ledger.claim({ at: 3000, until: 9000, limit: 9 })
    const leased = (kind: string) => rows.find((row) => row.scope === kind) as Leased
    yield* ledger.write(leased("refund"), { ...refund.change, release: { dueAt: undefined } })
    yield* ledger.write(leased("card-payment"), payment.change ?? {})
    yield* ledger.write(leased("card-payment"), { kind: "refund" })
    const due = yield* ledger.claim({ at: 9000, until: 9999, limit: 9 })
    const row = yield* ledger.get("card", transactionId)
    const story = yield* ledger.story("card", transactionId)
    yield* Effect.forEach(due.rows, (each) => ledger.write(each, { release: { dueAt: undefined } }))
    return { row, story, due: due.rows.map(({ scope }) => scope) }
  })

const inMemory = (outcome: Outcome) => Effect.provide(outcome, layerMemory, { local: true })

const promises = (place: Place) => {
  const test = testIn(place)

  test("a join leaves the row that the rule leaves, and makes it due", function* () {
    for (const [one, payment] of sides.entries()) {
      for (const [two, refund] of sides.entries()) {
        // A third of the pairs has each order with each order, and each change with each
        // change.
        if ((one + two + Math.floor(two / changes.length)) % 3 !== 0) continue
        const outcome = joined(`${one}-${two}`, payment, refund)
        const pair = [payment, refund]
        expect([pair, yield* outcome]).toEqual([pair, yield* inMemory(outcome)])
      }
    }
  })

  test("a join by a worker that lost its lease changes nothing", function* () {
    const ledger = yield* Ledger
    yield* ledger.register({ kind: "refund", transactionId: "1" }, 1000)
    const callback = card({ transactionId: "1", transactionStatus: "PENDING" })
    yield* ledger.accept(verified("card", callback, tokens["card-payment"]), 1000)
    const claim = Effect.map(ledger.claim({ at: 1000, until: 9000, limit: 9 }), ({ rows }) =>
      rows.find(({ scope }) => scope === "card-payment")
    )
    const lost = (yield* claim) as Leased
    yield* ledger.write(lost, { release: { dueAt: 1000 } })
    const leased = (yield* claim) as Leased
    expect(yield* ledger.write(lost, { kind: "refund" })).toBeUndefined()
    expect(yield* ledger.write(leased, { askedAt: 1000 })).toMatchObject({ callbacks: 1 })
  })

  test("a later read replaces an earlier one, and of two at the same time the one of the later status", function* () {
    const ledger = yield* Ledger
    const reads = [1, 2].flatMap((askedAt) =>
      (["NEW", "PENDING", "CHARGEBACK"] as const).map((status): Read => ({ status, askedAt }))
    )
    yield* ledger.register({ kind: "refund", transactionId: "1" }, 1000)
    for (const [at, first] of reads.entries()) {
      for (const second of reads) {
        const transactionId = `${at}-${second.status}-${second.askedAt}`
        yield* ledger.register({ kind: "refund", transactionId }, 1000)
        const { rows } = yield* ledger.claim({ at: 1000, until: 9000, limit: 9 })
        const leased = rows.find((row) => row.transactionId === transactionId) as Leased
        yield* ledger.write(leased, { read: first })
        const written = yield* ledger.write(leased, { read: second })
        expect([first, second, written?.read]).toEqual([first, second, joinRead(first, second)])
      }
    }
  })
}

const file = files()
describe("in a SQLite file", () => {
  promises(file())
})
await onPostgres((place) => {
  promises(place)
})

it("an order with more than 40 decimals has no amount", () => {
  expect(isSameAmount(`1.${"0".repeat(40)}`, "1")).toBe(true)
  expect(isSameAmount(`1.${"0".repeat(41)}`, "1")).toBe(false)
})

it("two amounts are the same if they are equal when they are rounded to hundredths", () => {
  const texts = [
    "9",
    "10",
    "10.0",
    "10.5",
    "9.50",
    "10.05",
    "10.50",
    "10.499",
    "10.505",
    "10.504",
    "5"
  ]
  for (const ordered of texts) {
    for (const signed of texts.filter((text) => /^\d+(?:\.\d{1,2})?$/u.test(text))) {
      const isSame = Math.round(Number(ordered) * 1000 + 0.1) / 10
      const expected = Math.round(isSame) === Math.round(Number(signed) * 100)
      expect([ordered, signed, isSameAmount(ordered, signed)]).toEqual([ordered, signed, expected])
    }
  }
})
