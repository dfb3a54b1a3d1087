import { forAll } from "@pawl/test-support/Properties"
import type { RequestKind } from "@pawl/core/RequestSender"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Hmac from "@pawl/core/Hmac"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as Seal from "../src/Seal.ts"
import { secret } from "@pawl/test-support/Service"

type Service = Seal.Seal["Service"]

const serviceOf = (options: Readonly<Record<string, string>>, hmac = NodeHmac.layer) =>
  Seal.Seal.pipe(
    Effect.provide(
      Layer.provide(Seal.layer(Record.map(options, (text) => Redacted.make(text))), hmac)
    ),
    Effect.runPromise
  )

const portableOf = (options: Readonly<Record<string, string>>, process?: object) => {
  vi.stubGlobal("process", process)
  const built = serviceOf(options, Hmac.layer)
  vi.unstubAllGlobals()
  return built
}

afterEach(() => {
  vi.unstubAllGlobals()
})

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const account = { merchantKey: "key-1", baseUrl: "https://pay.example/api" }
const body = { requestId: "order-17", kind: "apm-payment", part: "body", account } as const
const outcome = { ...body, part: "outcome" } as const

const opened = (service: Service, part: Seal.Part, sealed: string) =>
  Effect.runPromise(
    Effect.match(service.open(part, sealed), {
      onSuccess: (text) => ({ text }),
      onFailure: ({ reason }) => reason
    })
  )
const sealed = (service: Service, part: Seal.Part, text: string) =>
  Effect.runPromise(service.seal(part, text))

describe.each([
  ["node:crypto", serviceOf, portableOf],
  ["Web Crypto", portableOf, serviceOf]
] as const)("by %s", (_, build, other) => {
  it("every text opens for its part, also in the other runtime", async () => {
    const seals = await build({ key: keyOf(1) })
    const opens = await other({ key: keyOf(1) })
    await forAll(
      [
        fc.string({ unit: "grapheme" }),
        fc.string({ maxLength: 128 }),
        fc.constantFrom("body" as const, "outcome" as const)
      ],
      { numRuns: 50 },
      async (text, requestId, part) => {
        const of = { ...body, requestId, part }
        const encrypted = await sealed(seals, of, text)
        expect(await opened(opens, of, encrypted)).toEqual({ text })
      }
    )
  })

  it("a text that was changed at any place does not open", async () => {
    const service = await build({ key: keyOf(1) })
    // The last character of such a text has bits that are in no byte.
    const text = await sealed(service, body, "4242424242424242")
    expect((text.split(".")[2] ?? "").length % 4).toBeGreaterThan(0)
    for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      const changed = text.slice(0, -1) + last
      if (changed !== text) expect(await opened(service, body, changed)).toBeTypeOf("string")
    }
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + (text.charAt(at) === "A" ? "B" : "A") + text.slice(at + 1)
      expect(await opened(service, body, changed)).toBeTypeOf("string")
      expect(await opened(service, body, text.slice(0, at))).toBeTypeOf("string")
    }
  })

  it.each<Partial<Seal.Part>>([
    { part: "outcome" },
    { requestId: "order-18" },
    { kind: "apm-payout" },
    { account: { ...account, merchantKey: "key-2" } },
    { account: { ...account, baseUrl: "https://other.example/api" } },
    { account: undefined }
  ])("a text opens for nothing else: %j", async (change) => {
    const service = await build({ key: keyOf(1) })
    const text = await sealed(service, body, "{}")
    expect(await opened(service, { ...body, ...change }, text)).toBe("damaged")
    expect(await opened(service, body, text)).toEqual({ text: "{}" })
  })

  it("a text whose tag was shortened does not open, nor one without bytes", async () => {
    const service = await build({ key: keyOf(1) })
    const [version, id, encoded = ""] = (await sealed(service, body, "")).split(".")
    const bytes = Buffer.from(encoded, "base64url")
    expect(bytes).toHaveLength(28)
    for (let length = 1; length < 28; length++) {
      const text = [version, id, bytes.subarray(0, length).toString("base64url")].join(".")
      expect(await opened(service, body, text)).toBe("damaged")
    }
    expect(await opened(service, body, `${version}.${id}.`)).toBe("damaged")
    expect(await opened(service, body, `${version}.AAAAAAAA.`)).toBe("damaged")
    expect(await opened(service, body, `${version}.AAAAAAAA.${encoded}`)).toBe("no-key")
  })

  it("texts that createCipheriv made open", async () => {
    for (const { key, outcomeText, requestText } of golden) {
      const service = await build(key)
      expect(await opened(service, body, requestText)).toEqual({
        text: '{"requestId":"order-17","amount":"10.00"}'
      })
      expect(await opened(service, outcome, outcomeText)).toEqual({ text: "200 \n{}" })
    }
  })
})

