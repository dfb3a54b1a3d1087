import { IntegerText, TextOrInteger } from "@pawl/core/internal/JsonNumber"
import { BillingDetails, Order } from "@pawl/core/internal/RequestBodies"
import {
  ApmBillingDetailsDto,
  BillingDetailsDto,
  OrderDto,
  Url
} from "@pawl/core/internal/SharedFields"
import * as Transaction from "@pawl/core/Transaction"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as JsonNumber from "../src/internal/JsonNumber.ts"

const accepts = (schema: Schema.Codec<unknown, unknown>, value: unknown): boolean =>
  Schema.decodeUnknownExit(schema)(value)._tag === "Success"

const cases: ReadonlyArray<
  readonly [
    name: string,
    schema: Schema.Codec<unknown, unknown>,
    message: string,
    accepted: ReadonlyArray<unknown>,
    refused: ReadonlyArray<unknown>
  ]
> = [
  [
    "a transactionId",
    Transaction.TransactionId,
    "Expected 1 to 128 characters without control characters",
    ["a", "A-_9", "r:1.2/3", "a b", "é", "a|", "a".repeat(128), "\u{1f600}", 0, 7, 2 ** 53, 1e20],
    ["", "a\n", "\u0085", "\ud800", "a".repeat(129), 1.5, Number.NaN, true, null]
  ],
  [
    "an integer",
    IntegerText,
    "Expected an integer",
    [0, 7, "0", "9007199254740993", `1${"0".repeat(127)}`],
    ["", "-1", "+1", "00", "01", "1.0", " 1", "1 ", `1${"0".repeat(128)}`, 1.5, 1e21, null]
  ],
  [
    "a requestId",
    Transaction.RequestId,
    'Expected 1 to 128 characters without "|" and control characters',
    ["a", " ", "é", "a".repeat(128)],
    ["", "|", "a|", "|a", "a\n", "\u0000a", "\ud800", "a".repeat(129), 7]
  ],
  [
    "an accountId",
    Transaction.AccountId,
    "Expected 1 to 128 digits",
    ["7", "0077", "7".repeat(128)],
    ["", "a", "7|7", "-7", " 7", "7\n", "7".repeat(129), 7]
  ],
  [
    "a URL",
    Url,
    "Expected an absolute http(s) URL",
    ["http://a", "https://a/b?c#d"],
    ["", "https://", "ftp://a", "xhttps://a", "https://a b", "https://a\n", "HTTPS://a", "//a"]
  ]
]

describe.each(cases)("%s", (_, schema, message, accepted, refused) => {
  it("is accepted up to its bounds, and refused beyond them", () => {
    for (const value of accepted) expect([value, accepts(schema, value)]).toEqual([value, true])
    for (const value of refused) expect([value, accepts(schema, value)]).toEqual([value, false])
  })

  it("is refused with a message that says what is expected", () => {
    for (const text of refused.filter((value) => typeof value === "string"))
      expect(String(Schema.decodeUnknownExit(schema)(text))).toContain(message)
  })
})

describe("a number in place of a text", () => {
  it("is read with all its digits", () => {
    const read = Schema.decodeUnknownSync(IntegerText)
    expect([7, "12345678901234567890"].map((value) => read(value))).toEqual([
      "7",
      "12345678901234567890"
    ])
  })

  it("is written as a number, and as raw JSON where a number would lose digits", () => {
    const write = Schema.encodeSync(IntegerText)
    expect(write("7")).toBe(7)
    const raw = write("12345678901234567890")
    expect(JSON.stringify([raw])).toBe("[12345678901234567890]")
    expect(Schema.decodeUnknownSync(IntegerText)(raw)).toBe("12345678901234567890")
  })

  it("has no fraction", () => {
    expect(String(Schema.decodeUnknownExit(JsonNumber.Integer)(1.5))).toContain("an integer")
  })

  it("is written as a text where the service accepts both", () => {
    expect(Schema.encodeSync(TextOrInteger)("7")).toBe("7")
  })
})

describe("a customer and an order", () => {
  const formats: ReadonlyArray<
    readonly [Schema.Codec<unknown, unknown>, object, string, ReadonlyArray<string>, string]
  > = [
    [
      BillingDetails,
      { email: "ada@shop.example" },
      "country",
      ["lv", "LVA", "L", "xLV", ""],
      'Expected a country, such as "LV"'
    ],
    [
      BillingDetails,
      { email: "ada@shop.example" },
      "dateOfBirth",
      ["2030-02-30", "2030-2-1", "2030-01-01T00:00:00Z", ""],
      "Expected a date, YYYY-MM-DD"
    ],
    [
      Order,
      {},
      "date",
      ["2030-02-30", "2030-02-30T00:00:00Z", "today"],
      "Expected a date, ISO 8601"
    ]
  ]

  it("have their formats", () => {
    for (const [schema, fields, name, texts, message] of formats) {
      const valid = name === "country" ? "LV" : "2030-01-31"
      expect(accepts(schema, { ...fields, [name]: valid })).toBe(true)
      for (const text of texts)
        expect(String(Schema.decodeUnknownExit(schema)({ ...fields, [name]: text }))).toContain(
          message
        )
    }
  })

  it("have any text where the service sends them", () => {
    const person = { email: "", country: "Latvia", dateOfBirth: "long ago" }
    expect(accepts(BillingDetailsDto, person)).toBe(true)
    expect(accepts(ApmBillingDetailsDto, person)).toBe(true)
    expect(accepts(OrderDto, { date: "today" })).toBe(true)
  })
})
