/**
 * The inputs of the committed vectors of what pawl sends.
 */
import type { Transition } from "@pawl/core/Handler"
import type { RequestKind } from "@pawl/core/RequestSender"
import * as Base64Url from "effect/encoding/Base64Url"
import { bodyOf } from "@pawl/receiver/Forwarder"
import { transition as firstTransition } from "@pawl/test-support/Service"
import * as Token from "@pawl/webhook/internal/verify/Token"
import type { ForwardInput, RequestInput, TokenInput, UrlInput } from "./Sent.ts"
import { signOf } from "./Vectors.ts"

const secret = "sandbox-secret"

const order = { requestId: "r-1", accountId: "4711", amount: "10.00", currency: "EUR" }
const apmPayload = { apmType: "PIX" }
const request = (
  about: string,
  operation: RequestKind,
  request: object,
  changes: Partial<RequestInput> = {}
): RequestInput => ({ about, operation, secret, separator: "|", request, ...changes })
const payment = (about: string, changed: object = {}, changes?: Partial<RequestInput>) =>
  request(about, "apm-payment", { ...order, apmPayload, ...changed }, changes)
const refund = (about: string, transactionId: string) =>
  request(about, "refund", {
    requestId: "r-1",
    mid: "mid-1",
    transactionId,
    amount: "1",
    reason: "a"
  })

export const requests: ReadonlyArray<RequestInput> = [
  payment("an APM payment"),
  request("an APM payout", "apm-payout", { ...order, apmPayload }),
  payment("other fields are not signed", { metadata: { note: 'ü "\n\u2028\u007f' } }),
  payment("no separator", {}, { separator: "" }),
  payment("texts and secrets are UTF-8", { requestId: "r-ü" }, { secret: "geheim-ß" }),
  ...["10", "10.5", "10.555", "010", "1e2"].map((amount) => payment("an amount", { amount })),
  ...["JPY", "eur"].map((currency) => payment("a currency", { currency })),
  ...[
    "a|b",
    "",
    "a\u001fb",
    "a\u009fb",
    "a\u00a0b",
    "a\ud800",
    "a".repeat(128),
    "🔑".repeat(129)
  ].map((text) => payment("a requestId", { requestId: text })),
  ...["0", "9", "/", ":", "0077", "", "a", "7|7", "\u0667", "7".repeat(128), "7".repeat(129)].map(
    (text) => payment("an accountId", { accountId: text }, { separator: "" })
  ),
  request("a card payment has no checksum", "card-payment", {
    requestId: "r-1",
    mid: "mid-1",
    amount: "1"
  }),
  request("a card payment with an invalid amount", "card-payment", {
    requestId: "r-1",
    amount: "1.005"
  }),
  request("a card payment with a bar", "card-payment", { requestId: "r|1", amount: "1" }),
  ...["5", "90", "12345678901234567890", "0", "1/", "1:", ":", "007", "-1", "1.5", "a"].map((id) =>
    refund("the transactionId of a refund is a number in the body", id)
  ),
  refund("a transactionId of 128 digits", "9".repeat(128)),
  refund("a transactionId of 129 digits", "9".repeat(129)),
  ...["", "a|b", "a\u009fb", "🔑".repeat(128), "🔑".repeat(129)].map((mid) =>
    request("a mid", "card-payment", { requestId: "r-1", mid, amount: "1" })
  )
]

const url = (about: string, changes: Partial<UrlInput> = {}): UrlInput => ({
  about,
  secret,
  merchant: null,
  url: "https://shop.example/callback",
  operation: "apm-payment",
  request: order,
  ...changes
})

export const urls: ReadonlyArray<UrlInput> = [
  ...Token.operations.map((operation) => url(`a token of ${operation}`, { operation })),
  url("a card operation", {
    operation: "card-payout",
    request: { requestId: "r-1", mid: "mid-ü", amount: "10" }
  }),
  url("only a requestId", { operation: "refund", request: { requestId: 'r "1"\\\u2028' } }),
  url("a receiver of several merchants", { merchant: "shop-1" }),
  url("another secret", { secret: "geheim-ß" }),
  ...[
    "http://shop.example",
    "HTTPS://shop.example/?a=1",
    "https://shop.example/?a=1&",
    "https://shop.example/?",
    "https://shop.example/#top",
    "https://shop.example/?a=1#b?c#d",
    "https://shop.example/?paymentMethods=1&xpawl=1&pawls=2",
    "https://shop.example/#pawl=1",
    "/callback",
    "ftp://shop.example/",
    "xhttps://shop.example/",
    "https://shop.example/a b",
    "https://shop.example/\n",
    "https://shop.example/?PaymentMethod=card",
    "https://shop.example/?a&apmtype[0]=PIX",
    "https://shop.example/?pawl=",
    "https://shop.example/?%50awl[a]=1"
  ].map((text) => url("a URL", { url: text })),
  ...[722, 723].map((length) =>
    url(`a requestId of ${length} characters`, {
      operation: "refund",
      request: { requestId: "r".repeat(length) }
    })
  )
]

