import { keyed } from "@pawl/core/NodeHmac"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import * as Token from "../src/internal/verify/Token.ts"

const sign = keyed(Redacted.make("secret"))
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
