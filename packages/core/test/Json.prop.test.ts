import { forAll } from "@pawl/test-support/Properties"
import { character } from "@pawl/test-support/Text"
import * as Json from "@pawl/core/internal/Json"
import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const encode = (text: string) => new TextEncoder().encode(text)
const fault = (text: string) => Result.getOrElse(Result.flip(Json.fromText(text)), () => "no fault")
const value = (text: string) => Result.getOrThrow(Json.fromText(text))

const number = fc.stringMatching(
  /^-?(?:0|[1-9][0-9]{0,24})(?:\.[0-9]{1,5})?(?:[eE][+-]?[0-9]{1,3})?$/
)

describe("Json", () => {
  it("reads the output of JSON.stringify", () =>
    forAll([fc.jsonValue({ maxDepth: 6 })], (json) => {
      expect(Result.getOrThrow(Json.fromBytes(encode(JSON.stringify(json))))).toEqual(
        JSON.parse(JSON.stringify(json))
      )
    }))

  it("fails exactly where JSON.parse fails, or with a duplicate key, for texts within the limits", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"',
      "\\",
      "a",
      "1",
      "-",
      ".",
      " ",
      "null"
    )
    return forAll([fc.array(piece, { maxLength: 12 })], { numRuns: 2000 }, (pieces) => {
      const text = pieces.join("")
      const parsed = Result.try(() => JSON.parse(text) as unknown)
      const read = Json.fromText(text)
      if (Result.isSuccess(read)) expect(Result.isSuccess(parsed)).toBe(true)
      else expect(read.failure).toBe(Result.isFailure(parsed) ? "syntax" : "duplicate key")
      expect(Json.fromOwnText(text)).toEqual(read)
    })
  })

  it.each([
    ["", "line 1, column 1"],
    ['{"a": 1,}', "line 1, column 9"],
    ['{\n  "a": hunter2\n}', "line 2, column 8"],
    ['{\r\n  "a": {}\r\n  "b": 2}', "line 3, column 3"],
    ['{"a": [1, {"b": []}, }', "line 1, column 22"],
    ['{"a": [1}', "line 1, column 9"],
    ['{"a": 1]', "line 1, column 8"],
    ["{'a': 1}", "line 1, column 2"],
    ['{"a" 1}', "line 1, column 6"],
    ['{"a": "1\n"}', "line 1, column 7"],
    ['{"a": 01}', "line 1, column 8"],
    ["[1,]", "line 1, column 4"],
    ["{} {}", "line 1, column 4"],
    ['{"a": {"b": 1}, "b": {"a": 1},\n "\\u0061": 2}', "line 2, column 2"]
  ])("says at which place %j is no JSON or repeats a key", (text, place) => {
    expect(Result.isFailure(Json.fromOwnText(text))).toBe(true)
    expect(Json.placeOf(text)).toBe(place)
  })

  it("reads a text of its own user beyond the limits", () => {
    const members = Array.from({ length: Json.maxMembers + 1 }, (_, n) => `"${n}": ${n}`).join()
    expect(fault(`{${members}}`)).toBe("members")
    expect(Result.isSuccess(Json.fromOwnText(`{${members}}`))).toBe(true)
    expect(Json.fromOwnText(`{${members}, "0": 0}`)).toEqual(Result.fail("duplicate key"))
  })

  it("returns a number as text exactly if String writes it differently", () => {
    return forAll([number], (source) => {
      const read = value(`{"n":${source},"one":1,"text":"1.0"}`)
      const n = String(Number(source)) === source ? Number(source) : source
      expect(read).toEqual({ n, one: 1, text: "1.0" })
    })
  })

  it("does not change digits in strings", () => {
    expect(value('{"a":"10.00","b":"x\\"1.0"}')).toEqual({ a: "10.00", b: 'x"1.0' })
  })

  it("refuses a repeated key, also with escapes and in nested objects (A13)", () => {
    expect(fault('{"a":1,"a":2}')).toBe("duplicate key")
    expect(fault('{"transactionId":"1","\\u0074ransactionId":"2"}')).toBe("duplicate key")
    expect(fault('{"x":[{"a":{"b":1,"b":1}}]}')).toBe("duplicate key")
    expect(fault('{"__proto__":1,"__proto__":2}')).toBe("duplicate key")
    expect(fault('{"a":{"a":1},"b":{"a":1}}')).toBe("no fault")
  })

  it("keeps __proto__ as an ordinary key (A11)", () => {
    const read = value('{"__proto__":{"polluted":1}}')
    expect(Object.keys(Object(read))).toEqual(["__proto__"])
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  it("refuses any nesting deeper than 64 (A12)", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
    expect(fault(nested(64))).toBe("no fault")
    expect(fault(nested(65))).toBe("depth")
    expect(fault("[".repeat(1_000_000))).toBe("depth")
    expect(fault('{"a":'.repeat(1_000_000))).toBe("depth")
  })

  it("counts the nesting of arrays and objects that are closed as 0 (A12)", () => {
    expect(fault(`[${"[{}],".repeat(100)}0]`)).toBe("no fault")
  })

  it("accepts at most two thousand values, whatever a text of 64 KiB repeats (A25)", () => {
    const unit = fc.array(
      fc.constantFrom("[", "]", "{", "}", '"a":', '"b"', "1", "null", ",", " "),
      {
        minLength: 1,
        maxLength: 6
      }
    )
    const valuesIn = (json: unknown): number =>
      typeof json === "object" && json !== null
        ? Object.values(json).reduce((sum: number, each) => sum + valuesIn(each), 1)
        : 1
    const repeated = fc
      .tuple(unit, fc.constantFrom(["[", "]"], ['{"x":[', "]}"], ["", ""]))
      .map(([parts, [start = "", end = ""]]) => {
        const text = parts.join("")
        return start + text.repeat(Math.floor(65_536 / text.length)).replace(/,$/u, "") + end
      })
    const known = ["[]", "[],", "{},", "1,", '{"a":[]},', "[[]],", '"b",'].map(
      (text) => `[${text.repeat(Math.floor(60_000 / text.length)).replace(/,$/u, "")}]`
    )
    return forAll([fc.oneof(repeated, fc.constantFrom(...known))], { numRuns: 300 }, (text) => {
      const read = Json.fromText(text)
      if (Result.isSuccess(read)) expect(valuesIn(read.success)).toBeLessThanOrEqual(2002)
    })
  })

  it("refuses more than a thousand members (A25)", () => {
    const members = (count: number) =>
      JSON.stringify(
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
      )
    expect(fault(members(1000))).toBe("no fault")
    expect(fault(members(1001))).toBe("members")
  })

  it("refuses invalid UTF-8 and a byte order mark (A14)", () => {
    const refused = [
      Uint8Array.of(0x22, 0xff, 0x22),
      Uint8Array.of(0x22, 0xc0, 0xaf, 0x22),
      Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22),
      Uint8Array.of(0xff, 0xfe, 0x31, 0x00)
    ]
    for (const bytes of refused) expect(Json.fromBytes(bytes)).toEqual(Result.fail("encoding"))
    expect(Json.fromBytes(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toEqual(Result.fail("syntax"))
  })
})