const signed = (content: string, prefix = "pawl callback url 1\n") => {
  const tag = Buffer.from(signOf(secret)(prefix + content).subarray(0, 16)).toString("base64url")
  return `${content}.${tag}`
}
const written = (content: unknown) => signed(Base64Url.encode(JSON.stringify(content)))
const genuine = written(["refund", "r-1", "mid-ü", "10.00", "EUR"])
const [content = "", tag = ""] = genuine.split(".")
const token = (about: string, token: string, changes: Partial<TokenInput> = {}): TokenInput => ({
  about,
  secret,
  token,
  ...changes
})

const longest = (length: number) => {
  const text = written(["refund", "r".repeat(length), null, null, null])
  return token(`a token of ${text.length} characters`, text)
}

export const tokens: ReadonlyArray<TokenInput> = [
  token("a token", genuine),
  token("of a merchant", written(["refund", "r-1", "mid-1", "10.00", "EUR", "shop-1"])),
  ...Token.operations.map((operation) =>
    token(`of ${operation}`, written([operation, "r-1", null, null, null]))
  ),
  token("another secret", genuine, { secret: "other-secret" }),
  token("another tag", `${content}.${tag.toLowerCase()}`),
  token("a tag that is too short", `${content}.${tag.slice(0, -1)}`),
  token("another content", `${Base64Url.encode('["refund",null,null,null,null]')}.${tag}`),
  token("no tag", content),
  token("a third part", `${genuine}.`),
  token("nothing", ""),
  token("no prefix", signed(content, "")),
  token("padding", signed(`${content}${"=".repeat((4 - (content.length % 4)) % 4)}==`)),
  token(
    "base64 of the other alphabet",
    signed(Buffer.from('["refund","???",null,null,"~~"]').toString("base64"))
  ),
  token("a length that base64url has not", signed("WyJyZWZ1b")),
  token("no JSON", signed(Base64Url.encode("["))),
  token("no UTF-8", signed(Base64Url.encode(Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d)))),
  token("an object", written({ 0: "refund", 1: "r-1", 2: null, 3: null, 4: null })),
  token("true", written(["refund", true, null, null, null])),
  token("a byte order mark", signed(Base64Url.encode(`\ufeff["refund",null,null,null,null]`))),
  token("a text", written("refund")),
  token("five characters", written("12345")),
  token("another operation", written(["card", "r-1", null, null, null])),
  token("no operation", written([null, "r-1", null, null, null])),
  token("four values", written(["refund", "r-1", null, null])),
  token("six values with null", written(["refund", "r-1", null, null, null, null])),
  token("seven values", written(["refund", "r-1", null, null, null, "a", "b"])),
  ...[1, 2, 3, 4, 5].map((at) =>
    token(
      `a number at ${at}`,
      written(["refund", "a", "b", "c", "d", "e"].map((each, place) => (place === at ? 1 : each)))
    )
  ),
  ...[722, 723].map(longest)
]

const transition: Transition = {
  ...firstTransition,
  id: "card:100007:2:SUCCEED",
  transactionId: "100007",
  from: "PENDING",
  sequence: 2
}
const forward = (
  about: string,
  changed: Partial<Transition> = {},
  changes: Partial<ForwardInput> = {}
): ForwardInput => ({
  about,
  secret,
  source: null,
  at: 1_700_000_000_000,
  body: bodyOf({ ...transition, ...changed }),
  ...changes
})

export const forwards: ReadonlyArray<ForwardInput> = [
  forward("a transition"),
  forward("the time is in whole seconds", {}, { at: 1_700_000_000_999 }),
  forward("the body is signed as UTF-8", { callback: { note: "ü\u2028🔑" } }),
  forward("a secret in base64", {}, { secret: "whsec_/+8BAgMEBQYHCAkKCwwNDg==" }),
  forward("a secret with the prefix in another place", {}, { secret: "a-whsec_AAAA" }),
  forward("a source", {}, { source: "https://shop.example/?a=ü%20" }),
  forward("a sequence of ten digits", { sequence: 1_234_567_890 }),
  forward("another kind, method and status", { kind: "apm-payout", method: "apm", to: "FAILED" }),
  ...['a b"c%d', "!~\u007fü🔑", "é/\u00a0", "a|b"].map((id) =>
    forward("characters that a header has percent-encoded", { id: `card:${id}`, transactionId: id })
  )
]
