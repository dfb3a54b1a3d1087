import { forAll } from "@pawl/test-support/Properties"
import * as Amount from "@pawl/core/Amount"
import type { Kind } from "@pawl/core/Kind"
import type { RequestKind } from "@pawl/core/RequestSender"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Order from "../src/internal/rule/Order.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import { blank, type Ordered, type Row, type Registration } from "../src/internal/rule/Row.ts"
import { test } from "@pawl/test-support/Tests"
import { card, incoming } from "@pawl/test-support/Service"
import * as World from "@pawl/test-support/World"

const row = (kind: Kind, ordered: Row["ordered"], ...amounts: ReadonlyArray<string>): Row => ({
  ...blank(kind, "100001", 0),
  ordered,
  newestCallbacks: Object.fromEntries(
    amounts.map((amount, index) => [
      ["NEW", "PENDING", "SUCCEED"][index],
      {
        signed: { account: "4711", amount, currency: "EUR", transactionId: "100001" },
        at: 0
      }
    ])
  )
})

describe("the ordered amount", () => {
  it("is rounded and compared as by Amount", () => {
    const digits = fc.stringMatching(/^[0-9]{1,4}$/)
    const ordered = fc.oneof(
      digits,
      fc.tuple(digits, digits).map((parts) => parts.join(".")),
      fc.constantFrom("", ".5", "1.", "-1", "1e2")
    )
    const both = ordered.chain((amount) => {
      const near = [-0.01, 0, 0.01].map((by) => (Number(amount) + by).toFixed(2))
      const paid = fc.oneof(ordered, fc.constantFrom(amount, ...near))
      return fc.tuple(fc.constant(amount), fc.array(paid, { minLength: 1, maxLength: 3 }))
    })
    return forAll(
      [both],
      {
        examples: [
          [["999999999999999999.99", ["999999999999999999.99"]]],
          [["999999999999999999.99", ["999999999999999999.98"]]],
          [["10 EUR", ["10.00"]]],
          [["x10", ["10.00"]]]
        ]
      },
      ([amount, texts]) => {
        const rounded = Amount.round(amount, { mode: "half-from-zero" })
        const isSame = (text: string) => {
          const paid = Amount.parse(text)
          return (
            Result.isSuccess(rounded) &&
            Result.isSuccess(paid) &&
            Amount.compare(rounded.success, paid.success) === 0
          )
        }
        expect(Order.differs(row("apm-payment", { amount }, ...texts))).toBe(!texts.every(isSame))
      }
    )
  })

  it("is that of a callback with zeros behind it, and of no other third decimal", () => {
    const isSame = (text: string) => !Order.differs(row("apm-payment", { amount: "10.50" }, text))
    expect(["10.5", "10.500", "10.50000000"].filter(isSame)).toHaveLength(3)
    expect(["10.501", "10.505", "10.500000000"].filter(isSame)).toEqual([])
  })

  it("is compared only for APM payments, payouts and refunds", () => {
    const kinds = ["apm-payment", "apm-payout", "card-payout", "refund", "card-payment"] as const
    const differ = kinds.map((kind) => Order.differs(row(kind, { amount: "9" }, "10")))
    expect(differ).toEqual([true, true, true, true, false])
    expect(Order.differs(row("refund", { currency: "USD" }, "10"))).toBe(true)
    expect(Order.differs(row("refund", { currency: "EUR" }, "10"))).toBe(false)
  })

  it("is not compared with a callback of another account (A08, R20)", () => {
    const ordered = { account: "4712", amount: "9" }
    expect(Order.differs(row("apm-payment", ordered, "10"))).toBe(false)
    expect(Order.differs(row("apm-payment", { ...ordered, account: "4711" }, "10"))).toBe(true)
  })
})

