import { forAll } from "@pawl/test-support/Properties"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as LenientResponse from "../src/internal/wire/Response.ts"

describe("C29 a field that is not as documented", () => {
  const text = Schema.optionalKey(Schema.String)
  const person = Schema.Struct({ email: Schema.String, city: text, status: text })
  const readCreate = LenientResponse.make(
    Schema.Struct({
      transactionId: Schema.String,
      refundId: Schema.optionalKey(Schema.NullOr(Schema.String)),
      transactionStatus: Schema.String,
      status: text,
      cardToken: text,
      note: text,
      person: Schema.optionalKey(person),
      order: Schema.optionalKey(Schema.Struct({ transactionId: Schema.String })),
      deep: Schema.optionalKey(Schema.Struct({ needed: Schema.String, person }))
    }),
    true
  )
  const named = { transactionId: "7", transactionStatus: "NEW" }

  it.each(["transactionId", "refundId", "transactionStatus", "status", "cardToken"])(
    "makes a response unreadable if it is %s",
    (name) => {
      expect(readCreate({ ...named, [name]: 7 })).toBeUndefined()
    }
  )

  it.each<[object, object, ReadonlyArray<string>]>([
    [{ note: true }, { note: "true" }, ["note"]],
    [{ note: 1e100 }, { note: "1e+100" }, ["note"]],
    [{ note: 7, refundId: null }, { note: "7", refundId: null }, ["note"]],
    [
      { person: { email: "a", status: 7 } },
      { person: { email: "a", status: "7" } },
      ["person.status"]
    ],
    [{ person: {} }, {}, ["person"]],
    [{ person: { city: 7 } }, {}, ["person"]],
    [{ person: "Ada" }, {}, ["person"]],
    [{ deep: { person: { email: 7, city: 7 } } }, {}, ["deep", "deep.person"]],
    [{ order: {}, transactionStatus: "FAILED" }, { transactionStatus: "FAILED" }, ["order"]]
  ])("is left out or converted: %j", (fields, read, names) => {
    expect(readCreate({ ...named, ...fields })).toEqual({
      value: { ...named, ...read },
      fields: names
    })
  })

  it("may be one of many", () => {
    const names = Array.from({ length: 20 }, (_, n) => `field${n}`)
    const readMany = LenientResponse.make(
      Schema.Struct(Object.fromEntries(names.map((name) => [name, text]))),
      false
    )
    expect(readMany(Object.fromEntries(names.map((name) => [name, 7])))).toEqual({
      value: Object.fromEntries(names.map((name) => [name, "7"])),
      fields: names
    })
  })

  it("may be the id of a create that was declined, and of no other response", () => {
    const transactionStatus = "FAILED"
    expect(readCreate({ transactionStatus, transactionId: null, refundId: null })).toEqual({
      value: { transactionStatus },
      fields: ["transactionId", "refundId"]
    })
    expect(readCreate({ transactionStatus })).toEqual({
      value: { transactionStatus },
      fields: ["transactionId"]
    })
    expect(readCreate({ transactionStatus: "NEW" })).toBeUndefined()
    expect(readCreate({ transactionId: "7" })).toBeUndefined()
    const readInfo = LenientResponse.make(
      Schema.Struct({ transactionId: Schema.String, transactionStatus: Schema.String }),
      false
    )
    expect(readInfo({ transactionStatus })).toBeUndefined()
    expect(readInfo({ transactionStatus, transactionId: null })).toBeUndefined()
  })

  it("needs an object around it", () => {
    for (const json of [undefined, null, "FAILED", 7, true, [], [{}]])
      expect([json, readCreate(json)]).toEqual([json, undefined])
  })
})

describe("C29 a number in place of a decimal text", () => {
  const decimal = Schema.String.check(Schema.isPattern(/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u))
  const readAmount = LenientResponse.make(
    Schema.Struct({ amount: Schema.optionalKey(decimal) }),
    false
  )

  it("is written without its exponent, with every digit", () =>
    forAll(
      [
        fc.constantFrom("", "-"),
        fc.stringMatching(/^(?:0|[1-9][0-9]{0,11})$/u),
        fc.stringMatching(/^[0-9]{0,6}$/u),
        fc.integer({ min: -99, max: 99 }),
        fc.constantFrom("e", "E")
      ],
      (sign, whole, fraction, exponent, letter) => {
        const point = fraction === "" ? "" : "."
        const plus = exponent >= 0 && exponent % 2 === 0 ? "+" : ""
        const amount = `${sign}${whole}${point}${fraction}${letter}${plus}${exponent}`
        const places = Math.max(0, fraction.length - exponent)
        const units = BigInt(whole + fraction) * 10n ** BigInt(exponent - fraction.length + places)
        const digits = String(units).padStart(places + 1, "0")
        const end = digits.length - places
        const rest = places === 0 ? "" : `.${digits.slice(end)}`
        expect(readAmount({ amount })).toEqual({
          value: { amount: `${sign}${digits.slice(0, end)}${rest}` },
          fields: ["amount"]
        })
      }
    ))

  it("of any other form counts as absent", () => {
    for (const amount of ["", "1.e1", ".5e1", "01e1", "1e", "1e100", "0x1", " 1e1", "1e1 ", "--1"])
      expect([amount, readAmount({ amount })]).toEqual([amount, { value: {}, fields: ["amount"] }])
  })

  it("is a whole number where the documentation has one", () => {
    const readCode = LenientResponse.make(
      Schema.Struct({ code: Schema.optionalKey(Schema.Int) }),
      false
    )
    for (const [code, value] of [
      ["51", { code: 51 }],
      ["51.00", { code: 51 }],
      ["5.1e1", { code: 51 }],
      ["-0", {}],
      ["51.50", {}],
      ["510.0510", {}],
      ["9007199254740993", {}],
      [true, {}]
    ] as const)
      expect([code, readCode({ code })?.value]).toEqual([code, value])
  })
})
