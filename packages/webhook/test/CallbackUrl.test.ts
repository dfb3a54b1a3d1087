import { forAll } from "@pawl/test-support/Properties"
import { character } from "@pawl/test-support/Text"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import type { Method } from "@pawl/core/Kind"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import fc from "fast-check"
import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as CallbackUrl from "../src/CallbackUrl.ts"
import * as Verifier from "../src/Verifier.ts"
import { answer, apm, card, incoming, search, secret, verified } from "@pawl/test-support/Service"
import * as Token from "../src/internal/verify/Token.ts"

const request = { requestId: "order-17", accountId: "4711", amount: "10.00", currency: "EUR" }

const built = (key: string) =>
  CallbackUrl.layer(Redacted.make(key)).pipe(Layer.provide(NodeHmac.layer))
const make = (
  url: string,
  kind: CallbackUrl.Operation = "apm-payment",
  said: Parameters<CallbackUrl.CallbackUrl["Service"]["make"]>[2] = request,
  key = secret
) =>
  CallbackUrl.CallbackUrl.use((callbackUrl) => callbackUrl.make(url, kind, said)).pipe(
    Effect.provide(built(key)),
    Effect.result,
    Effect.runSync
  )
const made = (...args: Parameters<typeof make>) => Result.getOrThrow(make(...args))

describe("a callback URL", () => {
  it.each([
    "shop.example/callback",
    "/callback",
    "//shop.example/callback",
    "ftp://shop.example/callback",
    "javascript:alert(1)",
    "https:/shop.example",
    "https://",
    "https://shop.example/a b",
    "https://:99999",
    "xhttps://shop.example/callback",
    "view-source:https://shop.example/callback",
    " https://shop.example/callback",
    "https://shop.example/callback\n",
    ""
  ])("is refused when it is %j, which is not an absolute http(s) URL", (url) => {
    expect(make(url)).toMatchObject({
      failure: {
        _tag: "InvalidCallbackUrl",
        code: "InvalidCallbackUrl",
        message: "A callback URL must be an absolute http(s) URL"
      }
    })
  })

  it.each([
    "paymentMethod=card",
    "a=1&apmType=PIX",
    "PAYMENTMETHOD=card",
    "paymentMethod[]=card",
    "paymentMethod",
    "%70aymentMethod=card",
    "pawl=1",
    "PAWL[]=1"
  ])(
    "A10: is refused with the query ?%s of the merchant, and the error does not repeat it",
    (query) => {
      const result = make(`https://shop.example/secret-path?${query}`)
      expect(result).toMatchObject({
        failure: {
          _tag: "InvalidCallbackUrl",
          message:
            "A callback URL must not have the query parameters paymentMethod, apmType or pawl"
        }
      })
      expect(JSON.stringify(result)).not.toContain("secret-path")
    }
  )

  it("is refused when its token would be too long to be read", () => {
    const url = "https://shop.example/c"
    const lengthOf = (requestId: string) => {
      const result = Result.getOrUndefined(make(url, "refund", { requestId }))
      return result === undefined ? undefined : new URL(result).searchParams.get("pawl")?.length
    }
    const lengths = Array.from({ length: 1000 }, (_, length) => lengthOf("r".repeat(length)))
    expect(Math.max(...lengths.map((length) => length ?? 0))).toBeLessThanOrEqual(1024)
    expect(lengths[650]).toBeGreaterThan(800)
    expect(lengths[999]).toBeUndefined()
    expect(make(url, "refund", { requestId: "secret".repeat(200) })).toEqual(
      Result.fail(
        new CallbackUrl.InvalidCallbackUrl({
          message: "A callback URL has no room for a requestId or an account of this length"
        })
      )
    )
  })

  it("keeps the URL of the merchant byte for byte and appends the token", () => {
    expect(made("https://shop.example/c")).toMatch(/^https:\/\/shop\.example\/c\?pawl=[\w.-]+$/u)
    for (const url of ["https://shop.example/c?a=1&b=%20+ü", "HTTP://shop.example?x="]) {
      expect(made(url).startsWith(`${url}&pawl=`)).toBe(true)
    }
    expect(made("https://shop.example/c?")).toMatch(/c\?pawl=/u)
    expect(made("https://shop.example/c?a#b")).toMatch(/c\?a&pawl=[\w.-]+#b$/u)
    expect(made("https://shop.example/c#a#b")).toMatch(/c\?pawl=[\w.-]+#a#b$/u)
  })

  it.each([
    "xpaymentMethod=card",
    "paymentMethods=card",
    "my-apmType=PIX",
    "apmType2=PIX",
    "pawls=1",
    "mypawl=1",
    "a=pawl"
  ])("keeps a query ?%s that only contains the name of a reserved parameter", (query) => {
    const url = `https://shop.example/c?${query}`
    expect(made(url).startsWith(`${url}&pawl=`)).toBe(true)
  })

  it("takes its secret from the configuration, and a blank or missing one is refused at the start", () => {
    const env = (variables: Record<string, string>) =>
      Effect.runSyncExit(
        Effect.provide(
          CallbackUrl.CallbackUrl,
          CallbackUrl.layerConfig.pipe(
            Layer.provide([
              NodeHmac.layer,
              ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables }))
            ])
          )
        )
      )
    expect(Exit.isSuccess(env({ PAWL_MERCHANT_SECRET: "s3cr3t" }))).toBe(true)
    for (const variables of [{ PAWL_MERCHANT_SECRET: "s3cr3t " }, {}]) {
      expect(Exit.findErrorOption(env(variables))).toMatchObject({
        value: { _tag: "InvalidSecret", secret: "current" }
      })
    }
  })
})

