import { forAll } from "@pawl/test-support/Properties"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { redaction } from "../src/internal/wire/Redaction.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")
const hex = (digit: string) => digit.charCodeAt(0).toString(16)
const hexOf = (text: string) => Buffer.from(text).toString("hex")

const forms: ReadonlyArray<(digit: string) => string> = [
  (digit) => digit,
  (digit) => `%${hex(digit)}`,
  (digit) => `%25${hex(digit)}`,
  (digit) => `%252525${hex(digit)}`,
  (digit) => `%u00${hex(digit)}`,
  (digit) => `=${hex(digit)}`,
  (digit) => `\\x${hex(digit)}`,
  (digit) => `\\u00${hex(digit)}`,
  (digit) => `\\\\u00${hex(digit)}`,
  (digit) => `\\u{${hex(digit)}}`,
  (digit) => `\\u{0000${hex(digit)}}`,
  (digit) => `\\U000000${hex(digit)}`,
  (digit) => `\\0${digit.charCodeAt(0).toString(8)}`,
  (digit) => `&#${digit.charCodeAt(0)};`,
  (digit) => `&#0${digit.charCodeAt(0)}`,
  (digit) => `&#x${hex(digit)};`,
  (digit) => `&#X00${hex(digit)};`,
  (digit) => `&amp;#${digit.charCodeAt(0)};`,
  (digit) => `&amp;amp;#x${hex(digit)};`,
  (digit) => `0x${hex(digit)}`,
  (digit) => `00${hex(digit)}`,
  (digit) => `_x00${hex(digit)}_`,
  (digit) => String(digit.charCodeAt(0)),
  (digit) => digit.charCodeAt(0).toString(2).padStart(8, "0"),
  (digit) => String.fromCharCode(digit.charCodeAt(0) - 0x30 + 0xff10),
  (digit) => String.fromCharCode(digit.charCodeAt(0) - 0x30 + 0x660),
  (digit) => String.fromCodePoint(digit.charCodeAt(0) - 0x30 + 0x1d7ce),
  (digit) => encodeURIComponent(String.fromCharCode(digit.charCodeAt(0) - 0x30 + 0xff10)),
  (digit) => `<b class="n1">${digit}</b>`,
  (digit) => `\u001b[31m${digit}\u001b[0m`
]

const separators = [
  " ",
  "-",
  "+",
  ".",
  "_",
  "\t",
  "\n",
  "\u200b",
  "\u00a0",
  "abc",
  '", "',
  "\\n",
  "%20",
  "%2D",
  "%2520",
  "%c3",
  "%C2%A0",
  "\\u00a0",
  "\\u{a0}",
  "&nbsp;",
  "&#160;",
  "&#xa0;",
  "<br/>",
  "<br>",
  "&lt;br/&gt;",
  "<wbr id='7'>",
  "<!-- 1 -->"
]

const wholes: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  hexOf,
  (text) => `0x${hexOf(text).toUpperCase()}`,
  (text) => (hexOf(text).match(/../gu) ?? []).join(":"),
  base64,
  (text) => `data:text/plain;base64,${base64(text)}`,
  (text) => base64(`card=${text}`),
  (text) => base64(`x${text}y`).replace(/[=]+$/u, ""),
  (text) => Buffer.from(`ab${text}`).toString("base64url"),
  (text) => (base64(text).match(/.{1,8}/gu) ?? []).join("\r\n"),
  (text) => base64(base64(text)),
  (text) => base64(hexOf(text)),
  (text) => encodeURIComponent(base64(text)),
  (text) => JSON.stringify({ card: JSON.stringify({ number: text }) }),
  (text) => base64(JSON.stringify({ number: text })),
  (text) => encodeURIComponent(JSON.stringify({ number: text }))
]

const number = fc.stringMatching(/^[0-9]{8,19}$/u)