/**
 * Texts and digests that every later version opens and compares, made by `createHmac` and
 * `createCipheriv` with the nonce 00 01 … 0b. The AES key of the secret is also that of `hkdfSync`.
 */
const golden = [
  {
    key: { key: keyOf(7) },
    requestText:
      "1.2oGCpMtr.AAECAwQFBgcICQoLswhb1tHxtaAV6CK2rVZYsyLBBSNvn60q68wIjCE4tUhWGNck4h0r4Bd6Qe0JSv_XpUouK_htdZJa",
    outcomeText: "1.2oGCpMtr.AAECAwQFBgcICQoL-hoZk6r_rUyNVI-EBx1jV_rj27mpFJA",
    digest: "1.2oGCpMtr.RE0rk8fwiAMXTb-7PfgzMFQHwJ_tcCmBJTcoYkEhprw"
  },
  {
    key: { current: "sandbox-secret" },
    requestText:
      "1.wruTZpaD.AAECAwQFBgcICQoLH7EM5_tQa7FUgmTXYcMoNlqKv_exvp-XaGvO9brxxYPcBEVSMfxLpXJRNEakMmczg4qE4es0pzl-",
    outcomeText: "1.wruTZpaD.AAECAwQFBgcICQoLVqNOooBecxdkV_d9BfHdHBdOJYYJ8VQ",
    digest: "1.wruTZpaD.r8hmX282OOAoX9n-z09T-hVkNQH30o1M4MEY06Fa16A"
  }
]

it.each([
  ["not used where the runtime has node:crypto", serviceOf, 0],
  ["used where there is no process", portableOf, 1],
  [
    "used where the process of the runtime loads no modules",
    (key: Parameters<typeof portableOf>[0]) => portableOf(key, {}),
    1
  ]
] as const)("Web Crypto is %s", async (_, build, times) => {
  const encrypt = vi.spyOn(crypto.subtle, "encrypt")
  await sealed(await build({ key: keyOf(1) }), body, "text")
  expect(encrypt).toHaveBeenCalledTimes(times)
  encrypt.mockRestore()
})

describe("keys", () => {
  it("two seals of one text differ, and neither has the text", async () => {
    const service = await serviceOf({ current: secret })
    const texts = [
      await sealed(service, body, "4242424242424242"),
      await sealed(service, body, "4242424242424242")
    ]
    expect(new Set(texts).size).toBe(2)
    for (const text of texts) {
      expect(Buffer.from(text.split(".")[2] ?? "", "base64url").toString("latin1")).not.toContain(
        "4242"
      )
    }
  })

  it("a text opens where the key that sealed it is given, under any name, and so does a digest", async () => {
    const names = ["key", "current", "previousKey", "previous"] as const
    const ring = fc
      .record(
        {
          key: fc.constantFrom(keyOf(1), keyOf(2)),
          previousKey: fc.constantFrom(keyOf(1), keyOf(2)),
          current: fc.constantFrom(secret, "newer"),
          previous: fc.constantFrom(secret, "newer")
        },
        { requiredKeys: [] }
      )
      .filter(({ current, key }) => current !== undefined || key !== undefined)
    await forAll([ring, ring], async (before, after) => {
      const [seals, opens] = [await serviceOf(before), await serviceOf(after)]
      const isGiven = names.some((name) => after[name] === (before.key ?? before.current))
      const text = await sealed(seals, body, "text")
      expect(await opened(opens, body, text)).toEqual(isGiven ? { text: "text" } : "no-key")
      const digest = seals.digest("refund", "{}")
      expect(opens.compare(digest, "refund", "{}")).toBe(isGiven ? "same" : "no-key")
      expect(opens.compare("damaged", "refund", "{}")).toBe("no-key")
    })
  })

  it.each([
    ["PAWL_SEAL_KEY", "c2hvcnQ="],
    ["PAWL_SEAL_KEY", `${keyOf(1)} `],
    ["PAWL_SEAL_KEY", "canary-canary-canary-canary-cana!"],
    ["PAWL_SEAL_KEY_PREVIOUS", "0".repeat(63)],
    ["PAWL_MERCHANT_SECRET", " canary"],
    ["PAWL_MERCHANT_SECRET_PREVIOUS", " older"]
  ])("a wrong %s fails at the start by its name, without its value", async (name, value) => {
    const env = ConfigProvider.fromUnknown({ PAWL_MERCHANT_SECRET: secret, [name]: value })
    const layer = Layer.provide(Seal.layerConfig, [NodeHmac.layer, ConfigProvider.layer(env)])
    const error = await Effect.runPromise(Effect.flip(Effect.provide(Seal.Seal, layer)))
    expect(error.message).toContain(`${name} in the environment`)
    expect(String(error)).not.toContain(value)
  })

  it("without a key and a secret it fails at the start", async () => {
    for (const options of [{}, { previousKey: keyOf(1) }, { previous: "older" }]) {
      await expect(serviceOf(options)).rejects.toMatchObject({
        _tag: "InvalidSecret",
        secret: "current"
      })
    }
  })

  it.each([
    [{ key: "short" }, "current", "PAWL_SEAL_KEY"],
    [{ key: keyOf(1), previousKey: "short" }, "previous", "PAWL_SEAL_KEY_PREVIOUS"]
  ])("a wrong key of %j is an error with its name and variable, and no stack", async (...each) => {
    const [options, key, variable] = each
    await expect(serviceOf(options)).rejects.toMatchObject({
      _tag: "InvalidSealKey",
      key,
      message: `The ${key} seal key (${variable} in the environment) cannot be used: give 32 random bytes as base64 or hex, for example from: openssl rand -base64 32`
    })
    expect(new Seal.InvalidSealKey({ key: "current" }).stack).toBe("")
  })

  it("a key is 32 bytes, as hex in either case, base64 or base64url, with or without padding", async () => {
    // Their base64 has + and /.
    const bytes = Buffer.alloc(32, Buffer.of(0xfb, 0xef, 0xff))
    const text = await sealed(await serviceOf({ key: bytes.toString("base64") }), body, "text")
    const [hex, padded] = [bytes.toString("hex"), bytes.toString("base64")]
    for (const key of [
      hex,
      hex.toUpperCase(),
      padded.replace("=", ""),
      padded,
      bytes.toString("base64url")
    ]) {
      expect(await opened(await serviceOf({ key }), body, text)).toEqual({ text: "text" })
    }
    for (const key of [
      hex.slice(1),
      `${hex}0`,
      `${hex}00`,
      `${padded}==`,
      `=${padded}`,
      `${padded.slice(0, 8)}=${padded.slice(8, -1)}`,
      padded.slice(4)
    ]) {
      await expect(serviceOf({ key })).rejects.toMatchObject({ _tag: "InvalidSealKey" })
    }
  })

  it("a text that does not open says why", () => {
    const message = (reason: "no-key" | "damaged") => new Seal.NotOpened({ reason }).message
    expect(new Seal.NotOpened({ reason: "damaged" })._tag).toBe("NotOpened")
    expect(message("no-key")).toBe(
      "The key that sealed this text is not given: set PAWL_SEAL_KEY_PREVIOUS or PAWL_MERCHANT_SECRET_PREVIOUS"
    )
    expect(message("damaged")).toBe("The sealed text was changed, or belongs to another request")
  })
})

