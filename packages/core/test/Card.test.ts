import { forAll } from "@pawl/test-support/Properties"
import { inspect } from "node:util"
import * as Card from "@pawl/core/Card"
import { PayoutCardDetails } from "@pawl/core/internal/RequestBodies"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const number = fc.stringMatching(/^[0-9]{12,19}$/)

describe("hasCheckDigit", () => {
  it.each(["4242424242424242", "5555555555554444", "4000000000000002", "378282246310005"])(
    "holds for %s",
    (digits) => {
      expect(Card.hasCheckDigit(Redacted.make(digits))).toBe(true)
    }
  )

  it("holds for one of the ten last digits, and finds any single mistyped digit", () =>
    forAll([number, fc.nat(), fc.integer({ min: 1, max: 9 })], (digits, at, by) => {
      const body = digits.slice(0, -1)
      const right = Array.from({ length: 10 }, (_, last) => `${body}${last}`).filter((each) =>
        Card.hasCheckDigit(Redacted.make(each))
      )
      expect(right).toHaveLength(1)
      const [sound = ""] = right
      const index = at % sound.length
      const slip = `${sound.slice(0, index)}${(Number(sound[index]) + by) % 10}${sound.slice(index + 1)}`
      expect(Card.hasCheckDigit(Redacted.make(slip))).toBe(false)
    }))
})

it("mask keeps the first 6 and last 4 digits and nothing else", () => {
  expect(Card.mask(Redacted.make("4242424242424242"))).toBe("424242******4242")
  return forAll([number], (digits) => {
    const masked = Card.mask(Redacted.make(digits))
    expect(masked).toHaveLength(digits.length)
    expect(masked).toBe(digits.slice(0, 6) + "*".repeat(digits.length - 10) + digits.slice(-4))
  })
})

describe("PayoutCardDetails", () => {
  const decode = Schema.decodeUnknownResult(PayoutCardDetails, { errors: "all" })
  const sound = { expMonth: "04", expYear: "2030", number: "4242424242424242", cvv: "123" }

  it("does not print number and cvv", () => {
    const card = Result.getOrThrow(decode(sound))
    const printed = [JSON.stringify(card.number), JSON.stringify(card), inspect(card)]
    for (const text of printed) expect(text).not.toMatch(/4242|123/)
    expect(card.number.label).toBe("card number")
    expect(card.cvv?.label).toBe("cvv")
    const token = Schema.decodeUnknownSync(Card.CardToken)("token-1")
    expect(token.label).toBe("cardToken")
  })

  it.each([
    ["expMonth", 'Expected a month as MM, such as "04"'],
    ["expYear", 'Expected a year as YYYY, such as "2030"'],
    ["number", "Expected 12 to 19 digits, without spaces or dashes"],
    ["cvv", "Expected 3 or 4 digits"]
  ])("says what %s is: %s", (field, message) => {
    expect(String(decode({ ...sound, [field]: "x" }))).toContain(message)
  })

  it.each([
    ["expMonth", "12"],
    ["number", "4".repeat(12)],
    ["number", "4".repeat(19)],
    ["cvv", "1234"]
  ])("accepts %s with the value %j", (field, value) => {
    expect(Result.isSuccess(decode({ ...sound, [field]: value }))).toBe(true)
  })

  it.each([
    ["expMonth", "4"],
    ["expMonth", "13"],
    ["expMonth", "00"],
    ["expMonth", "104"],
    ["expMonth", "041"],
    ["expYear", "30"],
    ["expYear", "20300"],
    ["expYear", "02030"],
    ["number", "4242 4242 4242 4242"],
    ["number", "4242"],
    ["number", "4".repeat(11)],
    ["number", "4".repeat(20)],
    ["cvv", "12"],
    ["cvv", "12345"],
    ["cvv", "12a"],
    ["cvv", "a123"]
  ])(
    "refuses %s with the value %j, and the error names the field and not the value",
    (field, value) => {
      const decoded = decode({ ...sound, [field]: value })
      expect(Result.isFailure(decoded)).toBe(true)
      if (Result.isSuccess(decoded)) return
      expect(String(decoded.failure)).toContain(`["${field}"]`)
      expect(String(decoded.failure)).not.toContain(JSON.stringify(value))
    }
  )
})
