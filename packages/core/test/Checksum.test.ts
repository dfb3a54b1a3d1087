import { forAll } from "@pawl/test-support/Properties"
import { character } from "@pawl/test-support/Text"
import * as Checksum from "@pawl/core/Checksum"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Redacted from "effect/Redacted"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

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