describe("a draft", () => {
  const draft = (text: string) => Json.draftBytes(encode(text))
  /** A value with a number in it, and the source text if it is a number. */
  const member = fc.oneof(
    fc.record({ text: number, source: fc.constant("number") }),
    fc
      .tuple(number, fc.constantFrom("[N]", "[[],N]", '{"k":N}', '{"k":[{"k":N}]}', '"N"', "null"))
      .map(([source, shape]) => ({ text: shape.replace("N", source), source: undefined }))
  )
  const body = fc.uniqueArray(fc.tuple(fc.string({ maxLength: 3, unit: character }), member), {
    selector: ([name]) => name
  })
  const space = fc.constantFrom("", " ", "\n")

  it("has the source of each number of the outermost object, and of nothing else", () =>
    forAll([body, space], (members, gap) => {
      const written = members.map(
        ([name, { text }]) => `${JSON.stringify(name)}${gap}:${gap}${text}${gap}`
      )
      const text = `{${written.join()}}`
      const read = draft(text)
      if ("fault" in read) return expect.unreachable(`${read.fault}: ${text}`)
      expect(read.json).toEqual(JSON.parse(text))
      expect(read.exact()).toEqual(value(text))
      for (const [name, { source, text }] of members)
        expect(read.sourceOf(name)).toBe(source && text)
      expect(read.sourceOf("no such name")).toBeUndefined()
    }))

  it("is refused exactly as the value is", () => {
    for (const text of ["{", "{:", '{"a":1,"a":2}', "[".repeat(65), ""])
      expect(draft(text)).toEqual({ fault: fault(text) })
    expect(Json.draftBytes(Uint8Array.of(0xff))).toEqual({ fault: "encoding" })
  })
})
