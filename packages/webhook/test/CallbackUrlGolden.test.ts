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
import { describe, expect, it } from "vitest"
import * as CallbackUrl from "../src/CallbackUrl.ts"
import { apm, card, checksum, incoming, secret, verifierOf } from "@pawl/test-support/Service"

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
