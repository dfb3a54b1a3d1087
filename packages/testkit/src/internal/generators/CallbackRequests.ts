/**
 * fast-check arbitraries of callbacks as the service sends them, in the layout of their method
 * (`spec.md`, "Callback checksum").
 */
import { type Body, type Signed } from "@pawl/core/Callback"
import { signedNames } from "@pawl/core/internal/SignedFields"
import * as Checksum from "@pawl/core/Checksum"
import { keyed } from "@pawl/core/Hmac"
import { statuses } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type { OpenStatus } from "@pawl/core/Transaction"
import type { Incoming } from "@pawl/webhook/Verifier"
import type * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import type { Delivery } from "./Deliveries.ts"

/** The data that a callback states. */
export interface CallbackContent {
  readonly method: Method
  readonly signed: Signed
  readonly status: OpenStatus
  /** The JSON type of the amount; a number has the digits of the text. */
  readonly amount: "text" | "number"
  /** The fields besides the four signed ones and the status. */
  readonly unsigned: Body
  readonly apmType: string
  /** The parameters of the merchant's own callbackUrl. */
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
}

/** Writes and signs a callback, as it arrives at a receiver. */
export const toIncoming = (sign: Checksum.Sign, content: CallbackContent): Incoming => {
  const { apmType, method, query, signed, status, unsigned } = content
  const texts = [signed.account, signed.amount, signed.currency, signed.transactionId]
  const members = [
    ...signedNames[method].map((name, at) => [
      name,
      at === 1 && content.amount === "number" ? signed.amount : JSON.stringify(texts[at])
    ]),
    ["transactionStatus", JSON.stringify(status)],
    ...(method === "apm" ? [["apmType", JSON.stringify(apmType)]] : []),
    ...Object.entries(unsigned).map(([name, value]) => [name, JSON.stringify(value)])
  ]
  const json = members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")
  const parameters = [
    ...query,
    ["paymentMethod", method] as const,
    ...(method === "apm" ? [["apmType", apmType] as const] : [])
  ]
  return {
    method: "POST",
    search: `?${parameters.map((pair) => pair.map(encodeURIComponent).join("=")).join("&")}`,
    contentType: "application/json",
    contentEncoding: undefined,
    checksum: Checksum.callback(sign, signed),
    body: utf8.encode(`{${json}}`)
  }
}

const utf8 = new TextEncoder()

/** Makes a web `Request`, at an absolute URL without a query. */
export const toRequest = (url: string, incoming: Incoming): Request =>
  new Request(`${url}${incoming.search}`, {
    method: incoming.method,
    headers: {
      "content-type": incoming.contentType ?? "",
      "x-checksum": incoming.checksum ?? ""
    },
    body: incoming.body.slice()
  })

/** A forgery changes only fields that the checksum does not cover. */
export const fromDelivery = (
  transaction: { readonly method: Method; readonly signed: Signed; readonly unsigned?: Body },
  { amount, forged, status }: Delivery
): CallbackContent => {
  const { method, signed, unsigned = {} } = transaction
  const content = { method, signed, status, amount, unsigned, apmType: "PIX", query: [] }
  switch (forged) {
    case undefined:
    case "status":
      return content
    case "metadata":
      return { ...content, unsigned: { ...unsigned, metadata: { forged: "yes" } } }
    case "response":
      return {
        ...content,
        unsigned: { ...unsigned, apmResponseData: { redirectUrl: "https://x.example" } }
      }
    case "refundId":
      return { ...content, unsigned: { ...unsigned, refundId: "999999" } }
    case "kind":
      return { ...content, method: method === "card" ? "apm" : "card" }
    case "type":
      return { ...content, apmType: "OTHER" }
  }
}

const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => /^[^|\p{Cc}\p{Cs}]+$/u.test(text))

const storable = fc.string({ unit: "grapheme", maxLength: 8 })

/** Contents of callbacks in both layouts, with metadata and a query of the merchant. */
export const contents: fc.Arbitrary<CallbackContent> = fc.record({
  method: fc.constantFrom("card", "apm"),
  signed: fc.record({
    account: word,
    amount: fc
      .tuple(fc.nat().map(String), fc.constantFrom("", ".5", ".00", ".05", ".99"))
      .map(([whole, cents]) => `${whole}${cents}`),
    currency: fc.constantFrom("EUR", "JPY", "KWD", "USD"),
    transactionId: fc
      .stringMatching(/^[A-Za-z0-9_.:/-]{1,128}$/)
      .filter((id) => !/^\.{1,2}$/u.test(id))
  }),
  status: fc.constantFrom(...statuses),
  amount: fc.constantFrom("text", "number"),
  unsigned: fc.record(
    { metadata: fc.dictionary(storable, storable, { maxKeys: 3, noNullPrototype: true }) },
    { requiredKeys: [], noNullPrototype: true }
  ),
  apmType: fc.constantFrom("PIX", "WALLET", "BANK TRANSFER"),
  query: fc.array(fc.tuple(fc.constantFrom("order", "q", "paymentmethods"), storable), {
    maxLength: 2
  })
})

export const callbacks = (secret: Redacted.Redacted): fc.Arbitrary<Incoming> => {
  const sign = keyed(secret)
  return contents.map((content) => toIncoming(sign, content))
}