const arrives = (url: string, method: Method = "apm") =>
  `${new URL(url).search}&paymentMethod=${method}`

describe("a callback with a token", () => {
  const token = (key: string) =>
    arrives(made("https://shop.example/c", "apm-payment", request, key))

  it("of an intent has the method that the customer chose, and its amount may differ", () => {
    const said = { requestId: "r", mid: "mid-1", amount: "10.00", currency: "EUR" }
    const ordered = { requestId: "r", account: "mid-1" }
    const card1 = verified("card", card(), search("card", "payment", said))
    expect(card1).toMatchObject({ kind: "card-payment", ordered })
    expect(card1.ordered).toEqual(ordered)
    expect(
      answer(incoming("card", card({ mid: "mid-2" }), { search: search("card", "payment", said) }))
    ).toBe(400)
    // The mid of an intent is no accountId.
    const apm1 = verified("apm", apm(), search("apm", "payout", said))
    expect(apm1.kind).toBe("apm-payout")
    expect(apm1.ordered).toEqual({ requestId: "r" })
  })

  it("carries any order unchanged", () => {
    const text = fc.string({ unit: character, maxLength: 40 }).filter((each) => each.isWellFormed())
    return forAll([text, text, text], (requestId, amount, currency) => {
      const said = { requestId, amount, currency }
      expect(verified("apm", apm(), search("apm", "apm-payout", said)).ordered).toEqual(said)
    })
  })

  it("counts as one without a token when the token is changed or signed with another secret", () => {
    const good = new URL(made("https://shop.example/c")).searchParams.get("pawl") ?? ""
    const forged = (text: string) =>
      verified("apm", apm(), `?pawl=${encodeURIComponent(text)}&paymentMethod=apm`)
    expect(forged(good).kind).toBe("apm-payment")
    const [content = "", tag = ""] = good.split(".")
    for (const text of [
      new URL(made("https://shop.example/c", "refund", request, "other")).searchParams.get("pawl"),
      "",
      ".",
      content,
      `${content}.`,
      `.${tag}`,
      `${good}.${tag}`,
      good.slice(0, -1),
      `${good}=`,
      `${good} `,
      `${content.slice(1)}.${tag}`,
      "x".repeat(10_000)
    ]) {
      expect(forged(text ?? "")).toMatchObject({ kind: "apm", ordered: undefined })
    }
    return forAll(
      [fc.nat(good.length - 1), fc.constantFrom("a", "Z", "0", "-", "_")],
      (at, letter) => {
        fc.pre(good[at] !== letter)
        const changed = forged(good.slice(0, at) + letter + good.slice(at + 1))
        expect(changed.kind).toBe("apm")
      }
    )
  })

  it.each([
    ["nothing", ""],
    ["no base64url", "!!"],
    ["base64url that ends too soon", "W"],
    ["no UTF-8", Buffer.of(0xff).toString("base64url")],
    ["no JSON", "Ww"],
    ["another value", Buffer.from('{"0":"refund"}').toString("base64url")],
    ["a kind we do not know", Buffer.from('["x","r",null,null,null]').toString("base64url")],
    ["a field too few", Buffer.from('["refund","r",null,null]').toString("base64url")],
    ["no merchant", Buffer.from('["refund","r",null,null,null,null]').toString("base64url")],
    ["a number", Buffer.from('["refund","r",null,10,null]').toString("base64url")]
  ])("counts as one without a token when the signed token contains %s", (_, content) => {
    const signed = createHmac("sha256", secret).update(`pawl callback url 1\n${content}`).digest()
    const token = `${content}.${signed.subarray(0, 16).toString("base64url")}`
    const search = `?pawl=${encodeURIComponent(token)}&paymentMethod=apm`
    expect(verified("apm", apm(), search)).toMatchObject({ kind: "apm", ordered: undefined })
  })

  it("is verified with the previous secret too", () => {
    const layer = Verifier.layer({
      current: Redacted.make("new-secret"),
      previous: Redacted.make(secret)
    }).pipe(Layer.provide(NodeHmac.layer))
    const { verify } = Effect.runSync(Effect.provide(Verifier.Verifier, layer))
    for (const key of [secret, "new-secret"]) {
      const given = Result.getOrThrow(verify(incoming("apm", apm(), { search: token(key) })))
      expect(given.kind).toBe("apm-payment")
    }
  })

  it("has a token that is not a checksum, and a checksum is not a token", () => {
    const signs = (text: string) => createHmac("sha256", secret).update(text).digest()
    const body = ["4711", "10.00", "EUR", "100001"].join("|")
    const content = Buffer.from('["refund","r",null,null,null]').toString("base64url")
    for (const text of [body, content]) {
      const tag = signs(text).subarray(0, 16).toString("base64url")
      const search = `?pawl=${content}.${tag}&paymentMethod=apm`
      expect(verified("apm", apm(), search).kind).toBe("apm")
    }
  })

  it("A09: is refused with 400 when the token is repeated", () => {
    const twice = `${token(secret)}&pawl=1`
    expect(answer(incoming("apm", apm(), { search: twice }))).toBe(400)
  })
})

