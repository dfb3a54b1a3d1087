import { forAll } from "@pawl/test-support/Properties"
import * as CardData from "@pawl/core/internal/CardData"
import type { RequestKind } from "@pawl/core/RequestSender"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const charge = {
  requestId: "4242424242424242",
  mid: "4242424242424242",
  amount: "10.00",
  currency: "EUR",
  cardToken: "4242424242424242",
  callbackUrl: "https://shop.example/cb",
  metadata: { order: "4242424242424242" }
}
const kinds: ReadonlyArray<RequestKind> = [
  "apm-payment",
  "apm-payout",
  "card-payment",
  "card-charge",
  "refund",
  "subscription",
  "payment-intent"
]

describe("isIn", () => {
  it("a card payout always has card data", () => {
    expect(CardData.isIn("card-payout", {})).toBe(true)
  })

  it.each(kinds)("a %s with documented fields and a card token has none", (kind) => {
    expect(CardData.isIn(kind, charge)).toBe(false)
  })

  it.each(kinds)("a %s with a field for a card or a security code has some, at any depth", (kind) =>
    forAll(
      [
        fc.constantFrom(
          "card",
          "cardNumber",
          "card_number",
          "CARD-NO",
          "pan",
          "cvv",
          "CVC2",
          "securityCode"
        ),
        fc.nat(3),
        fc.constantFrom<unknown>("x", 1, { any: "thing" })
      ],
      (name, depth, value) => {
        let member: object = { [name]: value }
        for (let level = 0; level < depth; level++) member = { other: [member] }
        expect(CardData.isIn(kind, { ...charge, ...member })).toBe(true)
      }
    )
  )

  it.each(["cards", "discard", "company", "panel", "tracker", "cvvs", "mycvc", "securityCodes"])(
    "a field %s is not one for a card",
    (name) => {
      expect(CardData.isIn("refund", { [name]: "x" })).toBe(false)
    }
  )

  it.each(["track", "track1", "trackData", "track2data", "bankcard", "primary_account_number"])(
    "a field %s is one for a card, unless it is null",
    (name) => {
      expect(CardData.isIn("refund", { [name]: "x" })).toBe(true)
      expect(CardData.isIn("refund", { [name]: null })).toBe(false)
    }
  )

  it.each(["requestId", "mid", "amount", "currency", "cardToken", "callbackUrl", "metadata"])(
    "the documented field %s may have the digits of a card number",
    (name) => {
      expect(CardData.isIn("card-payment", { [name]: "4242424242424242" })).toBe(false)
      expect(CardData.isIn("card-payment", { [`${name}2`]: "4242424242424242" })).toBe(true)
    }
  )

  it.each([
    "00000000000",
    "00000000000000000000",
    "x424242424242",
    "424242424242x",
    "",
    true,
    null
  ])("%j is not a card number, which has 12 to 19 digits and nothing else", (value) => {
    expect(CardData.isIn("card-charge", { source: value })).toBe(false)
    expect(CardData.isIn("card-charge", { source: { first: value, second: "000000000000" } })).toBe(
      true
    )
    expect(CardData.isIn("card-charge", { source: "0000000000000000000" })).toBe(true)
  })

  it.each(["4242424242424242", null, undefined])("a body %j has none", (body) => {
    expect(CardData.isIn("card-payment", body)).toBe(false)
  })

  it("an undocumented field of a card payment or charge with a card number has some", () => {
    for (const value of [
      "4242424242424242",
      "4242 4242-4242 4242",
      4242424242424242,
      ["4000056655665556"]
    ]) {
      for (const kind of ["card-payment", "card-charge"] as const) {
        expect(CardData.isIn(kind, { ...charge, source: { value } })).toBe(true)
        expect(CardData.isIn(kind, { ...charge, source: { value: "4242424242424243" } })).toBe(
          false
        )
      }
      expect(CardData.isIn("refund", { transactionId: value })).toBe(false)
    }
  })
})

it("withoutSecurityCode leaves out security codes at any depth, and nothing else", () => {
  const body = {
    card: { number: "4242424242424242", cvv: "123", expMonth: "04" },
    list: [{ CVC: "1", card_security_code: "2", securityQuestion: "kept" }],
    verificationCode: 3,
    verification: "kept",
    nothing: null
  }
  expect(CardData.withoutSecurityCode(body)).toEqual({
    card: { number: "4242424242424242", expMonth: "04" },
    list: [{ securityQuestion: "kept" }],
    verification: "kept",
    nothing: null
  })
})
