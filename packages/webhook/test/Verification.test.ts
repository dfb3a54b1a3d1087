/**
 * The verifier as a plain function. `Verifier.test.ts` tests its results one by one.
 */
import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { Sign } from "@pawl/core/Checksum"
import type { Switches } from "@pawl/core/Profile"
import { maxBytes, type Options, verifyWith } from "../src/Verification.ts"
import { apm, card, checksum, incoming, search, secret } from "./service.ts"

const signs = (key: string) => (text: string) => createHmac("sha256", key).update(text).digest()
const verify = (options?: Partial<Options<Sign>>, profile?: Partial<Switches>) =>
  verifyWith({ current: signs(secret), ...options }, profile)

describe("a callback", () => {
  it("that is genuine is returned with its fields", () => {
    const request = incoming("apm", apm(), {
      search: search("apm", "apm-payment", { requestId: "order-17" })
    })
    expect(verify()(request)).toEqual({
      method: "apm",
      kind: "apm-payment",
      transactionId: "100001",
      ordered: { requestId: "order-17" },
      signed: { account: "4711", amount: "10.00", currency: "EUR", transactionId: "100001" },
      claim: "SUCCEED",
      quarantine: undefined,
      secret: "current",
      body: apm(),
      bytes: request.body
    })
  })

  it.each([
    [405, { method: "PUT" }],
    [413, { body: new Uint8Array(maxBytes + 1) }],
    [415, { contentType: "text/plain" }],
    [400, { body: Uint8Array.of(0xff) }],
    [400, { search: "" }],
    [401, { checksum: checksum("card", card({ mid: "mid-2" })) }]
  ])("that is not genuine is refused with %i and a reason", (status, changes) => {
    const reason = expect.any(String)
    expect(verify()(incoming("card", card(), changes))).toEqual({ status, reason })
  })
})

describe("the rules", () => {
  it("may have a previous secret", () => {
    const rotating = verify({ current: signs("new"), previous: signs(secret) })
    expect(rotating(incoming("card", card()))).toMatchObject({ secret: "previous" })
    expect(verify({ current: signs("new") })(incoming("card", card()))).toMatchObject({
      status: 401
    })
  })

  it("A01: without a secret verify no callback, not even one without a checksum", () => {
    for (const checksum of [undefined, ""]) {
      const signsNothing = verify({ current: () => new Uint8Array() })
      const answer = signsNothing(incoming("card", card(), { checksum }))
      expect(answer).toMatchObject({ status: 401 })
    }
  })

  it("may list the accounts of the merchant", () => {
    const request = incoming("card", card())
    expect(verify({ accounts: ["mid-1"] })(request)).toMatchObject({ claim: "SUCCEED" })
    expect(verify({ accounts: ["mid-2"] })(request)).toMatchObject({ status: 400 })
  })

  it("may decide whether a refund callback carries the id of the refund or of the payment", () => {
    const request = incoming("card", card({ refundId: "7" }))
    expect(verify()(request)).toMatchObject({ kind: "card", transactionId: "100001" })
    expect(verify({}, { refundCallbackId: "payment" })(request)).toMatchObject({
      kind: "card",
      transactionId: "100001",
      refundId: "7"
    })
  })
})
