/**
 * Callbacks as the service posts them, with a checksum that holds, for fast-check.
 *
 * **Details**
 *
 * A post is what a callback says; `request` writes and signs it in the layout of its method (`spec.md`,
 * "Callback checksum"). `of` makes the post of a delivery, and forges what was forged: the checksum of a
 * forgery holds, since it covers none of what was changed.
 *
 * @since 0.1.0
 */
import { type Body, type Signed, signedNames } from "@pawl/core/Callback"
import * as Checksum from "@pawl/core/Checksum"
import { keyed } from "@pawl/core/PortableHmac"
import { statuses } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type { OpenStatus } from "@pawl/core/Transaction"
import type { Incoming } from "@pawl/webhook/Verifier"
import type * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import type { Delivery } from "./Deliveries.ts"

/**
 * What a callback says.
 *
 * - `amount`: whether the amount is written as text or as a number, digit by digit.
 * - `unsigned`: the fields besides the four signed ones and the status.
 * - `apmType`: goes into the query, and into the body, of an APM callback.
 * - `query`: the parameters of the merchant's own callbackUrl.
 *
 * @category models
 * @since 0.1.0
 */
export interface Post {
  readonly method: Method
  readonly signed: Signed
  readonly status: OpenStatus
  readonly amount: "text" | "number"
  readonly unsigned: Body
  readonly apmType: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
}

/**
 * Writes and signs a post, as it arrives at a receiver.
 *
 * @category constructors
 * @since 0.1.0
 */
export const request = (sign: Checksum.Sign, post: Post): Incoming => {
  const { apmType, method, query, signed, status, unsigned } = post
  const texts = [signed.account, signed.amount, signed.currency, signed.transactionId]
  const members = [
    ...signedNames[method].map((name, at) => [
      name,
      at === 1 && post.amount === "number" ? signed.amount : JSON.stringify(texts[at])
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

/**
 * Makes the web request of what arrives, at an absolute URL without a query.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toRequest = (url: string, incoming: Incoming): Request =>
  new Request(`${url}${incoming.search}`, {
    method: incoming.method,
    headers: {
      "content-type": incoming.contentType ?? "",
      "x-checksum": incoming.checksum ?? ""
    },
    body: incoming.body.slice()
  })

/**
 * Makes the post of a delivery of a transaction; a forgery changes what the checksum does not cover.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = (
  transaction: { readonly method: Method; readonly signed: Signed; readonly unsigned?: Body },
  { amount, forged, status }: Delivery
): Post => {
  const { method, signed, unsigned = {} } = transaction
  const post = { method, signed, status, amount, unsigned, apmType: "PIX", query: [] }
  switch (forged) {
    case undefined:
    case "status":
      return post
    case "metadata":
      return { ...post, unsigned: { ...unsigned, metadata: { forged: "yes" } } }
    case "response":
      return {
        ...post,
        unsigned: { ...unsigned, apmResponseData: { redirectUrl: "https://x.example" } }
      }
    case "refundId":
      return { ...post, unsigned: { ...unsigned, refundId: "999999" } }
    case "kind":
      return { ...post, method: method === "card" ? "apm" : "card" }
    case "type":
      return { ...post, apmType: "OTHER" }
  }
}

/** What a joined checksum text may consist of. */
const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => /^[^|\p{Cc}\p{Cs}]+$/u.test(text))

const storable = fc.string({ unit: "grapheme", maxLength: 8 })

/**
 * Posts in both layouts, inside the grammar of the service, with the merchant's own metadata and query.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const posts: fc.Arbitrary<Post> = fc.record({
  method: fc.constantFrom("card", "apm"),
  signed: fc.record({
    account: word,
    amount: fc
      .tuple(fc.nat().map(String), fc.constantFrom("", ".5", ".00", ".05", ".99"))
      .map(([whole, cents]) => `${whole}${cents}`),
    currency: fc.constantFrom("EUR", "JPY", "KWD", "USD"),
    transactionId: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)
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

/**
 * Makes the arbitrary of callbacks signed with a secret, as they arrive at a receiver.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const callbacks = (secret: Redacted.Redacted): fc.Arbitrary<Incoming> => {
  const sign = keyed(secret)
  return posts.map((post) => request(sign, post))
}
