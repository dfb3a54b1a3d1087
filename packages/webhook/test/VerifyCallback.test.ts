/** `Verifier.test.ts` tests the results one by one. */
import { createHmac } from "node:crypto"
import { describe, expect, it, vi } from "vitest"
import type { Sign } from "@pawl/core/Checksum"
import type { Switches } from "@pawl/core/Profile"
import { type Options, verifyWith } from "../src/VerifyCallback.ts"
import { card, incoming, search, secret, sign } from "@pawl/test-support/Service"

const signs = (key: string) => (text: string) => createHmac("sha256", key).update(text).digest()
const verify = (options?: Partial<Options<Sign>>, profile?: Partial<Switches>) =>
  verifyWith({ current: signs(secret), ...options }, profile)

it("a forged callback costs the same work while secrets are rotated and at other times", () => {
  for (const previous of [undefined, signs("previous")]) {
    const current = vi.fn<Sign>(signs(secret))
    const before = previous && vi.fn<Sign>(previous)
    const result = verify({ current, previous: before })(
      incoming("card", card(), { checksum: "forged" })
    )
    expect(result).toMatchObject({ status: 401 })
    expect(current.mock.calls.length + (before?.mock.calls.length ?? 0)).toBe(2)
  }
})

const types = ["text/plain", "application/x-www-form-urlencoded", "", undefined]
const request = (contentType: string | undefined) => incoming("card", card(), { contentType })

it("a content type does not count with callbackContentType any, and the checksum still does", () => {
  for (const contentType of types) {
    expect(verify()(request(contentType))).toMatchObject({ status: 415 })
    const any = verify({}, { callbackContentType: "any" })
    expect(any(request(contentType))).toMatchObject({ claim: "SUCCEED" })
    expect(any({ ...request(contentType), checksum: "forged" })).toMatchObject({ status: 401 })
    const form = new TextEncoder().encode("transactionStatus=SUCCEED")
    expect(any({ ...request(contentType), body: form })).toMatchObject({ status: 400 })
  }
})

describe("a body with numbers", () => {
  const numbers = { ...card(), transactionId: 1, list: Array.from({ length: 9 }, () => 0.5) }
  const text = JSON.stringify(numbers)
    .replaceAll("0.5", "0.50")
    .replace('"10.00"', "10.00")
    .replace('"orderAmount"', String.raw`"order\u0041mount"`)
  const request = (checksum: string) =>
    incoming("card", card(), { body: new TextEncoder().encode(text), checksum })

  it("has its signed fields verified, and its other fields kept, exactly as they were sent", () => {
    const result = verify()(request(sign(["mid-1", "10.00", "EUR", "1"])))
    expect(result).toMatchObject({
      signed: { amount: "10.00", transactionId: "1" },
      body: { orderAmount: "10.00", transactionId: 1, list: numbers.list.map(() => "0.50") }
    })
  })

  it("A38: has them read exactly only after its checksum", () => {
    const parse = vi.spyOn(JSON, "parse")
    const exactParses = () => parse.mock.calls.filter(([, reviver]) => reviver !== undefined).length
    expect(verify()(request("forged"))).toMatchObject({ status: 401 })
    expect(exactParses()).toBe(0)
    expect(verify()(request(sign(["mid-1", "10.00", "EUR", "1"])))).toMatchObject({
      claim: "SUCCEED"
    })
    expect(exactParses()).toBe(1)
    parse.mockRestore()
  })
})

describe("the rules", () => {
  it("A01: without a secret verify no callback, not even one without a checksum", () => {
    for (const checksum of [undefined, ""]) {
      const signsNothing = verify({ current: () => new Uint8Array() })
      const answer = signsNothing(incoming("card", card(), { checksum }))
      expect(answer).toMatchObject({ status: 401 })
    }
  })

  it("with the id of the payment changes only callbacks that may be those of a refund", () => {
    const requestId = { requestId: "order-17" }
    const ofKind = (
      kind: "card-payment" | "refund",
      profile: Partial<Switches> = { refundCallbackId: "payment" }
    ) => {
      const asked = { search: search("card", kind, requestId) }
      return verify({}, profile)(incoming("card", card({ refundId: "7" }), asked))
    }
    const kept = { refundId: undefined, ordered: requestId }
    expect(ofKind("card-payment")).toMatchObject({ kind: "card-payment", ...kept })
    expect(ofKind("refund")).toMatchObject({ kind: "card", refundId: "7", ordered: undefined })
    expect(ofKind("refund", {})).toMatchObject({ kind: "refund", ...kept })
  })
})

it("a body that is no JSON is refused with the fault, and one that is no object", () => {
  const refusal = (body: Uint8Array) => verify()(incoming("card", card(), { body }))
  const reason = "the body is not valid JSON: encoding"
  expect(refusal(Uint8Array.of(0xff))).toEqual({ status: 400, reason })
  for (const text of ["null", "1", "[]"]) {
    const reason = "the body is not a JSON object"
    expect(refusal(new TextEncoder().encode(text))).toEqual({ status: 400, reason })
  }
})

it("a secret that is the current and the previous one counts as the current one", () => {
  const both = verify({ previous: signs(secret) })
  expect(both(incoming("card", card()))).toMatchObject({ secret: "current" })
})
