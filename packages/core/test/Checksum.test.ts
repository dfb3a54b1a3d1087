import { character } from "@pawl/test-support/Text"
import * as Checksum from "@pawl/core/Checksum"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Hmac from "@pawl/core/Hmac"
import * as Redacted from "effect/Redacted"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const secret = Redacted.make("sandbox-secret")
const hmacs = [
  ["NodeHmac", NodeHmac.keyed],
  ["Hmac", Hmac.keyed]
] as const

describe.each(hmacs)("the request checksum, by %s", (_name, keyed) => {
  const sign = keyed(secret)
  const fields = { accountId: "acc-1", requestId: "req-1", amount: "10.00", currency: "EUR" }

  // printf '%s' 'acc-1|req-1|10.00|EUR' | openssl dgst -sha256 -hmac sandbox-secret -hex
  it("joins accountId, requestId, amount and currency with a bar, in hex", () => {
    expect(Checksum.request(sign, "|", fields)).toBe(
      "69c45d20b85eaacf18861cceb4fa43632569a0394f1857e6bdd7855e207c9278"
    )
  })

  // printf '%s' 'acc-1req-110.00EUR' | openssl dgst -sha256 -hmac sandbox-secret -hex
  it("joins them with an empty separator", () => {
    expect(Checksum.request(sign, "", fields)).toBe(
      "47a83dffdbc8fec3e0b9c2ca915690180d8a2ea3e5e6ec83f9c55299b46fc378"
    )
  })
})

describe.each(hmacs)("the callback checksum, by %s", (_name, keyed) => {
  const sign = keyed(secret)
  const card = { account: "mid-1", amount: "10.00", currency: "EUR", transactionId: "100001" }

  // printf '%s' 'mid-1|10.00|EUR|100001' | openssl dgst -sha256 -hmac sandbox-secret -binary | openssl base64
  it("joins mid, orderAmount, orderCurrency and transactionId with a bar, in base64", () => {
    expect(Checksum.callback(sign, card)).toBe("lkjauSsUvISRVrlorA9C6E8begn59tHswUr4NhQybeo=")
  })

  // printf '%s' '4711|10|EUR|100001' | openssl dgst -sha256 -hmac sandbox-secret -binary | openssl base64
  it("signs the amount as it was sent", () => {
    expect(Checksum.callback(sign, { ...card, account: "4711", amount: "10" })).toBe(
      "LR3HGfrBmgYNLXsMTY9Sllu0rCqPIikN5QCCw2vNS7o="
    )
  })

  // printf '%s' 'mid-ü|10.00|EUR|100001' | openssl dgst -sha256 -hmac 'geheim-ß' -binary | openssl base64
  it("signs texts and keys as UTF-8", () => {
    expect(Checksum.callback(keyed(Redacted.make("geheim-ß")), { ...card, account: "mid-ü" })).toBe(
      "LzOH/e0DrMoK+mRlA6y398Iy0e37OfBzAJve35w+EL8="
    )
  })
})

describe("matches", () => {
  it("holds exactly for equal texts", () => {
    const text = fc.string({ unit: character, maxLength: 60 })
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(Checksum.matches(left, left)).toBe(true)
        expect(Checksum.matches(left, right)).toBe(left === right)
      })
    )
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
