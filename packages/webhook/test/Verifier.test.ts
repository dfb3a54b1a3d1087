import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { readFileSync } from "node:fs"
import { inspect } from "node:util"
import { describe, expect, it, vi } from "vitest"
import { type Options, verifyWith } from "../src/VerifyCallback.ts"
import * as Verifier from "../src/Verifier.ts"
import { signed } from "./anyRow.ts"
import {
  answer,
  apm,
  bytes,
  card,
  checksum,
  incoming,
  sign,
  verified,
  verify,
  search,
  secret
} from "@pawl/test-support/Service"
import { createHmac } from "node:crypto"
import type { Sign } from "@pawl/core/Checksum"
import type { Switches } from "@pawl/core/Profile"

const raw = (text: string, signed: ReadonlyArray<string>): Verifier.Incoming =>
  incoming("card", card(), { body: bytes(text), checksum: sign(signed) })

const statusOf = (request: Verifier.Incoming) =>
  Result.match(verify(request), {
    onFailure: (refusal) => refusal.status,
    onSuccess: ({ claim, quarantine }) => ({ claim, quarantine })
  })

// printf '%s' 'mid-1|10.00|EUR|100001' | openssl dgst -sha256 -hmac sandbox-secret -binary | openssl base64
it("a genuine callback of the card layout verifies with the published reference", () => {
  const request = incoming("card", card(), {
    checksum: "lkjauSsUvISRVrlorA9C6E8begn59tHswUr4NhQybeo="
  })
  expect(statusOf(request)).toEqual({ claim: "SUCCEED", quarantine: undefined })
})

it.each([
  undefined as never,
  "",
  " ",
  "s3cr3t ",
  " s3cr3t",
  "s3cr3t\n",
  "\ufeffs3cr3t",
  "s3cr3t\u00a0"
])("A03: the secret %j is refused at the start, and the error does not show it", (text) => {
  const built = (secrets: Options<Redacted.Redacted>) =>
    Effect.runSyncExit(
      Effect.scoped(Layer.build(Layer.provide(Verifier.layer(secrets), NodeHmac.layer)))
    )
  const given = Redacted.make(text)
  const good = Redacted.make("good")
  for (const exit of [built({ current: given }), built({ current: good, previous: given })]) {
    expect(Exit.findErrorOption(exit)).toMatchObject({ value: { _tag: "InvalidSecret" } })
    expect(inspect(exit, { depth: 9 })).not.toContain("s3cr3t")
  }
})