describe("the id of the row of a callback", () => {
  const token = search("card", "refund", { requestId: "r" })
  const idOf = (body: Parameters<typeof card>[0], of?: string) => {
    const { kind, transactionId } = verified("card", card(body), of)
    return [kind, transactionId]
  }

  it("A27: is the signed id, whatever the body names, with the kind of the URL", () => {
    expect(idOf({ refundId: "7" }, token)).toEqual(["refund", "100001"])
    expect(idOf({ refundId: "7" })).toEqual(["card", "100001"])
    expect(verified("card", card({ refundId: "7" }), token).refundId).toBeUndefined()
  })

  it("is the payment's if the profile says that refunds are signed with it; the refund is only named", () => {
    const layer = Verifier.layer({ current: Redacted.make(secret) }).pipe(
      Layer.provide([NodeHmac.layer, Profile.layer({ refundCallbackId: "payment" })])
    )
    const { verify } = Effect.runSync(Effect.provide(Verifier.Verifier, layer))
    const of = (body: Parameters<typeof card>[0], search?: string) =>
      Result.getOrThrow(verify(incoming("card", card(body), search ? { search } : {})))
    const payment = { kind: "card", transactionId: "100001", ordered: undefined }
    for (const search of [undefined, token]) {
      expect(of({ refundId: "7" }, search)).toMatchObject({ ...payment, refundId: "7" })
      expect(of({ refundId: 7 }, search)).toMatchObject({ ...payment, refundId: "7" })
      for (const refundId of [undefined, "", "..", null, {}, "x".repeat(129)]) {
        expect(of({ refundId }, search)).toMatchObject({ ...payment, refundId: undefined })
      }
    }
  })
})

const sign = NodeHmac.keyed(Redacted.make("secret"))
const ordered = { requestId: "order-1" }
const encode = (merchant?: string) =>
  Token.encode(sign, { operation: "refund", ordered, ...(merchant !== undefined && { merchant }) })

it("a token names the merchant that it was made for, whoever signed it", () => {
  expect(Token.merchantOf(encode("shop-1"))).toBe("shop-1")
  expect(Token.merchantOf(encode("shop-1").replace(/\..*$/u, ".x"))).toBe("shop-1")
  expect(Token.merchantOf(encode())).toBeUndefined()
})

it("a text that is no token names no merchant", () => {
  const content = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  for (const text of ["", ".", "!!.x", content({}), content(["refund", "r"])]) {
    expect(Token.merchantOf(text)).toBeUndefined()
  }
  const none = ["refund", "r", null, null, null, null]
  expect(Token.merchantOf(content(none))).toBeUndefined()
})

it("a token of more than 1,024 characters is not read", () => {
  const named = (length: number) => {
    const token = encode("m".repeat(length))
    return [token.length, Token.merchantOf(token)?.length] as const
  }
  const all = Array.from({ length: 200 }, (_, index) => named(600 + index))
  const [last] = all.filter(([size]) => size <= Token.maxLength).slice(-1)
  expect(last?.[0]).toBeGreaterThan(1000)
  for (const [size, length] of all) {
    expect([size, length !== undefined]).toEqual([size, size <= 1024])
  }
  const content = JSON.stringify(["refund", null, null, null, null, "m".repeat(735)])
  const text = Buffer.from(content).toString("base64url")
  expect(text).toHaveLength(1024)
  expect(Token.merchantOf(text)).toHaveLength(735)
})
