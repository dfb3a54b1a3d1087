import * as Result from "effect/Result"
import { expect, it } from "vitest"
import { joinOrders, orderAfter, type OrderOfRow } from "../src/internal/rule/Order.ts"
import type { Ordered, Registration } from "../src/internal/rule/Row.ts"

const names = ["account", "amount", "currency", "requestId"] as const

/** Each field is unknown, or has one of two values. */
const orders = names.reduce<ReadonlyArray<Ordered>>(
  (some, name) =>
    some.flatMap((order) => [order, { ...order, [name]: "1" }, { ...order, [name]: "2" }]),
  [{}]
)
const known = (order: Ordered): Ordered | undefined =>
  Object.keys(order).length === 0 ? undefined : order
const registrationOf = (order: Ordered): Registration => ({
  kind: "card-payment",
  transactionId: "1",
  ...order
})
const after = (row: OrderOfRow, order: Ordered) => orderAfter(row, registrationOf(order))

it("a registration replaces the order of a token, unless it has none", () => {
  for (const order of orders) {
    for (const next of orders) {
      const row = { ordered: known(order), isOrderRegistered: false }
      const expected = {
        ordered: known(next) ?? known(order),
        isOrderRegistered: next !== orders[0]
      }
      expect(Result.getOrThrow(after(row, next))).toEqual(expected)
    }
  }
})

it("a second registration adds the fields that are unknown, and is refused if a known one differs", () => {
  for (const order of orders) {
    for (const next of orders) {
      const row = { ordered: known(order), isOrderRegistered: true }
      const different = names.find(
        (name) =>
          order[name] !== undefined && next[name] !== undefined && order[name] !== next[name]
      )
      const result = after(row, next)
      if (different === undefined) {
        const ordered = known({ ...next, ...order })
        expect(Result.getOrThrow(result)).toEqual({ ordered, isOrderRegistered: true })
      } else {
        const _tag = "RegisteredDifferently"
        expect(result).toMatchObject({ failure: { _tag, field: different } })
        expect(Result.isFailure(result) && result.failure.message).toBe(
          `The operation is already registered with another ${different}`
        )
      }
    }
  }
})

it("an amount with other decimals is the same amount, and another account is not", () => {
  const row = { ordered: { amount: "10", account: "1" }, isOrderRegistered: true }
  expect(Result.getOrThrow(after(row, { amount: "10.00" })).ordered?.amount).toBe("10")
  expect(Result.isFailure(after(row, { account: "1.00" }))).toBe(true)
})

it("the order of two joined rows is that of a registration, and else that of the first row that has one", () => {
  const [none, one, two] = [undefined, { account: "1" }, { account: "2" }]
  const row = (ordered: Ordered | undefined, isOrderRegistered: boolean) => ({
    ordered,
    isOrderRegistered
  })
  const joined: ReadonlyArray<readonly [OrderOfRow, OrderOfRow, OrderOfRow]> = [
    [row(none, false), row(none, false), row(none, false)],
    [row(none, false), row(two, false), row(two, false)],
    [row(none, true), row(two, false), row(two, false)],
    [row(one, false), row(none, false), row(one, false)],
    [row(one, false), row(two, false), row(one, false)],
    [row(one, false), row(two, true), row(two, true)],
    [row(one, true), row(two, false), row(one, true)],
    [row(one, true), row(two, true), row(one, true)]
  ]
  for (const [first, other, expected] of joined) {
    expect(joinOrders(first, other)).toEqual(expected)
  }
})