describe("digests", () => {
  const request = {
    requestId: "order-17",
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    callbackUrl: "https://shop.example/cb?a=1&pawl=first.tag",
    checksum: "aa"
  }
  const same = async (a: object, b: object, kind: RequestKind = "card-payout") => {
    const service = await serviceOf({ current: secret })
    return service.compare(service.digest(kind, JSON.stringify(a)), kind, JSON.stringify(b))
  }

  it("digests that createHmac made match", async () => {
    for (const { digest, key } of golden) {
      const service = await serviceOf(key)
      expect(service.compare(digest, "apm-payment", JSON.stringify(request))).toBe("same")
    }
  })

  it("the order of the fields, the checksum, the callback URL and the security code do not count", async () => {
    const card = { number: "4242424242424242", expMonth: "04", expYear: "2030" }
    expect(
      await same(
        { ...request, card: { ...card, cvv: "123" } },
        {
          card: { cvv: "999", ...card },
          ...request,
          checksum: "bb",
          callbackUrl: "https://new.example/cb?pawl=second.tag"
        }
      )
    ).toBe("same")
  })

  it("any other difference counts", async () => {
    const differences: ReadonlyArray<object> = [
      { amount: "10.01" },
      { amount: 10 },
      { card: { number: "4242424242424242" } },
      { metadata: { checksum: "aa" } },
      { transactionId: 1 }
    ]
    for (const difference of differences)
      expect(await same(request, { ...request, ...difference })).toBe("different")
    const pan = (number: string) => ({ ...request, card: { number } })
    expect(await same(pan("4242424242424242"), pan("4000056655665556"))).toBe("different")
  })

  it("a list is no object, and null is a value", async () => {
    const withList = { ...request, metadata: ["a", null, { b: 1, a: 2 }] }
    expect(await same(withList, { ...request, metadata: ["a", null, { a: 2, b: 1 }] })).toBe("same")
    expect(await same(withList, { ...request, metadata: { ...withList.metadata } })).toBe(
      "different"
    )
  })

  it("every digit of a number counts, and so does the kind", async () => {
    const service = await serviceOf({ current: secret })
    const [text, other] = [0, 1].map(
      (digit) => `{"transactionId":1234567890123456789${digit}}`
    ) as [string, string]
    const digest = service.digest("refund", text)
    expect(service.compare(digest, "refund", other)).toBe("different")
    expect(service.compare(digest, "apm-payout", text)).toBe("different")
  })
})
