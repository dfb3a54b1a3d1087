import type { RequestKind } from "@pawl/core/RequestSender"
import { statuses } from "@pawl/core/Status"
import { describe, expect, it } from "vitest"
import * as Order from "../src/internal/requests/Order.ts"

const kinds: ReadonlyArray<
  readonly [kind: RequestKind, operation: string, transaction: string | undefined]
> = [
  ["apm-payment", "apm-payment", "apm-payment"],
  ["apm-payout", "apm-payout", "apm-payout"],
  ["card-payment", "card-payment", "card-payment"],
  ["card-charge", "card-payment", "card-payment"],
  ["card-payout", "card-payout", "card-payout"],
  ["refund", "refund", "refund"],
  ["subscription", "card-payment", "card-payment"],
  ["payment-intent", "payment", undefined]
]

const ordered = { requestId: "order-17", account: "4711", amount: "10.00", currency: "EUR" }
const response = { transactionId: "1", refundId: "2", transactionStatus: "PENDING" }

describe("a request", () => {
  it.each(kinds)("for %s has callbacks of the operation %s, and registers %s", (...each) => {
    const [kind, operation, transaction] = each
    expect(Order.operationOf(kind, { type: "SALE" })).toBe(operation)
    expect(Order.operationOf(kind, {})).toBe(operation)
    expect(Order.registrationOf(kind, ordered, response)).toStrictEqual(
      transaction && {
        ...ordered,
        kind: transaction,
        transactionId: kind === "refund" ? "2" : "1",
        status: "PENDING"
      }
    )
  })

  it("for a payout by the customer's choice has callbacks of a payout", () => {
    expect(Order.operationOf("payment-intent", { type: "PAYOUT" })).toBe("payout")
    expect(Order.operationOf("card-payment", { type: "PAYOUT" })).toBe("card-payment")
    expect(Order.operationOf("subscription", { type: "PAYOUT" })).toBe("card-payment")
  })

  it("has the order of those of its fields that are texts", () => {
    const { account: accountId, ...rest } = ordered
    const fields = { ...rest, accountId, mid: "mid-1" }
    expect(Order.fieldsOf({ ...fields, card: { number: "4" } })).toStrictEqual(fields)
    const none = Object.fromEntries(Object.keys(fields).map((name) => [name, undefined]))
    for (const value of [10, null, {}, true]) {
      const others = Object.fromEntries(Object.keys(fields).map((name) => [name, value]))
      expect(Order.fieldsOf(others)).toStrictEqual(none)
    }
  })
})

describe("the response to a request", () => {
  it("registers nothing if it names no transaction by a text", () => {
    for (const other of [{}, { transactionId: 1 }, { transactionId: null }, { refundId: "2" }]) {
      expect(Order.registrationOf("apm-payment", ordered, other)).toBeUndefined()
    }
    expect(Order.registrationOf("refund", ordered, { transactionId: "1" })).toBeUndefined()
  })

  it("registers its status only if that is a documented one", () => {
    const registered = (transactionStatus: unknown) =>
      Order.registrationOf("apm-payment", undefined, { transactionId: "1", transactionStatus })
    for (const status of statuses) expect(registered(status)?.status).toBe(status)
    const without = { kind: "apm-payment", transactionId: "1" }
    for (const status of ["SETTLED", 7, null, undefined]) {
      expect(registered(status)).toStrictEqual(without)
    }
    expect(Order.registrationOf("apm-payment", undefined, { transactionId: "1" })).toStrictEqual(
      without
    )
  })
})
