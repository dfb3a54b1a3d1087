import { forAll } from "@pawl/test-support/Properties"
import * as Amount from "@pawl/core/Amount"
import { AmountFromNumber } from "@pawl/core/internal/JsonNumber"
import * as Json from "@pawl/core/internal/Json"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const EUR = Amount.Currency.make("EUR")
const JPY = Amount.Currency.make("JPY")
const KWD = Amount.Currency.make("KWD")

const amount = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.constantFrom(0, 1, 2), fc.nat({ max: 99 }))
  .map(([whole, decimals, fraction]) => {
    const digits = String(fraction).padStart(2, "0").slice(0, decimals)
    return Amount.Amount.make(decimals === 0 ? String(whole) : `${whole}.${digits}`)
  })
const cents = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, "0"))
}

describe("parse", () => {
  it("accepts every amount and keeps its text", () =>
    forAll([amount], (text) => {
      expect(Amount.parse(text)).toEqual(Result.succeed(text))
    }))

  it.each([
    "1e2",
    "+10",
    "-10",
    " 10.00",
    "10.00 ",
    "１０",
    "10,00",
    "010",
    "10.001",
    "NaN",
    "Infinity",
    "",
    ".5",
    "5.",
    "9".repeat(19),
    "١٠",
    "10\u200b",
    "0x10",
    "1_000"
  ])("refuses %j, and the error does not repeat it (A16)", (text) => {
    const parsed = Amount.parse(text)
    expect(Result.isFailure(parsed)).toBe(true)
    if (text.length > 3) expect(JSON.stringify(parsed)).not.toContain(text)
  })
})

it("a fault says what is expected", () => {
  const faults = [
    [
      Amount.parse("9".repeat(19)),
      'with at most 18 digits before the point and two after it, such as "10.50"'
    ],
    [Amount.round("x", { mode: "ceil" }), "without sign or exponent"],
    [Amount.toMinorUnits(Amount.Amount.make("10"), Amount.Currency.make("ZZZ")), "does not list"],
    [Amount.fromMinorUnits(10n, Amount.Currency.make("ZZZ")), "does not list"]
  ] as const
  for (const [result, words] of faults) {
    const fault = Result.getOrThrow(Result.flip<unknown, Amount.AmountFault>(result))
    expect(fault._tag).toBe("AmountFault")
    expect(fault.message).toContain(words)
  }
  expect(() => Schema.decodeSync(Amount.Currency)("eur")).toThrow('such as "EUR"')
})

describe("arithmetic", () => {
  it("adds exactly", () =>
    forAll([amount, amount], (left, right) => {
      const sum = Result.getOrThrow(Amount.add(left, right))
      expect(cents(sum)).toBe(cents(left) + cents(right))
    }))

  it("compares numerically, with any number of decimals", async () => {
    await forAll([amount, amount], (left, right) => {
      const expected = cents(left) < cents(right) ? -1 : cents(left) > cents(right) ? 1 : 0
      expect(Amount.compare(left, right)).toBe(expected)
    })
    expect(Amount.compare(Amount.Amount.make("10"), Amount.Amount.make("10.00"))).toBe(0)
  })
})

describe("round", () => {
  const round = (text: string, mode: Amount.RoundingMode, decimals?: 0 | 1 | 2) =>
    Result.getOrElse(
      Amount.round(text, { mode, ...(decimals !== undefined && { decimals }) }),
      () => "refused"
    )

  it.each([
    ["10.005", "half-from-zero", "10.01"],
    ["10.005", "half-even", "10.00"],
    ["10.015", "half-even", "10.02"],
    ["10.009", "to-zero", "10.00"],
    ["10.001", "ceil", "10.01"],
    ["0.995", "half-from-zero", "1.00"],
    ["10", "half-even", "10.00"]
  ] as const)("rounds %s by %s to %s", (text, mode, expected) => {
    expect(round(text, mode)).toBe(expected)
  })

  it("rounds to fewer decimals on request", () => {
    expect(round("10.5", "half-from-zero", 0)).toBe("11")
    expect(round("10.45", "half-from-zero", 1)).toBe("10.5")
  })

  it("changes an amount by at most half a cent, and keeps one with two decimals", () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.stringMatching(/^[0-9]{1,12}$/))
      .map(([whole, fraction]) => `${whole}.${fraction}`)
    return forAll([decimal], (text) => {
      const rounded = cents(round(text, "half-from-zero"))
      const [whole = "", fraction = ""] = text.split(".")
      const exact = BigInt(whole + fraction.padEnd(12, "0"))
      const distance = rounded * 10n ** 10n - exact
      expect(distance <= 5n * 10n ** 9n && distance > -5n * 10n ** 9n).toBe(true)
    })
  })

  it("reads at most 40 digits before and behind the point", () => {
    const zeros = (digits: number) => "0".repeat(digits)
    expect(round(`${zeros(40)}.${zeros(40)}`, "half-even")).toBe("0.00")
    expect(round(`${zeros(41)}.0`, "half-even")).toBe("refused")
    expect(round(`0.${zeros(41)}`, "half-even")).toBe("refused")
  })

  it.each(["-1", "1e3", "", "abc", "1.2.3"])("refuses %j", (text) => {
    expect(round(text, "half-even")).toBe("refused")
  })
})

