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
import * as HmacSha256 from "../src/internal/HmacSha256.ts"

const bytes = (length: number, byte: number) => new Uint8Array(length).fill(byte)
const ascii = (text: string) => new TextEncoder().encode(text)

/** RFC 4231, section 4: key, data, and HMAC-SHA256; case 5 has only the first half. */
const published: ReadonlyArray<readonly [number, Uint8Array, Uint8Array, string]> = [
  [
    1,
    bytes(20, 0x0b),
    ascii("Hi There"),
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
  ],
  [
    2,
    ascii("Jefe"),
    ascii("what do ya want for nothing?"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
  ],
  [
    3,
    bytes(20, 0xaa),
    bytes(50, 0xdd),
    "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
  ],
  [
    4,
    Uint8Array.from({ length: 25 }, (_, index) => index + 1),
    bytes(50, 0xcd),
    "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
  ],
  [5, bytes(20, 0x0c), ascii("Test With Truncation"), "a3b6167473100ee06e0c796c2955552b"],
  [
    6,
    bytes(131, 0xaa),
    ascii("Test Using Larger Than Block-Size Key - Hash Key First"),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
  ],
  [
    7,
    bytes(131, 0xaa),
    ascii(
      "This is a test using a larger than block-size key and a larger than block-size data. " +
        "The key needs to be hashed before being used by the HMAC algorithm."
    ),
    "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
  ]
]

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

  it("agrees with createHmac for every key and text, lone surrogates included", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (secret, signed) => {
        const sign = keyed(Redacted.make(secret))
        for (const each of signed) {
          expect(Hex.encode(sign(each))).toBe(
            createHmac("sha256", secret).update(each).digest("hex")
          )
        }
      })
    )
  })

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

describe("the portable HMAC", () => {
  it.each(published)("agrees with case %i of RFC 4231", (_number, key, data, expected) => {
    const mac = Hex.encode(HmacSha256.keyed(key)(data))
    expect(mac.slice(0, expected.length)).toBe(expected)
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
