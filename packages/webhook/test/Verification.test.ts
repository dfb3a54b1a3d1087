/**
 * The verifier as a plain function; its answers one by one are in `Verifier.test.ts`, whose service it is.
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
  it("that is genuine is handed over, read", () => {
    const given = incoming("apm", apm(), {
      search: search("apm", "apm-payment", { requestId: "order-17" })
    })
    expect(verify()(given)).toEqual({
      method: "apm",
      kind: "apm-payment",
      transactionId: "100001",
      ordered: { requestId: "order-17" },
      signed: { account: "4711", amount: "10.00", currency: "EUR", transactionId: "100001" },
      claim: "SUCCEED",
      quarantine: undefined,
      secret: "current",
      body: apm(),
      bytes: given.body
    })
  })

  it.each([
    [405, { method: "PUT" }],
    [413, { body: new Uint8Array(maxBytes + 1) }],
    [415, { contentType: "text/plain" }],
    [400, { body: Uint8Array.of(0xff) }],
    [400, { search: "" }],
    [401, { checksum: checksum("card", card({ mid: "mid-2" })) }]
  ])("that is not is answered %i, and why", (status, changes) => {
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

  it("A01 that sign nothing verify nothing, not even what brings no checksum", () => {
    for (const given of [undefined, ""]) {
      const signsNothing = verify({ current: () => new Uint8Array() })
      const answer = signsNothing(incoming("card", card(), { checksum: given }))
      expect(answer).toMatchObject({ status: 401 })
    }
  })

  it("may name the accounts that are ours", () => {
    const given = incoming("card", card())
    expect(verify({ accounts: ["mid-1"] })(given)).toMatchObject({ claim: "SUCCEED" })
    expect(verify({ accounts: ["mid-2"] })(given)).toMatchObject({ status: 400 })
  })

  it("may say whose id a refund's callback has", () => {
    const given = incoming("card", card({ refundId: "7" }))
    expect(verify()(given)).toMatchObject({ kind: "card", transactionId: "100001" })
    expect(verify({}, { refundCallbackId: "payment" })(given)).toMatchObject({
      kind: "refund",
      transactionId: "7"
    })
  })
})