describe("minor units", () => {
  it("have the decimals of ISO 4217, not of a locale", () => {
    const decimals = (code: string) => Amount.decimals(Amount.Currency.make(code))
    const codes = ["EUR", "JPY", "KWD", "HUF", "IDR", "CLF", "ISK", "MGA", "MRU", "UYW"]
    expect(codes.map(decimals)).toEqual([2, 0, 3, 2, 2, 4, 0, 2, 2, 4])
    expect(decimals("ZZZ")).toBeUndefined()
  })

  it("convert to an amount and back", () =>
    forAll(
      [fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.constantFrom(EUR, JPY)],
      (units, currency) => {
        const text = Result.getOrThrow(Amount.fromMinorUnits(units, currency))
        expect(Amount.toMinorUnits(text, currency)).toEqual(Result.succeed(units))
      }
    ))

  it("refuse an amount that the service would round, and a fraction of a unit", () => {
    expect(Result.isFailure(Amount.fromMinorUnits(1055n, KWD))).toBe(true)
    expect(Amount.fromMinorUnits(1050n, KWD)).toEqual(Result.succeed("1.05"))
    expect(Amount.toMinorUnits(Amount.Amount.make("1.05"), KWD)).toEqual(Result.succeed(1050n))
    expect(Result.isFailure(Amount.toMinorUnits(Amount.Amount.make("10.50"), JPY))).toBe(true)
    expect(Amount.toMinorUnits(Amount.Amount.make("10.00"), JPY)).toEqual(Result.succeed(10n))
    expect(Result.isFailure(Amount.fromMinorUnits(-1n, EUR))).toBe(true)
  })
})

describe("format", () => {
  it("shows all digits with the decimals of the currency", () => {
    const exact = Amount.Amount.make("12345678901234567.89")
    expect(Amount.format(exact, EUR, "en")).toBe("€12,345,678,901,234,567.89")
    expect(Amount.format(Amount.Amount.make("10.5"), EUR, "en")).toBe("€10.50")
    expect(Amount.format(Amount.Amount.make("1000"), JPY, "en")).toBe("¥1,000")
  })

  it.each([
    ["AFN", "AFN\u00a010.50", "1050"],
    ["IQD", "IQD\u00a010.500", "10500"],
    ["ALL", "ALL\u00a010.50", "1050"]
  ])("shows %s with the decimals of ISO 4217, where locales show none", (code, text, units) => {
    const amount = Amount.Amount.make("10.5")
    const currency = Amount.Currency.make(code)
    expect(Amount.format(amount, currency, "en")).toBe(text)
    expect(Amount.toMinorUnits(amount, currency)).toEqual(Result.succeed(BigInt(units)))
  })
})

describe("format of an amount with other decimals than its currency", () => {
  it("hides no digit", () => {
    expect(Amount.format(Amount.Amount.make("10.5"), JPY, "en")).toBe("¥10.5")
    expect(Amount.format(Amount.Amount.make("10.5"), KWD, "en")).toBe("KWD\u00a010.500")
  })

  it("shows two decimals of a currency that ISO 4217 does not list", () => {
    const unlisted = Amount.Currency.make("ZZZ")
    expect(Amount.format(Amount.Amount.make("10.5"), unlisted, "en")).toBe("ZZZ\u00a010.50")
  })
})

describe("B06: totalAmount", () => {
  const codec = Schema.toCodecJson(Schema.Struct({ totalAmount: AmountFromNumber }))
  const decode = Schema.decodeUnknownSync(codec)

  it.each(["10.50", "0.1", "0.30000000000000004", "12345678901234567890.12", "10", "1000000"])(
    "reads the number %s as that text, and writes the same digits",
    (source) => {
      const text = `{"totalAmount":${source}}`
      const read = decode(Result.getOrThrow(Json.fromText(text)))
      expect(read).toEqual({ totalAmount: source })
      expect(JSON.stringify(Schema.encodeSync(codec)(read))).toBe(text)
    }
  )

  it.each([`1${"0".repeat(30)}.5`, `0.${"1".repeat(30)}`])("reads %s", (source) => {
    expect(decode({ totalAmount: source })).toEqual({ totalAmount: source })
  })

  it.each(["1e400", "1E2", "-0.0e1", "true", "[]", `1${"0".repeat(31)}.5`, `0.${"1".repeat(31)}`])(
    "refuses %s",
    (source) => {
      expect(() => decode(Result.getOrThrow(Json.fromText(`{"totalAmount":${source}}`)))).toThrow(
        /totalAmount/
      )
    }
  )
})
