/** The callbacks of the service for tests, signed by code that is independent of the receiver. */
import { keyed } from "@pawl/core/NodeHmac"
import type { Transition } from "@pawl/core/Handler"
import { Hmac } from "@pawl/core/Hmac"
import type { Method } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { createHmac } from "node:crypto"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Verifier from "@pawl/webhook/Verifier"

export const secret = "sandbox-secret"

type Fields = Readonly<Record<string, unknown>>

export const card = (changes?: Fields): Fields => ({
  mid: "mid-1",
  orderAmount: "10.00",
  orderCurrency: "EUR",
  transactionId: "100001",
  transactionStatus: "SUCCEED",
  ...changes
})

export const apm = (changes?: Fields): Fields => ({
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  transactionId: "100001",
  transactionStatus: "SUCCEED",
  apmType: "PIX",
  ...changes
})

export const transition: Transition = {
  id: "card-payment:100001:1:SUCCEED",
  method: "card",
  kind: "card-payment",
  transactionId: "100001",
  requestId: null,
  from: null,
  to: "SUCCEED",
  confirmed: true,
  conflict: null,
  sequence: 1,
  attempt: 1,
  signed: null,
  callback: null
}

export const names = {
  card: ["mid", "orderAmount", "orderCurrency", "transactionId"],
  apm: ["accountId", "amount", "currency", "transactionId"]
} as const

export const sign = (texts: ReadonlyArray<unknown>, key: string = secret): string =>
  createHmac("sha256", key).update(texts.join("|"), "utf8").digest("base64")

/** Signs the fields of a callback. A number is signed as JavaScript prints it. */
export const checksum = (method: Method, body: Fields, key: string = secret): string =>
  sign(
    names[method].map((name) => body[name]),
    key
  )

/** Makes the request of a callback, with the `changes` of an attacker. */
export const incoming = (
  method: Method,
  body: Fields,
  changes?: Partial<Verifier.Incoming>
): Verifier.Incoming => ({
  method: "POST",
  search: method === "card" ? "?paymentMethod=card" : "?paymentMethod=apm&apmType=PIX",
  contentType: "application/json",
  contentEncoding: undefined,
  checksum: checksum(method, body),
  body: bytes(JSON.stringify(body)),
  ...changes
})

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export const verifierOf = (current: string, previous?: string) =>
  Effect.runSync(
    Verifier.Verifier.pipe(
      Effect.provide(
        Verifier.layer({
          current: Redacted.make(current),
          previous: previous === undefined ? undefined : Redacted.make(previous)
        }).pipe(Layer.provide(Layer.succeed(Hmac, { keyed })))
      )
    )
  )

export const { verify } = verifierOf(secret)

/** Returns the HTTP status: that of the refusal, or 200. */
export const answer = (request: Verifier.Incoming): number =>
  Result.match(verify(request), { onFailure: ({ status }) => status, onSuccess: () => 200 })

/** Returns a query with the token of an operation and the parameters that the service appends. */
export const search = (
  method: Method,
  kind: CallbackUrl.Operation,
  request: TokenRequest
): string => `${tokenOf(kind, request)}&paymentMethod=${method}`

export const tokenOf = (
  kind: CallbackUrl.Operation,
  request: TokenRequest,
  key = secret,
  merchant?: string
): string =>
  Effect.runSync(
    Effect.provide(
      Effect.flatMap(CallbackUrl.CallbackUrl, (callbackUrl) =>
        callbackUrl.make("https://shop.example/callback?shop=1", kind, request)
      ),
      CallbackUrl.layer(Redacted.make(key), { merchant }).pipe(
        Layer.provide(Layer.succeed(Hmac, { keyed }))
      )
    )
  ).replace(/^[^?]*/u, "")

type TokenRequest = Parameters<CallbackUrl.CallbackUrl["Service"]["make"]>[2]

/** Returns a verified callback; `search` is the query of its URL, for example with a token. */
export const verified = (method: Method, body: Fields, search?: string): Verifier.Verified =>
  Result.getOrThrow(verify(incoming(method, body, search === undefined ? {} : { search })))