it("A04: input of an attacker is compared in constant time, at one place of each reader", () => {
  const source = (path: string) =>
    readFileSync(new URL(`../src/${path}`, import.meta.url), "utf8").replaceAll(
      /\/\*[^]*?\*\//gu,
      ""
    )
  for (const path of ["VerifyCallback.ts", "internal/verify/Token.ts"]) {
    const text = source(path)
    expect(text.match(/Checksum\.matches\(/gu)).toHaveLength(1)
    expect(text).not.toMatch(
      /(?:given|checksum|tag)\b[^\n=]*[!=]==|[!=]== (?:given|checksum|tag)\b/u
    )
  }
})

it("the secrets come from the configuration", () => {
  const env = { PAWL_MERCHANT_SECRET: "new-secret", PAWL_MERCHANT_SECRET_PREVIOUS: "old-secret" }
  const provider = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
  const layer = Layer.provide(Verifier.layerConfig, [NodeHmac.layer, provider])
  const configured = Effect.runSync(Effect.provide(Verifier.Verifier, layer))
  for (const key of ["new-secret", "old-secret"]) {
    const request = incoming("apm", apm(), { checksum: checksum("apm", apm(), key) })
    expect(Result.isSuccess(configured.verify(request))).toBe(true)
  }
})

it("A06: an unsigned field never becomes a signed field", () => {
  const fields = {
    metadata: { amount: "999" },
    declineCode: 5,
    signed: { amount: "999" },
    account: "mallory",
    amount: "999",
    currency: "XXX"
  }
  expect(verified("card", card(fields)).signed).toEqual(signed("10.00"))
})

describe("the signed fields", () => {
  it.each(["", "a|b", "a\0b", "a\u0085b", "a\ud800b", true, null, {}, ["10.00"]])(
    "A07: with the transactionId %j are refused with 400, signed or not",
    (transactionId) => {
      for (const method of ["card", "apm"] as const) {
        const changed = (method === "card" ? card : apm)({ transactionId })
        expect(answer(incoming(method, changed))).toBe(400)
        expect(answer(incoming(method, changed, { checksum: "x" }))).toBe(400)
      }
    }
  )

  it("A07: are read only from the body, never from its prototype", () => {
    const text =
      '{"__proto__":{"mid":"mid-1"},"orderAmount":"10.00","orderCurrency":"EUR","transactionId":"1","transactionStatus":"NEW"}'
    expect(answer(raw(text, ["mid-1", "10.00", "EUR", "1"]))).toBe(400)
  })

  it.each(["1e400", "-0", "1E2", "1e-7", "0.30000000000000004"])(
    "A15: with the number %s as amount are signed as its source text, and put the callback in quarantine",
    (lexeme) => {
      const text = `{"mid":7,"orderAmount":${lexeme},"orderCurrency":"EUR","transactionId":5,"transactionStatus":"NEW"}`
      const request = raw(text, ["7", lexeme, "EUR", "5"])
      expect(statusOf(request)).toEqual({ claim: undefined, quarantine: "amount" })
    }
  )
})

describe("the method of a callback", () => {
  it("may be that of a body whose apmType is null or absent", () => {
    for (const apmType of [null, undefined]) {
      expect(answer(incoming("apm", apm({ apmType })))).toBe(200)
    }
  })

  it("A08: with a card checksum for the same texts as APM is valid only for a claim about an APM id", () => {
    const body = apm({ accountId: "mid-1" })
    const request = incoming("apm", body, { checksum: checksum("card", card()) })
    expect(Result.getOrThrow(verify(request)).method).toBe("apm")
  })

  it.each([
    "?paymentMethod=card%20",
    "?paymentMethod=card%00",
    "?paymentMethod=card&payment%4Dethod=card",
    "?paymentMethod=card&paymentMethod%5B0%5D=apm",
    "?paymentMethod=card&paymentMethod[%0a]=apm",
    "?paymentMethod=card#&x",
    "?paymentMethod=card;apmType=x"
  ])("A09: is refused with 400 when a card callback has the query %s", (search) => {
    expect(answer(incoming("card", card(), { search }))).toBe(400)
  })
})

describe("the body", () => {
  it.each(["identity", "Identity", ""])(
    "A18: may have the content encoding %j",
    (contentEncoding) => {
      expect(answer(incoming("card", card(), { contentEncoding }))).toBe(200)
    }
  )

  it.each([
    [200, "application/json"],
    [200, "application/json;charset=UTF-8"],
    [200, 'Application/JSON ; Charset="utf-8" '],
    [200, "application/json;"],
    [200, 'APPLICATION/JSON ; ; Charset = "UTF-8" ;'],
    [200, "application/json; profile=callback; charset=utf-8"],
    [415, "application/json; profile=callback; charset=latin1"],
    [415, "application/json; charset=utf-8x"],
    [415, "x-application/json"],
    [415, undefined],
    [415, ""],
    [415, "text/plain"],
    [415, "application/jsonp"],
    [415, "application/problem+json"],
    [415, "application/json; charset=utf-16"],
    [415, "application/json, text/plain"],
    [415, "text/plain; application/json"]
  ])("A18: is answered %i with the content type %j", (status, contentType) => {
    expect(answer(incoming("card", card(), { contentType }))).toBe(status)
  })
})

describe("the patterns of the verifier", () => {
  const patterns = [
    "../src/VerifyCallback.ts",
    "../src/internal/verify/Reading.ts",
    "../src/internal/verify/Token.ts",
    "../../core/src/internal/Grammar.ts",
    "../../core/src/Transaction.ts",
    "../../core/src/Amount.ts"
  ]
    .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
    .flatMap((source) => [...source.matchAll(/(?<=[(= ])\/(?![/*]).+?\/[a-z]*(?=\.test|[,\n])/gu)])
    .map(([pattern]) => pattern)

  // A backtracking matcher takes linear time if no repetition is inside or next to another one, and
  // the match can start at one position only or looks for a single character.
  it("A24: have no nested or adjacent repetitions, and start at one position", () => {
    expect(patterns.length).toBeGreaterThan(6)
    for (const pattern of patterns) {
      const bare = pattern.replaceAll(/\[(?:\\.|[^\]])*\]/gu, "c").replaceAll(/\\./gu, "c")
      expect(bare).not.toMatch(/\)(?:[*+]|\{\d+,)/u)
      expect(bare).not.toMatch(/[*+}]\??(?:(?:\(\?:)?.\?)*(?:\(\?:)?[c.][*+{]/u)
      expect(bare).toMatch(/^\/(?:\^|c\/)/u)
    }
  })

  it("A24: end on inputs of 64 KiB of the characters that they repeat", () => {
    const long = " ".repeat(60_000)
    expect(answer(incoming("card", card(), { contentType: `application/json${long}x` }))).toBe(415)
    expect(
      answer(incoming("card", card(), { contentType: `application/json;${long}charset${long}=x` }))
    ).toBe(415)
    expect(
      answer(
        incoming("card", card(), { search: `?paymentMethod=card&apmType[${"[".repeat(60_000)}` })
      )
    ).toBe(400)
    expect(verified("card", card({ orderAmount: "9".repeat(60_000) })).quarantine).toBe("amount")
    expect(verified("card", card({ transactionId: "x".repeat(60_000) })).quarantine).toBe(
      "transactionId"
    )
  })
})

const signs = (key: string) => (text: string) => createHmac("sha256", key).update(text).digest()
const verifyBy = (options?: Partial<Options<Sign>>, profile?: Partial<Switches>) =>
  verifyWith({ current: signs(secret), ...options }, profile)

it("a forged callback costs the same work while secrets are rotated and at other times", () => {
  for (const previous of [undefined, signs("previous")]) {
    const current = vi.fn<Sign>(signs(secret))
    const before = previous && vi.fn<Sign>(previous)
    const result = verifyBy({ current, previous: before })(
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
    expect(verifyBy()(request(contentType))).toMatchObject({ status: 415 })
    const any = verifyBy({}, { callbackContentType: "any" })
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
    const result = verifyBy()(request(sign(["mid-1", "10.00", "EUR", "1"])))
    expect(result).toMatchObject({
      signed: { amount: "10.00", transactionId: "1" },
      body: { orderAmount: "10.00", transactionId: 1, list: numbers.list.map(() => "0.50") }
    })
  })

  it("A38: has them read exactly only after its checksum", () => {
    const parse = vi.spyOn(JSON, "parse")
    const exactParses = () => parse.mock.calls.filter(([, reviver]) => reviver !== undefined).length
    expect(verifyBy()(request("forged"))).toMatchObject({ status: 401 })
    expect(exactParses()).toBe(0)
    expect(verifyBy()(request(sign(["mid-1", "10.00", "EUR", "1"])))).toMatchObject({
      claim: "SUCCEED"
    })
    expect(exactParses()).toBe(1)
    parse.mockRestore()
  })
})

describe("the rules", () => {
  it("A01: without a secret no callback verifies, not even one without a checksum", () => {
    for (const checksum of [undefined, ""]) {
      const signsNothing = verifyBy({ current: () => new Uint8Array() })
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
      return verifyBy({}, profile)(incoming("card", card({ refundId: "7" }), asked))
    }
    const kept = { refundId: undefined, ordered: requestId }
    expect(ofKind("card-payment")).toMatchObject({ kind: "card-payment", ...kept })
    expect(ofKind("refund")).toMatchObject({ kind: "card", refundId: "7", ordered: undefined })
    expect(ofKind("refund", {})).toMatchObject({ kind: "refund", ...kept })
  })
})

it("a body that is no JSON is refused with the fault, and one that is no object", () => {
  const refusal = (body: Uint8Array) => verifyBy()(incoming("card", card(), { body }))
  const reason = "the body is not valid JSON: encoding"
  expect(refusal(Uint8Array.of(0xff))).toEqual({ status: 400, reason })
  for (const text of ["null", "1", "[]"]) {
    const reason = "the body is not a JSON object"
    expect(refusal(new TextEncoder().encode(text))).toEqual({ status: 400, reason })
  }
})
