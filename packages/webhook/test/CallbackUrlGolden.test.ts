/**
 * Callback URLs of the first version. The service keeps a URL as long as its transaction, so every
 * later version writes and reads the same.
 *
 * The tokens were made without pawl:
 *
 *     content=$(printf '%s' '["apm-payment","order-17","4711","10.00","EUR"]' | basenc --base64url -w0 | tr -d =)
 *     printf 'pawl callback url 1\n%s' "$content" | openssl dgst -sha256 -hmac sandbox-secret -binary |
 *       head -c 16 | basenc --base64url -w0 | tr -d =
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import type { Method } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as CallbackUrl from "../src/CallbackUrl.ts"
import {
  apm,
  card,
  checksum,
  incoming,
  search,
  secret,
  verified,
  verifierOf
} from "@pawl/test-support/Service"

type Request = Parameters<CallbackUrl.CallbackUrl["Service"]["make"]>[2]

interface Issued {
  readonly operation: CallbackUrl.Operation
  readonly method: Method
  readonly kind: string
  readonly request: Request
  readonly token: string
  readonly key?: string
}

const issued: ReadonlyArray<Issued> = [
  {
    operation: "apm-payment",
    method: "apm",
    kind: "apm-payment",
    request: { requestId: "order-17", accountId: "4711", amount: "10.00", currency: "EUR" },
    token: "WyJhcG0tcGF5bWVudCIsIm9yZGVyLTE3IiwiNDcxMSIsIjEwLjAwIiwiRVVSIl0.xkAgrJORqNGZktI6R6AwVQ"
  },
  {
    operation: "apm-payout",
    method: "apm",
    kind: "apm-payout",
    request: { requestId: "p-1", accountId: "4711", amount: "0.5", currency: "EUR" },
    token: "WyJhcG0tcGF5b3V0IiwicC0xIiwiNDcxMSIsIjAuNSIsIkVVUiJd.ywsdjh3YaYIoJ_cQDl6Ong"
  },
  {
    operation: "card-payment",
    method: "card",
    kind: "card-payment",
    request: { requestId: "c-1", mid: "mid-1", amount: "10.00", currency: "EUR" },
    token: "WyJjYXJkLXBheW1lbnQiLCJjLTEiLCJtaWQtMSIsbnVsbCxudWxsXQ.nG4mi50MSv2ywtO1aFkBnQ"
  },
  {
    operation: "card-payout",
    method: "card",
    kind: "card-payout",
    request: { requestId: "k-1", mid: "mid-1", amount: "10" },
    token: "WyJjYXJkLXBheW91dCIsImstMSIsIm1pZC0xIiwiMTAiLG51bGxd.b1n_GCR2TvWw3thBWRl8zQ"
  },
  {
    operation: "refund",
    method: "card",
    kind: "refund",
    request: { requestId: "r-1", mid: "mid-ü", amount: "10.00" },
    token: "WyJyZWZ1bmQiLCJyLTEiLCJtaWQtw7wiLCIxMC4wMCIsbnVsbF0.gEMNlpTWkQzk-4elBGVTxw"
  },
  {
    operation: "payment",
    method: "card",
    kind: "card-payment",
    request: { requestId: "i-1", mid: "mid-1", amount: "10.00", currency: "EUR" },
    token: "WyJwYXltZW50IiwiaS0xIiwibWlkLTEiLG51bGwsbnVsbF0.4wV55oOi-OvLhzgS0VJqvw"
  },
  {
    operation: "payout",
    method: "apm",
    kind: "apm-payout",
    request: { requestId: "o-1", mid: "mid-1", amount: "10.00", currency: "EUR" },
    token: "WyJwYXlvdXQiLCJvLTEiLCJtaWQtMSIsbnVsbCxudWxsXQ.eBgA-B1HLQH8pqxABH-9nw",
    key: "geheim-ß"
  }
]

describe.each(issued)(
  "the URL of $operation",
  ({ key = secret, kind, method, operation, request, token }) => {
    it("is written as before", () => {
      const layer = CallbackUrl.layer(Redacted.make(key)).pipe(Layer.provide(NodeHmac.layer))
      const make = CallbackUrl.CallbackUrl.use((callbackUrl) =>
        callbackUrl.make("https://shop.example/c", operation, request)
      )
      expect(Effect.runSync(Effect.provide(make, layer))).toBe(
        `https://shop.example/c?pawl=${token}`
      )
    })

    it("is read as before", () => {
      const { accountId, mid, requestId } = request
      const account = accountId ?? mid
      const body = method === "card" ? card({ mid: account }) : apm({ accountId: account })
      const { verify } = verifierOf(key)
      const search = `?pawl=${token}&paymentMethod=${method}`
      const callback = incoming(method, body, { search, checksum: checksum(method, body, key) })
      expect(Result.getOrThrow(verify(callback))).toMatchObject({
        kind,
        ordered: { requestId, account }
      })
    })
  }
)

const signed = (content: string): string => {
  const tag = createHmac("sha256", secret).update(`pawl callback url 1\n${content}`).digest()
  return `${content}.${tag.subarray(0, 16).toString("base64url")}`
}
const encoded = (json: unknown): string => Buffer.from(JSON.stringify(json)).toString("base64url")
const verifiedWith = (token: string) =>
  verified("card", card(), `?pawl=${token}&paymentMethod=card`)

it.each([
  "",
  "a",
  "ab*d",
  encoded("refund").slice(1),
  encoded("apm-p"),
  encoded({ length: 5, 0: "refund" }),
  encoded(["refund", null, null, null]),
  encoded(["refund", null, null, null, null, null]),
  encoded(["refund", 1, null, null, null]),
  encoded(["refund", null, null, null, 1]),
  encoded(["chargeback", null, null, null, null]),
  encoded(["refund", "r".repeat(900), null, null, null])
])("a signed token with the content %j is ignored", (content) => {
  expect(verifiedWith(signed(content)).kind).toBe("card")
})

it("a token is read only with its own signature", () => {
  const token = signed(encoded(["refund", null, null, null, null]))
  const { kind, ordered } = verifiedWith(token)
  expect([kind, ordered]).toEqual(["refund", {}])
  for (const other of [`${token}.`, `${token}A`, token.slice(0, -1), token.replace(".", "")]) {
    expect(verifiedWith(other).kind).toBe("card")
  }
})

it("a token of up to 1,024 characters is read, and no longer one is issued", () => {
  const read = (length: number) => {
    const requestId = "r".repeat(length - '["refund","",null,null,null]'.length)
    const token = search("card", "refund", { requestId })
    const { kind } = verified("card", card(), token)
    return [new URLSearchParams(token).get("pawl")?.length, kind]
  }
  // Lengths of the JSON. Base64url has no text of 1,001 characters, so no JSON has 1,024.
  expect(read(750)).toEqual([1023, "refund"])
  expect(() => read(751)).toThrow("no room")
})
