import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { Buffer } from "node:buffer"
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import type { Options } from "../src/VerifyCallback.ts"
import * as Verifier from "../src/Verifier.ts"
import {
  answer,
  apm,
  bytes,
  card,
  checksum,
  incoming,
  secret,
  sign,
  verified,
  verify
} from "@pawl/test-support/Service"

const raw = (text: string, signed: ReadonlyArray<string>): Verifier.Incoming =>
  incoming("card", card(), { body: bytes(text), checksum: sign(signed) })

const statusOf = (request: Verifier.Incoming) =>
  Result.match(verify(request), {
    onFailure: (refusal) => refusal.status,
    onSuccess: ({ claim, quarantine }) => ({ claim, quarantine })
  })

describe("a genuine callback", () => {
  // printf '%s' 'mid-1|10.00|EUR|100001' | openssl dgst -sha256 -hmac sandbox-secret -binary | openssl base64
  it("of the card layout verifies with the published reference", () => {
    const request = incoming("card", card(), {
      checksum: "lkjauSsUvISRVrlorA9C6E8begn59tHswUr4NhQybeo="
    })
    expect(statusOf(request)).toEqual({ claim: "SUCCEED", quarantine: undefined })
  })

  it("is returned with its signed fields, its claim and its bytes", () => {
    const request = incoming("apm", apm({ apmResponseData: { code: 1 } }))
    expect(Result.getOrThrow(verify(request))).toEqual({
      method: "apm",
      kind: "apm",
      transactionId: "100001",
      ordered: undefined,
      signed: { account: "4711", amount: "10.00", currency: "EUR", transactionId: "100001" },
      claim: "SUCCEED",
      quarantine: undefined,
      secret: "current",
      body: apm({ apmResponseData: { code: 1 } }),
      bytes: request.body
    })
  })

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'Application/JSON ; Charset="utf-8" '
  ])("may have the content type %s", (contentType) => {
    expect(answer(incoming("card", card(), { contentType }))).toBe(200)
  })

  it("may have query parameters of the merchant with the name of a routing parameter in theirs", () => {
    const own = "&my-paymentMethod=x&paymentMethods=x&xapmType=x&apmTypes=x"
    for (const method of ["card", "apm"] as const) {
      const { search, ...request } = incoming(method, method === "card" ? card() : apm())
      expect(answer({ ...request, search: search + own })).toBe(200)
    }
  })
})

