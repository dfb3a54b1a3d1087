import { type Method } from "@pawl/core/Kind"
import { signedNames } from "@pawl/core/internal/SignedFields"
import * as Checksum from "@pawl/core/Checksum"
import { statuses } from "@pawl/core/Status"
import fc from "fast-check"
import type { Transition } from "@pawl/core/Handler"
import { bodyOf } from "@pawl/receiver/Forwarder"
import { encode, operations } from "@pawl/webhook/internal/verify/Token"
import { documents, quarantines, requestDocuments } from "./documents.ts"
import { type Event, type Inputs, queryOf, signOf } from "./Vectors.ts"

const status = fc.constantFrom(...statuses)
const policy = fc.constantFrom("final" as const, "always" as const, "never" as const)
const evidence = fc.nat(2 ** 20 - 1)
const read = fc.record({ status, askedAt: fc.nat(3) })
const secret = fc.constantFrom("sandbox-secret", "geheim-ß", "🔑", "k".repeat(100))
const text = fc.oneof(
  { arbitrary: fc.stringMatching(/^[a-zA-Z0-9._-]{1,12}$/), weight: 12 },
  { arbitrary: fc.constantFrom("10.00", "EUR", "mid-ü", "汉字", "🔑"), weight: 6 },
  { arbitrary: fc.string({ unit: "binary", maxLength: 6 }), weight: 1 },
  { arbitrary: fc.constantFrom("a|b", "", "\u0085", "\n"), weight: 1 }
)
const numbers = fc.constantFrom("10", "10.00", "0.5", "1e2", "12345678901234567890", "-0", "7")

const field = fc.oneof(
  { arbitrary: text.map((signed) => ({ json: JSON.stringify(signed), signed })), weight: 16 },
  { arbitrary: numbers.map((signed) => ({ json: signed, signed })), weight: 8 },
  {
    arbitrary: fc.constantFrom("null", "true", "[]", "").map((json) => ({ json, signed: json })),
    weight: 1
  }
)
const otherField = fc.constantFrom(
  '"transactionStatus":"FAILED"',
  '"metadata":{"mid":"a"}',
  '"accountId":"1"',
  '"mid":"1"'
)

const change = fc.constantFrom("none", "none", "none", "secret", "field", "method", "hex", "twice")

const callback = fc
  .record({
    method: fc.constantFrom<Method>("card", "apm"),
    secret,
    fields: fc.tuple(field, field, field, field),
    others: fc.uniqueArray(otherField, { maxLength: 2 }),
    changed: fc.nat(3),
    change
  })
  .map(({ change, changed, fields, method, others, secret }) => {
    const [account, amount, currency, transactionId] = fields
    const checksum = Checksum.callback(signOf(change === "secret" ? "another" : secret), {
      account: account.signed,
      amount: amount.signed,
      currency: currency.signed,
      transactionId: transactionId.signed
    })
    const members = fields.flatMap(({ json }, index) => {
      const value = change === "field" && index === changed ? '"changed"' : json
      return value === "" ? [] : [`"${signedNames[method][index]}":${value}`]
    })
    const names = new Set(members.map((member) => member.split(":")[0]))
    const rest = others.filter((member) => !names.has(member.split(":")[0]))
    const query = queryOf(change === "method" ? (method === "card" ? "apm" : "card") : method)
    return {
      about: `drawn, changed: ${change}`,
      secrets: [secret] as const,
      query: change === "twice" ? `${query}&paymentMethod=card` : query,
      body: `{${[...rest, ...members].join(",")}}`,
      checksum: change === "hex" ? Buffer.from(checksum, "base64").toString("hex") : checksum
    }
  })

const order = fc.record({ requestId: text, accountId: text, amount: text, currency: text })

const request = fc.record({
  about: fc.constant("drawn"),
  operation: fc.constantFrom("apm-payment", "apm-payout"),
  secret,
  separator: fc.constantFrom("|", "", ":"),
  request: order.map((fields) => ({ ...fields, apmPayload: { apmType: "PIX" } }))
})

const url = fc.record({
  about: fc.constant("drawn"),
  secret,
  merchant: fc.option(text),
  url: fc.constantFrom("https://a.example/c", "http://b.example?x=%2B#y", "https://c.example?"),
  operation: fc.constantFrom(...operations),
  request: order
})

const token = fc
  .record({ key: secret, secret, operation: fc.constantFrom(...operations), ordered: order })
  .map(({ key, secret, ...content }) => ({
    about: "drawn",
    secret,
    token: encode(signOf(key), content)
  }))

const forward = fc
  .record({ id: text, kind: text, method: text, transactionId: text, to: status })
  .map((drawn) => bodyOf({ ...drawn, sequence: drawn.id.length } as unknown as Transition))
  .chain((body) =>
    fc.record({
      about: fc.constant("drawn"),
      secret,
      source: fc.option(fc.webUrl()),
      at: fc.nat(),
      body: fc.constant(body)
    })
  )

const state = fc.record({ evidence, read: fc.option(read) })
const event: fc.Arbitrary<Event> = fc.oneof(
  status.map((callback) => ({ callback })),
  status.map((response) => ({ response })),
  read.map(({ askedAt, status }) => ({ read: status, askedAt }))
)

/** The documents are the committed ones. */
export const draw = (count: number, seed: number): Inputs => {
  const some = <A>(arbitrary: fc.Arbitrary<A>, group: number): ReadonlyArray<A> =>
    fc.sample(arbitrary, { numRuns: Math.floor((count + group) / 8), seed })
  return {
    callbacks: some(callback, 0),
    requests: some(request, 1),
    urls: some(url, 2),
    tokens: some(token, 3),
    forwards: some(forward, 4),
    documents,
    requestDocuments,
    quarantines,
    joins: some(fc.record({ left: state, right: state }), 5),
    standings: some(fc.record({ evidence, read: fc.option(status), policy }), 6),
    histories: some(
      fc.record({
        about: fc.constant("drawn"),
        policy,
        toldBefore: fc.option(status),
        events: fc.array(event, { maxLength: 8 })
      }),
      7
    )
  }
}
