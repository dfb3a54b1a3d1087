/**
 * The removal of the values of a request from texts of the service, in whatever form it quotes them.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { redaction } from "../src/internal/wire/ErrorResponse.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")
const hex = (digit: string) => digit.charCodeAt(0).toString(16)

/** The forms in which a service may quote a digit. */
const forms: ReadonlyArray<(digit: string) => string> = [
  (digit) => digit,
  (digit) => `%${hex(digit)}`,
  (digit) => `\\x${hex(digit)}`,
  (digit) => `\\u00${hex(digit)}`,
  (digit) => `&#${digit.charCodeAt(0)};`,
  (digit) => `&#x${hex(digit)};`,
  (digit) => `&#X00${hex(digit)};`,
  (digit) => String.fromCharCode(digit.charCodeAt(0) - 0x30 + 0xff10)
]

/** The separators between two digits, each decoded to one character. */
const separators = [" ", "-", "+", "\u200b", "%20", "%2D", "%2d", "&nbsp;", "&#160;", "%c3", "\t"]

const number = fc.stringMatching(/^[0-9]{8,19}$/u)

describe("a number of 8 digits or more", () => {
  it("is removed in every form, with up to three separators between two digits", () =>
    fc.assert(
      fc.property(
        number,
        fc.constantFrom(...forms),
        fc.array(fc.constantFrom(...separators), { maxLength: 3 }),
        (digits, form, between) => {
          const quoted = Array.from(digits, (digit) => form(digit)).join(between.join(""))
          expect(redaction([digits])(`card ${quoted} no`)).toBe("card … no")
        }
      ),
      // The expression of a number has classes of Unicode, which take milliseconds to compile.
      { numRuns: 30 }
    ))

  it("is removed however the request has it", () => {
    for (const value of ["4929 8132 7465 0194", "4929-8132-7465-0194"]) {
      expect(redaction([value])("4929813274650194")).toBe("…")
    }
  })

  it("is kept with four separators, and so is one of 7 digits with one", () => {
    expect(redaction(["49298132"])("4929----8132")).toBe("4929----8132")
    expect(redaction(["4929813"])("4929 813")).toBe("4929 813")
    expect(redaction(["49298132a"])("4929 8132a")).toBe("4929 8132a")
    expect(redaction(["a49298132"])("a4929 8132")).toBe("a4929 8132")
  })

  it("is returned in the decoded text, whose characters beyond ASCII are spaces", () => {
    const remove = redaction(["49298132"])
    expect(remove("49298132 &lt;%41&#127;&#128;&#233;")).toBe("…  A\u007f  ")
    expect(remove("49298132 &#x; &#; &;")).toBe("… &#x; &#; &;")
  })
})

describe("a text", () => {
  it("without a value of the request is returned as it is", () => {
    const text = "100%25 &amp; ５ \\x41 49298131 4929-8133"
    expect(redaction(["49298132", "secret-1"])(text)).toBe(text)
  })

  it("has no value of three characters or more, the longest first", () => {
    expect(redaction(["EUR", "EUR-1001", "10"])("EUR-1001 in EUR, 10")).toBe("… in …, 10")
    expect(redaction(["EUR-1001", "EUR"])("EUR-1001 in EUR, EUR-1001")).toBe("… in …, …")
  })

  it("has no value of 8 bytes or more in base64, whatever follows it", () =>
    fc.assert(
      fc.property(
        fc.string({ minLength: 7, maxLength: 23, unit: fc.constantFrom(..."abcXYZ-_.") }),
        fc.string({ maxLength: 5, unit: fc.constantFrom(..."abc") }),
        (text, after) => {
          const value = `#${text}`
          const bytes = value.length - (value.length % 3)
          const rest = base64(value + after).slice(base64(value.slice(0, bytes)).length)
          expect(redaction([value])(`at ${base64(value + after)}`)).toBe(`at …${rest}`)
        }
      )
    ))

  it("keeps the base64 of a shorter value", () => {
    expect(redaction(["seven-7"])(base64("seven-7"))).toBe(base64("seven-7"))
  })
})