describe("the callbacks of a transaction", () => {
  const areOf = (kind: RequestKind, ordered: Ordered | undefined, found: Row) => {
    const request = { requestId: "r", kind, digest: "d", hasCardData: false, ordered }
    return Order.isOfRequest(RequestRule.write(request, 0, undefined), found)
  }

  it("may be those of a request if all of them have its account, amount and currency, as far as known", () => {
    const found = row("apm-payment", undefined, "10.00", "10")
    const ordered = { account: "4711", amount: "10.00", currency: "EUR" }
    for (const names of fc.sample(fc.subarray(["account", "amount", "currency"] as const), 20)) {
      const known = Object.fromEntries(names.map((name) => [name, ordered[name]]))
      expect(areOf("apm-payment", known, found)).toBe(true)
      for (const name of names) {
        const other = { ...known, [name]: name === "amount" ? "9.99" : "other" }
        expect(areOf("apm-payment", other, found)).toBe(false)
      }
    }
    expect(areOf("apm-payment", undefined, found)).toBe(true)
    expect(areOf("apm-payment", ordered, row("apm-payment", undefined, "10.00", "9.99"))).toBe(
      false
    )
    expect(areOf("apm-payment", ordered, row("apm-payment", undefined, "9.99", "10.00"))).toBe(
      false
    )
  })

  it("of an intent or a subscription may have another amount and currency, and no other mid", () => {
    const found = row("card-payment", undefined, "9.99")
    for (const kind of ["payment-intent", "subscription"] as const) {
      expect(areOf(kind, { amount: "10.00", currency: "USD" }, found)).toBe(true)
      expect(areOf(kind, { account: "4712" }, found)).toBe(false)
      const other = row("card-payment", { account: "4712" }, "9.99")
      expect(areOf(kind, undefined, other)).toBe(false)
    }
    expect(areOf("payment-intent", { account: "mid-1" }, row("apm-payment", {}, "9.99"))).toBe(true)
    for (const kind of ["card-payment", "card-charge"] as const) {
      expect(areOf(kind, { amount: "10.00" }, found)).toBe(false)
    }
  })

  it("are compared with the order of the row where the request has none, and else with that of the request", () => {
    const found = row("apm-payment", { amount: "9.99", account: "4711" }, "10.00")
    expect(areOf("apm-payment", undefined, found)).toBe(false)
    expect(areOf("apm-payment", { amount: "10.00" }, found)).toBe(true)
    expect(areOf("apm-payment", { amount: "10.00", account: "4712" }, found)).toBe(false)
  })

  it("are those of no request if none has signed fields, and those without are not compared", () => {
    const unsigned = { PENDING: { signed: undefined, at: 0 } }
    const found = row("apm-payment", undefined, "10.00")
    expect(areOf("apm-payment", undefined, { ...found, newestCallbacks: {} })).toBe(false)
    expect(areOf("apm-payment", undefined, { ...found, newestCallbacks: unsigned })).toBe(false)
    const both = { ...found, newestCallbacks: { ...unsigned, ...found.newestCallbacks } }
    expect(areOf("apm-payment", { amount: "10.00" }, both)).toBe(true)
  })
})