describe("a number of 8 digits or more", () => {
  it("A34: is in no text, in whatever form its digits and the text are, and whatever is between them", () =>
    forAll(
      [
        number,
        fc.constantFrom(...forms),
        fc.array(fc.constantFrom(...separators), { maxLength: 5 }),
        fc.constantFrom(...wholes)
      ],
      (digits, form, between, whole) => {
        const quoted = Array.from(digits, (digit) => form(digit)).join(between.join(""))
        const text = `card ${whole(quoted)} no`
        fc.pre(text.length <= 1024)
        expect(redaction([digits])(text)).toMatch(/^(?:…|card (?:….{0,3}|\S*…\S*) no)$/u)
      }
    ))

  it("A34: is in no text in each form alone", () => {
    const card = "4929813274650194"
    for (const form of forms) {
      for (const between of ["", ...separators]) {
        const text = Array.from(card, form).join(between)
        if (text.length > 1024) continue
        expect([text, redaction([card])(`${text} ${form("1")}`)]).toEqual([
          text,
          expect.stringMatching(/^…(?: \S+)?$/u)
        ])
      }
    }
    const wide = (["hex", "base64"] as const).map(
      (name) => (text: string) => Buffer.from(text, "utf16le").toString(name)
    )
    for (const whole of [...wholes, ...wide]) {
      expect(redaction([card])(`at ${whole(card)}`)).not.toContain(whole(card))
    }
  })

  it("A34: is in no text that is cut within it after 11 digits", () =>
    forAll(
      [number, fc.nat(19), fc.nat(1024)],
      { examples: [["4929813274650194", 15, 1010]] },
      (digits, length, at) => {
        const shown = digits.slice(0, 11)
        // The service cuts the first text, and the reader the second.
        for (const text of [
          `card ${digits.slice(0, Math.max(length, 11))}`,
          `${"x".repeat(at)} ${digits}${" ".repeat(1024)}`
        ]) {
          expect(redaction([digits, "x".repeat(at)])(text)).not.toContain(shown)
        }
      }
    ))

  it("is removed however the request has it", () => {
    for (const value of ["4929 8132 7465 0194", "4929-8132-7465-0194"]) {
      expect(redaction([value])("4929813274650194")).toBe("…")
    }
  })

  it("is removed alone where it is quoted as it is", () => {
    expect(redaction(["49298132"])("card 49298132 no")).toBe("card … no")
  })

  it("is kept if it is another number, or has fewer digits", () => {
    expect(redaction(["49298132"])("4929----8133")).toBe("4929----8133")
    expect(redaction(["4929813"])("4929 813")).toBe("4929 813")
    expect(redaction(["49298132a"])("4929 8132a")).toBe("4929 8132a")
    expect(redaction(["a49298132"])("a4929 8132")).toBe("a4929 8132")
  })
})

describe("a text", () => {
  it("without a value of the request is returned as it is", () => {
    const text = "100%25 &amp; ５ \\x41 49298131 4929-8133"
    expect(redaction(["49298132", "secret-1"])(text)).toBe(text)
  })

  it("keeps a word that a value of the request has in markup", () => {
    expect(redaction(["<b>amount</b>"])("the amount is too small")).toBe("the amount is too small")
  })

  it("has no value of three characters or more, the longest first", () => {
    expect(redaction(["EUR", "EUR-1001", "10"])("EUR-1001 in EUR, 10")).toBe("… in …, 10")
    expect(redaction(["EUR-1001", "EUR"])("EUR-1001 in EUR, EUR-1001")).toBe("… in …, …")
  })

  it("A34: has no escaped value", () => {
    const units = Array.from(`"'\\/&<>+=aZ9 é\t😀`)
    const json = (text: string) => JSON.stringify(text).slice(1, -1)
    const html = (text: string) =>
      text.replace(/["'&<>]/gu, (each) => `&#${each.charCodeAt(0)};`).replace("&#34;", "&quot;")
    const escapes = [
      json,
      (text: string) => json(json(text)),
      (text: string) => json(text).replaceAll("/", "\\/"),
      (text: string) => json(text).replace(/[=+&<>']/gu, (each) => `\\u00${hex(each)}`),
      (text: string) => json(text).replace(/[^ -~]/gu, (each) => encodeURI(each)),
      encodeURIComponent,
      html
    ]
    return forAll(
      [
        fc.string({ minLength: 4, maxLength: 40, unit: fc.constantFrom(...units) }),
        fc.constantFrom(...escapes)
      ],
      (text, escape) => {
        const value = `key ${text} end`
        expect(redaction([value])(`at ${escape(value)}.`)).toMatch(/^(?:…|at ….)$/u)
      }
    )
  })

  it("has no access token that is longer than what is read", () => {
    const token = "aB3-".repeat(2048)
    expect(redaction([token])(`token ${token} has expired`)).toBe("token … has expired")
  })

  it("may have any length, and so may a value", () => {
    expect(redaction(["7".repeat(16_384)])("7777777")).toBe("7777777")
    const read = 16_384 + 1024
    for (const length of [16_384, 16_385, read - 1, read, read + 1, 1_048_576]) {
      const document = "aB3-".repeat(262_144).slice(0, length)
      expect(redaction([document, "EUR"])(`EUR ${document}`)).not.toContain("aB3")
    }
  })

  it("has no beginning of a value that is cut where the reading ends", () => {
    const documents = ["a", "b"].map((letter) => letter.repeat(8700))
    const text = `${documents.join(" ")} secret-of-the-customer`
    for (let spaces = 0; spaces < 20; spaces++)
      expect(
        redaction([...documents, "secret-of-the-customer"])(" ".repeat(spaces) + text)
      ).not.toContain("s")
  })

  it("has no value of 8 bytes or more in base64, whatever follows it", () =>
    forAll(
      [
        fc.string({ minLength: 7, maxLength: 23, unit: fc.constantFrom(..."abcXYZ-_.") }),
        fc.string({ maxLength: 5, unit: fc.constantFrom(..."abc") })
      ],
      (text, after) => {
        const value = `#${text}`
        const bytes = value.length - (value.length % 3)
        const rest = base64(value + after).slice(base64(value.slice(0, bytes)).length)
        expect(redaction([value])(`at ${base64(value + after)}`)).toBe(`at …${rest}`)
      }
    ))

  it("keeps the base64 of a shorter value", () => {
    expect(redaction(["seven-7"])(base64("seven-7"))).toBe(base64("seven-7"))
  })
})
