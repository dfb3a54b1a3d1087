import { forAll } from "@pawl/test-support/Properties"
import { character } from "@pawl/test-support/Text"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as PortableHmac from "@pawl/core/Hmac"
import { Hmac } from "@pawl/core/Hmac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import fc from "fast-check"
import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as Checksum from "@pawl/core/Checksum"

const unit = fc.oneof(
  fc.string({ unit: character, minLength: 1, maxLength: 1 }),
  fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
  fc.constantFrom("\0", "|", "ü", "€")
)
const text = fc.string({ unit, maxLength: 200, size: "max" })

describe.each([
  ["NodeHmac", NodeHmac.keyed],
  ["PortableHmac", PortableHmac.keyed]
])("%s", (_name, keyed) => {
  it("encodes a lone surrogate as U+FFFD, in key and text", () => {
    const sign = keyed(Redacted.make("key \ufffd"))
    expect(keyed(Redacted.make("key \ud800"))("text \udfff!")).toEqual(sign("text \ufffd!"))
  })

  it("agrees with createHmac for every key and text, lone surrogates included", () =>
    forAll([text, fc.array(text, { maxLength: 3 })], (secret, signed) => {
      const sign = keyed(Redacted.make(secret))
      for (const each of signed) {
        expect(Hex.encode(sign(each))).toBe(createHmac("sha256", secret).update(each).digest("hex"))
      }
    }))

  it("agrees with createHmac at every length of key and text up to four blocks", () => {
    for (let length = 0; length <= 256; length++) {
      const some = "some text, ".repeat(24).slice(0, length)
      for (const [key, signed] of [
        [some, "text"],
        ["key", some]
      ] as const) {
        expect(Hex.encode(keyed(Redacted.make(key))(signed))).toBe(
          createHmac("sha256", key).update(signed).digest("hex")
        )
      }
    }
  })
})

it("both layers sign with a secret of text or of bytes", async () => {
  for (const secret of ["geheim-ß", Uint8Array.of(0, 1, 0x80, 0xff)]) {
    const expected = createHmac("sha256", secret).update("text").digest("hex")
    for (const { layer } of [NodeHmac, PortableHmac]) {
      const signed = await Hmac.use(({ keyed }) =>
        Effect.sync(() => keyed(Redacted.make(secret))("text"))
      ).pipe(Effect.provide(layer), Effect.runPromise)
      expect(Hex.encode(signed)).toBe(expected)
    }
  }
})

const secret = Redacted.make("sandbox-secret")

describe("matches", () => {
  it("holds exactly for equal texts", () => {
    const text = fc.string({ unit: character, maxLength: 60 })
    return forAll([text, text], (left, right) => {
      expect(Checksum.matches(left, left)).toBe(true)
      expect(Checksum.matches(left, right)).toBe(left === right)
    })
  })

  it("refuses a text that differs in one character, at any place", () => {
    const digest = "lkjauSsUvISRVrlorA9C6E8begn59tHswUr4NhQybeo="
    for (let at = 0; at < digest.length; at++) {
      expect(Checksum.matches(digest, `${digest.slice(0, at)}!${digest.slice(at + 1)}`)).toBe(false)
    }
  })

  it("refuses every other spelling of the same digest (A02)", () => {
    const digest = Checksum.callback(NodeHmac.keyed(secret), {
      account: "mid-1",
      amount: "10.00",
      currency: "EUR",
      transactionId: "100001"
    })
    const bytes = Buffer.from(digest, "base64")
    const spellings = [
      bytes.toString("hex"),
      digest.replace("=", ""),
      digest.replaceAll("+", "-").replaceAll("/", "_").replace("=", ""),
      ` ${digest}`,
      `${digest} `,
      `${digest}\u00a0`,
      `${digest.slice(0, 20)}\n${digest.slice(20)}`,
      `${digest}AAAA`,
      `${digest}!!`,
      digest.toLowerCase(),
      digest.slice(0, 43),
      digest.replace(/.=$/, "p="),
      ""
    ]
    expect(spellings.filter((each) => Checksum.matches(digest, each))).toEqual([])
  })
})