describe("the checksum", () => {
  it.each([
    ["another key", checksum("card", card(), "other-secret")],
    ["the key and a newline", checksum("card", card(), `${secret}\n`)],
    ["the key in upper case", checksum("card", card(), secret.toUpperCase())],
    ["no key", checksum("card", card(), "")],
    [
      "the rule of a request checksum",
      createHmac("sha256", secret).update("4711|req-1|10.00|EUR").digest("hex")
    ],
    ["another order of the fields", sign(["100001", "mid-1", "10.00", "EUR"])],
    ["no separator", sign(["mid-110.00EUR100001"])],
    ["the status as a fifth field", sign(["mid-1", "10.00", "EUR", "100001", "SUCCEED"])]
  ])("A03: is refused with 401 when it is computed with %s", (_, given) => {
    expect(answer(incoming("card", card(), { checksum: given }))).toBe(401)
  })

  it.each(["", " ", "s3cr3t ", " s3cr3t", "s3cr3t\n", "\ufeffs3cr3t", "s3cr3t\u00a0"])(
    "A03: the secret %j is refused at the start, and the error does not show it",
    (text) => {
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
    }
  )
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

describe("the secrets", () => {
  it("come from the configuration", () => {
    const provider = ConfigProvider.layer(
      ConfigProvider.fromEnv({
        env: { PAWL_MERCHANT_SECRET: "new-secret", PAWL_MERCHANT_SECRET_PREVIOUS: "old-secret" }
      })
    )
    const configured = Effect.runSync(
      Verifier.Verifier.pipe(
        Effect.provide(Layer.provide(Verifier.layerConfig, [NodeHmac.layer, provider]))
      )
    )
    for (const key of ["new-secret", "old-secret"]) {
      const request = incoming("apm", apm(), { checksum: checksum("apm", apm(), key) })
      expect(Result.isSuccess(configured.verify(request))).toBe(true)
    }
  })
})

describe("an unsigned field", () => {
  it("A05: is only a claim, because a replay can change it", () => {
    const seen = checksum("card", card({ transactionStatus: "PENDING" }))
    const forged = incoming("card", card({ transactionStatus: "SUCCEED" }), { checksum: seen })
    const { claim, signed } = Result.getOrThrow(verify(forged))
    expect(claim).toBe("SUCCEED")
    expect(Object.keys(signed)).toEqual(["account", "amount", "currency", "transactionId"])
  })

  it("A06: never becomes a signed field", () => {
    const fields = {
      metadata: { amount: "999" },
      declineCode: 5,
      signed: { amount: "999" },
      account: "mallory",
      amount: "999",
      currency: "XXX"
    }
    const { signed } = verified("card", card(fields))
    expect(signed).toEqual({
      account: "mid-1",
      amount: "10.00",
      currency: "EUR",
      transactionId: "100001"
    })
  })
})

describe("the signed fields", () => {
  const all = {
    card: ["mid", "orderAmount", "orderCurrency", "transactionId"],
    apm: ["accountId", "amount", "currency", "transactionId"]
  } as const
  const bad = [
    "",
    "a|b",
    "|",
    "a\rb",
    "a\nb",
    "a\0b",
    "a\u001fb",
    "a\u007fb",
    "a\u0085b",
    ["10.00"],
    [],
    {},
    { a: 1 },
    true,
    false,
    null,
    undefined
  ]

  for (const method of ["card", "apm"] as const) {
    const body = method === "card" ? card : apm
    it.each(all[method].flatMap((name) => bad.map((value) => [name, value] as const)))(
      `A07: ${method} with %s as %j is 400, signed or not`,
      (name, value) => {
        const changed = body({ [name]: value })
        expect(answer(incoming(method, changed))).toBe(400)
        expect(answer(incoming(method, changed, { checksum: "x" }))).toBe(400)
      }
    )
  }

  it("A07: are read only from the body, never from its prototype", () => {
    const text =
      '{"__proto__":{"mid":"mid-1"},"orderAmount":"10.00","orderCurrency":"EUR","transactionId":"1","transactionStatus":"NEW"}'
    expect(answer(raw(text, ["mid-1", "10.00", "EUR", "1"]))).toBe(400)
  })

  it.each([
    ["9007199254740993", "9007199254740993"],
    ["1e400", "1e400"],
    ["-0", "-0"],
    ["1E2", "1E2"],
    ["1.5", "1.5"],
    ["1e+2", "1e+2"],
    ["10.00", "10.00"],
    ["0.1", "0.1"],
    ["100001", "100001"]
  ])("A15: of the number %s are signed as its source text", (lexeme, text) => {
    const asId = `{"mid":7,"orderAmount":10,"orderCurrency":"EUR","transactionId":${lexeme},"transactionStatus":"NEW"}`
    const asAmount = `{"mid":7,"orderAmount":${lexeme},"orderCurrency":"EUR","transactionId":5,"transactionStatus":"NEW"}`
    const ids = Result.getOrThrow(verify(raw(asId, ["7", "10", "EUR", text])))
    const amounts = Result.getOrThrow(verify(raw(asAmount, ["7", text, "EUR", "5"])))
    expect(ids).toMatchObject({ transactionId: text, signed: { transactionId: text } })
    expect(ids.quarantine).toBeUndefined()
    expect(amounts.signed.amount).toBe(text)
  })

  it.each(["1e400", "-0", "1E2", "1e-7", "0.30000000000000004"])(
    "A15: with the number %s as amount put the callback in quarantine",
    (lexeme) => {
      const text = `{"mid":7,"orderAmount":${lexeme},"orderCurrency":"EUR","transactionId":5,"transactionStatus":"NEW"}`
      const request = raw(text, ["7", lexeme, "EUR", "5"])
      expect(statusOf(request)).toEqual({ claim: undefined, quarantine: "amount" })
    }
  )
})

describe("the method of a callback", () => {
  it("A08: is refused with 400 when a card body has paymentMethod=apm, and the reverse", () => {
    expect(answer(incoming("card", card(), { search: "?paymentMethod=apm" }))).toBe(400)
    expect(answer(incoming("apm", apm(), { search: "?paymentMethod=card" }))).toBe(400)
  })

  it.each(["card", "apm"] as const)(
    "A08: is refused with 400 when %s is named otherwise",
    (method) => {
      const body = method === "card" ? card() : apm()
      for (const name of ["crypto", "toString", "", method.toUpperCase()]) {
        expect(answer(incoming(method, body, { search: `?paymentMethod=${name}` }))).toBe(400)
      }
    }
  )

  it("may be that of a body whose apmType is null or absent", () => {
    for (const apmType of [null, undefined]) {
      expect(answer(incoming("apm", apm({ apmType })))).toBe(200)
    }
  })

  it("A08: is refused with 400 when a body has the signed fields of both methods", () => {
    const both = { ...apm(), ...card() }
    for (const method of ["card", "apm"] as const) {
      expect(answer(incoming(method, both))).toBe(400)
    }
    const same = { ...card(), accountId: "mid-1", amount: "10.00", currency: "EUR" }
    expect(answer(incoming("apm", same, { search: "?paymentMethod=apm" }))).toBe(400)
  })

  it("A08: with a card checksum for the same texts as APM is valid only for a claim about an APM id", () => {
    const body = apm({ accountId: "mid-1" })
    const request = incoming("apm", body, { checksum: checksum("card", card()) })
    expect(Result.getOrThrow(verify(request)).method).toBe("apm")
  })

  it.each([
    "",
    "?paymentMethod=card%20",
    "?paymentMethod=card%00",
    "?paymentMethod=card&paymentMethod=apm",
    "?paymentMethod=card&payment%4Dethod=card",
    "?paymentMethod=card&paymentMethod[]=apm",
    "?paymentMethod=card&paymentMethod%5B0%5D=apm",
    "?paymentMethod=card&paymentMethod[%0a]=apm",
    "?paymentMethod=card&apmType=PIX",
    "?paymentMethod=card&apmtype=PIX",
    "?paymentMethod=card#&x",
    "?paymentMethod=card;apmType=x"
  ])("A09: is refused with 400 when a card callback has the query %s", (search) => {
    expect(answer(incoming("card", card(), { search }))).toBe(400)
  })

  it.each([
    "?paymentMethod=apm&apmType=BLIK",
    "?paymentMethod=apm&apmType=PIX&apmType=PIX",
    "?paymentMethod=apm&apmType=PIX&apmType[]=BLIK",
    "?paymentMethod=apm&apmType=PIX&APMTYPE=BLIK"
  ])("A09: is refused with 400 when an APM callback of PIX has the query %s", (search) => {
    expect(answer(incoming("apm", apm(), { search }))).toBe(400)
  })
})

describe("the body", () => {
  const text = JSON.stringify(card())
  const signed = ["mid-1", "10.00", "EUR", "100001"]
  const withMember = (member: string) => `{${member},${text.slice(1)}`

  it.each(["__proto__", "constructor", "prototype"])(
    "A11: keeps the key %s as an own key and changes no prototype",
    (key) => {
      const member = `"metadata":{"${key}":{"polluted":"yes"}}`
      const { body } = Result.getOrThrow(verify(raw(withMember(member), signed)))
      const metadata = body["metadata"]
      expect(Object.getOwnPropertyNames(metadata)).toEqual([key])
      expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype)
      expect("polluted" in {}).toBe(false)
      const top = verify(
        raw(withMember(`"${key}":{"transactionStatus":"NEW","polluted":1}`), signed)
      )
      expect(Result.getOrThrow(top).claim).toBe("SUCCEED")
      expect(Object.getPrototypeOf(Result.getOrThrow(top).body)).toBe(Object.prototype)
    }
  )

  it.each([64, 65, 1000, 30_000])(
    "A12: with %i nested arrays is refused with 400 above the limit, without a crash",
    (depth) => {
      const nested = withMember(`"a":${"[".repeat(depth)}${"]".repeat(depth)}`)
      expect(answer(raw(nested, signed))).toBe(400)
      const objects = withMember(`"a":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)
      expect(answer(raw(objects, signed))).toBe(depth > 10_000 ? 413 : 400)
    }
  )

  it("A12: with 63 nested arrays in a field is read", () => {
    expect(answer(raw(withMember(`"a":${"[".repeat(63)}${"]".repeat(63)}`), signed))).toBe(200)
  })

  it("A12: with a million nested arrays is refused with 413", () => {
    expect(answer(raw("[".repeat(1_000_000), signed))).toBe(413)
  })

  it.each([
    '"transactionStatus":"FAILED"',
    '"\\u0074ransactionStatus":"FAILED"',
    '"transactionI\\u0064":"100001"',
    '"x":1,"x":1',
    '"metadata":{"a":"1","a":"2"}',
    '"metadata":[{"a":{"b":1,"\\u0062":2}}]',
    '"__proto__":1,"__proto__":2'
  ])("A13: with a repeated key, %s, is refused with 400", (member) => {
    expect(answer(raw(withMember(member), signed))).toBe(400)
  })

  const broken: ReadonlyArray<readonly [string, Uint8Array]> = [
    ["a byte order mark", Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes(text))],
    ["UTF-16, little end first", new Uint8Array(Buffer.from(text, "utf16le"))],
    ["a stray continuation byte", bytes(text).with(12, 0x80)],
    [
      "an overlong slash",
      Uint8Array.of(...bytes('{"x":"'), 0xc0, 0xaf, ...bytes(`",${text.slice(1)}`))
    ],
    [
      "an encoded surrogate",
      Uint8Array.of(...bytes('{"x":"'), 0xed, 0xa0, 0x80, ...bytes(`",${text.slice(1)}`))
    ],
    ["Latin-1", Uint8Array.of(...bytes('{"x":"'), 0xfc, ...bytes(`",${text.slice(1)}`))],
    ["a NUL between tokens", Uint8Array.of(0, ...bytes(text))],
    ["a raw NUL in a text", bytes(withMember('"x":"\0"'))]
  ]
  it.each(broken)("A14: with %s is refused with 400", (_, body) => {
    expect(answer(incoming("card", card(), { body }))).toBe(400)
  })

  it.each([
    ["a NUL in a text", '"metadata":{"a":"\\u0000"}'],
    ["a NUL in a key", '"metadata":{"\\u0000":"a"}'],
    ["a lone high surrogate", '"metadata":["\\ud800"]'],
    ["a lone low surrogate", '"x":{"y":[{"z":"a\\udc00b"}]}'],
    ["surrogates the wrong way round", '"x":"\\udc00\\ud800"']
  ])(
    "A14: with %s in an unsigned field is put in quarantine if it verifies, else refused with 401",
    (_, member) => {
      const request = raw(withMember(member), signed)
      expect(statusOf(request)).toEqual({
        claim: undefined,
        quarantine: "text that cannot be stored"
      })
      expect(answer({ ...request, checksum: "x" })).toBe(401)
    }
  )

  it.each(["\\ud800", "\\udc00", "\\u0000", "a\\udfffb"])(
    "A14: with %s in a signed field is refused with 400",
    (escape) => {
      const broken = text.replace("mid-1", escape)
      expect(answer(raw(broken, signed))).toBe(400)
    }
  )

  it.each(["0", "10", "10.5", "10.50", "999999999999999999.99"])(
    "may have the amount %s",
    (amount) => {
      expect(verified("card", card({ orderAmount: amount })).quarantine).toBeUndefined()
    }
  )

  it("A17: is read up to 64 KiB and no byte further", () => {
    const padded = (length: number) => bytes(text + " ".repeat(length - text.length))
    expect(answer(incoming("card", card(), { body: padded(65_536) }))).toBe(200)
    expect(answer(incoming("card", card(), { body: padded(65_537) }))).toBe(413)
  })

  it.each(["gzip", "deflate", "br", "GZIP", "gzip, identity", "aes128gcm", ""])(
    "A18: with the content encoding %j is refused with 415",
    (contentEncoding) => {
      expect(answer(incoming("card", card(), { contentEncoding }))).toBe(415)
    }
  )

  it("A18: may have the content encoding identity", () => {
    expect(answer(incoming("card", card(), { contentEncoding: "identity" }))).toBe(200)
  })

  it.each([
    undefined,
    "",
    "text/plain",
    "application/jsonp",
    "application/problem+json",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "application/json, text/plain",
    "text/plain; application/json"
  ])("A18: with the content type %j is refused with 415", (contentType) => {
    expect(answer(incoming("card", card(), { contentType }))).toBe(415)
  })

  it.each(["GET", "PUT", "HEAD", "OPTIONS", "TRACE", "DELETE", "PATCH", "post", "POST "])(
    "A20: with the HTTP method %s is refused with 405, whatever else it has",
    (method) => {
      expect(answer(incoming("card", card(), { method }))).toBe(405)
      expect(answer(incoming("card", card(), { method, body: new Uint8Array(70_000) }))).toBe(405)
    }
  )

  it.each(["", `${text},`, `${text}${text}`, "{a:1}"])("that is %j is refused with 400", (body) => {
    expect(answer(raw(body, signed))).toBe(400)
  })

  it.each(["null", "true", "1", '"x"', "[]"])(
    "that is %j is refused because it is no object",
    (body) => {
      expect(verify(raw(body, signed))).toMatchObject({
        failure: { status: 400, reason: "the body is not a JSON object" }
      })
    }
  )

  it("A25: with 300,000 keys is refused with 413, and with 1,001 keys in 64 KiB with 400", () => {
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]))
    expect(answer(incoming("card", card({ metadata: keys(300_000) })))).toBe(413)
    expect(answer(incoming("card", card({ metadata: keys(1001) })))).toBe(400)
    expect(answer(incoming("card", card({ metadata: keys(900) })))).toBe(200)
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