describe("a transaction with another amount than the ordered one", () => {
  const register = (world: World.World, amount: string, account = "4711") =>
    world.ledger.register(
      { kind: "apm-payment", transactionId: "1", amount, currency: "EUR", account },
      world.now()
    )

  test("is parked at each status without being told, and told after a redrive", function* () {
    let status: "PENDING" | "SUCCEED" = "PENDING"
    const { receive, ...world } = yield* World.started({ read: () => Effect.sync(() => status) })
    yield* register(world, "25.00")
    yield* receive("1", "PENDING")
    yield* World.pass("1 minute")
    status = "SUCCEED"
    yield* receive("1", "SUCCEED")
    yield* World.pass("1 hour")
    expect(world.calls).toEqual([])
    const parked = ["amount-mismatch", "amount-mismatch"]
    expect(World.deadLetter(world)).toEqual(parked)
    expect(yield* world.ledger.deadLetters({ limit: 9 })).toMatchObject([
      { transactionId: "1", deadLetter: { reason: "amount-mismatch", to: "SUCCEED" } }
    ])

    const { transactionId, method } = { transactionId: "1", method: "apm" as const }
    expect(yield* world.ledger.redrive({ method, transactionId }, world.now())).toBe(true)
    yield* World.pass("1 minute")
    expect(World.told(world)).toEqual(["SUCCEED"])
    expect(world.calls).toMatchObject([{ signed: { amount: "10.00" }, attempt: 1 }])
    expect(yield* world.ledger.deadLetters({ limit: 9 })).toEqual([])

    yield* receive("1", "SUCCEED")
    yield* World.pass("1 hour")
    expect(World.deadLetter(world)).toEqual(parked)
  })

  test("is not one if only a replay of another account has that amount, and that replay is not handed over (A08)", function* () {
    const { receive, ...world } = yield* World.started({ read: World.says("SUCCEED") })
    yield* register(world, "25.00", "4712")
    yield* receive("1", "SUCCEED")
    yield* World.pass("1 minute")
    expect(World.told(world)).toEqual(["SUCCEED"])
    expect(world.calls).toMatchObject([{ signed: null, callback: null }])
  })

  test("is parked even if its status is confirmed long after its bodies could be deleted", function* () {
    let read: World.Options["read"] & {} = () => World.unreachable
    const { receive, ...world } = yield* World.started({ read: (each) => read(each) })
    yield* register(world, "25.00")
    yield* receive("1", "SUCCEED")
    yield* World.pass("1 hour")
    const all = { before: Number.MAX_SAFE_INTEGER, limit: 9 }
    expect(yield* world.ledger.deleteBodies(all)).toBe(0)
    read = World.says("SUCCEED")
    yield* World.pass("1 hour")
    expect(World.deadLetter(world)).toEqual(["amount-mismatch"])
    expect(world.calls).toEqual([])

    yield* world.ledger.redrive({ method: "apm", transactionId: "1" }, world.now())
    yield* World.pass("1 minute")
    expect(World.told(world)).toEqual(["SUCCEED"])
    expect(yield* world.ledger.deleteBodies(all)).toBe(1)
  })
})

describe("the callback of one refund that is sent again with the refundId of another", () => {
  const replay = (
    refundCallbackId: "refund" | "payment",
    kind: "refund" | "card-payment" = "refund"
  ) =>
    World.run(
      Effect.gen(function* () {
        const { receiveRequest, ...world } = yield* World.started({
          read: World.says("SUCCEED"),
          profile: { refundCallbackId }
        })
        const order = { kind, account: "mid-1", currency: "EUR" }
        yield* world.ledger.register({ ...order, transactionId: "1", amount: "4.00" }, 0)
        yield* world.ledger.register({ ...order, transactionId: "2", amount: "6.00" }, 0)
        const callback = card({
          transactionId: refundCallbackId === "refund" ? "1" : "9",
          refundId: "2",
          orderAmount: "4.00"
        })
        expect(yield* receiveRequest(incoming("card", callback))).toBe(200)
        yield* World.pass("1 minute")
        expect(World.deadLetter(world)).toEqual([])
        return world.calls.flatMap(({ signed, to, transactionId }) => [
          [transactionId, to, signed?.amount]
        ])
      })
    )

  it("A27: neither parks the other nor lends it an amount", async () => {
    expect(await replay("refund")).toEqual([["1", "SUCCEED", "4.00"]])
  })

  it("A27: does not do so either where refunds are signed with the id of their payment", async () => {
    const told = await replay("payment")
    expect(told.filter(([id]) => id === "2")).toEqual([["2", "SUCCEED", undefined]])
  })

  it("A27: names no payment", async () => {
    expect(await replay("payment", "card-payment")).toEqual([["9", "SUCCEED", undefined]])
  })
})

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
const after = (row: Order.OrderOfRow, order: Ordered) =>
  Order.orderAfter(row, registrationOf(order))

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
  const joined: ReadonlyArray<readonly [Order.OrderOfRow, Order.OrderOfRow, Order.OrderOfRow]> = [
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
    expect(Order.joinOrders(first, other)).toEqual(expected)
  }
})
