import { forAll } from "@pawl/test-support/Properties"
import { character } from "@pawl/test-support/Text"
import type { Method } from "@pawl/core/Kind"
import { isStatus, statuses } from "@pawl/core/Status"
import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Incoming } from "../src/Verifier.ts"
import { answer, bytes, names, sign, verifierOf, verify } from "@pawl/test-support/Service"
import { repeats } from "@pawl/test-support/Repeats"

const reserved = new Set<string>([...names.card, ...names.apm, "transactionStatus", "apmType"])
const routing = new Set(["paymentmethod", "apmtype"])

interface Token {
  readonly json: string
  readonly text: string
}
const text = (value: string): Token => ({ json: JSON.stringify(value), text: value })
const number = (lexeme: string): Token => ({ json: lexeme, text: lexeme })
const either = (lexeme: string) => fc.constantFrom(text(lexeme), number(lexeme))

const isSignable = (value: string) => /^[^|\p{Cc}\p{Cs}]+$/u.test(value)
const word = fc.string({ unit: character, minLength: 1, maxLength: 12 }).filter(isSignable)
const digits = fc.maxSafeNat().map(String)
const wholes = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }).map(String)

const account = fc.oneof(word.map(text), digits.chain(either))
const amount = fc
  .tuple(wholes, fc.constantFrom("", ".0", ".00", ".5", ".05", ".99", ".500", ".0000"))
  .chain(([whole, cents]) => either(`${whole}${cents}`))
const currency = fc.stringMatching(/^[A-Z]{3}$/).map(text)
const transactionId = fc.oneof(
  // The ids . and .. would be parts of a path.
  fc.constant(text("...")),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/).map(text),
  wholes.map(number)
)
const storable = fc.string({ unit: "grapheme", maxLength: 8 })
const extra = fc.dictionary(
  storable.filter((name) => !reserved.has(name)),
  fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }),
  { maxKeys: 6, noNullPrototype: true }
)
const query = fc.array(
  fc.tuple(
    fc.oneof(
      storable.filter((name) => !routing.has(name.toLowerCase().replace(/\[[^]*$/u, ""))),
      fc.constantFrom("my-paymentMethod", "paymentMethods", "xapmType", "apmTypes")
    ),
    storable
  ),
  { maxLength: 4 }
)

const own = {
  account,
  amount,
  currency,
  transactionId,
  status: fc.constantFrom<string>(...statuses)
}

const posted = (fields?: Partial<typeof own>) => {
  const { account, amount, currency, status, transactionId } = { ...own, ...fields }
  return fc.record({
    method: fc.constantFrom<Method>("card", "apm"),
    tokens: fc.tuple(account, amount, currency, transactionId) as fc.Arbitrary<
      ReadonlyArray<Token>
    >,
    status,
    extra,
    query,
    at: fc.nat(9),
    gap: fc.constantFrom("", " ", "\n  ", "\t")
  })
}

type Posted = ReturnType<typeof posted> extends fc.Arbitrary<infer Value> ? Value : never

const request = (
  { at, extra, gap, method, query, status, tokens }: Posted,
  key?: string
): Incoming => {
  const own = names[method].map((name, index) => [JSON.stringify(name), tokens[index]?.json])
  const others = Object.entries(extra).map((pair) => pair.map((each) => JSON.stringify(each)))
  const members = [...own, ['"transactionStatus"', JSON.stringify(status)], ...others]
  const turned = [...members.slice(at), ...members.slice(0, at)]
  const json = `{${turned.map(([name, value]) => `${gap}${name}${gap}:${gap}${value}`).join(",")}${gap}}`
  const type = method === "apm" ? [["apmType", "PIX"] as const] : []
  const ours = [["paymentMethod", method] as const, ...type]
  const pairs = [...query.slice(0, at), ...ours, ...query.slice(at)]
  return {
    method: "POST",
    search: `?${new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value]))}`,
    contentType: "application/json",
    contentEncoding: undefined,
    checksum: sign(
      tokens.map(({ text }) => text),
      key
    ),
    body: bytes(json)
  }
}

describe("a callback signed as the service does", () => {
  it("A23: verifies in both layouts, with numbers or texts, extra fields and query parameters of the merchant", () =>
    forAll([posted()], { numRuns: repeats(1000) }, (callback) => {
      const incoming = request(callback)
      const { bytes, claim, method, quarantine, signed } = Result.getOrThrow(verify(incoming))
      const [account, amount, currency, transactionId] = callback.tokens.map(({ text }) => text)
      expect(signed).toEqual({ account, amount, currency, transactionId })
      expect({ method, claim, quarantine }).toEqual({
        method: callback.method,
        claim: callback.status,
        quarantine: undefined
      })
      expect(bytes).toEqual(incoming.body)
    }))

  it("never verifies with another text in a signed field", () => {
    const other = fc.oneof(
      word.map(text),
      digits.chain(either),
      fc.constantFrom("", "|", "\0").map(text)
    )
    return forAll(
      [posted(), fc.nat(3), other],
      { numRuns: repeats(1000) },
      (callback, field, token) => {
        fc.pre(token.text !== callback.tokens[field]?.text)
        const { body } = request({ ...callback, tokens: callback.tokens.with(field, token) })
        expect([400, 401]).toContain(answer({ ...request(callback), body }))
      }
    )
  })

  it("never verifies with another header", () => {
    const changes = fc.oneof(
      fc.tuple(fc.nat(43), fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 1 })).map(
        ([at, letter]) =>
          (given: string) =>
            given.slice(0, at) + letter + given.slice(at + 1)
      ),
      fc.nat(43).map((at) => (given: string) => given.slice(0, at) + given.slice(at + 1)),
      fc.tuple(fc.nat(44), storable).map(
        ([at, inserted]) =>
          (given: string) =>
            given.slice(0, at) + inserted + given.slice(at)
      ),
      fc.string({ unit: character }).map((whole) => () => whole),
      fc.constant(() => undefined)
    )
    return forAll([posted(), changes], { numRuns: repeats(1000) }, (callback, change) => {
      const { checksum = "", ...rest } = request(callback)
      const given = change(checksum)
      fc.pre(given !== checksum)
      expect(answer({ ...rest, checksum: given })).toBe(401)
    })
  })

  it("never verifies with routing parameters that are dropped, repeated, renamed or exchanged", () => {
    const value = fc.constantFrom("card", "apm", "CARD", "", "other")
    const spelling = fc.constantFrom(
      "PaymentMethod",
      "paymentmethod",
      "paymentMethod[]",
      "APMTYPE",
      "apmType[0]"
    )
    const changes = fc.oneof(
      fc.constant((search: URLSearchParams) => search.delete("paymentMethod")),
      value.map((each) => (search: URLSearchParams) => search.append("paymentMethod", each)),
      fc
        .constantFrom("CARD", "APM", "", "other")
        .map((each) => (search: URLSearchParams) => search.set("paymentMethod", each)),
      fc.constant((search: URLSearchParams) => {
        search.set("paymentMethod", search.get("paymentMethod") === "card" ? "apm" : "card")
      }),
      fc.tuple(spelling, value).map(
        ([name, each]) =>
          (search: URLSearchParams) =>
            search.append(name, each)
      ),
      fc
        .constantFrom("PIX", "other", "")
        .map((each) => (search: URLSearchParams) => search.append("apmType", each))
    )
    return forAll([posted(), changes], { numRuns: repeats(500) }, (callback, change) => {
      const incoming = request(callback)
      const search = new URLSearchParams(incoming.search)
      change(search)
      expect(answer({ ...incoming, search: `?${search}` })).toBe(400)
    })
  })

  it("has the checksum of another one only if all four texts are equal (A07)", () => {
    const joined = fc.array(fc.constantFrom("a", "1", "|", "||", "1|2"), {
      minLength: 4,
      maxLength: 9
    })
    const cuts = fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9))
    const split = (letters: string, at: ReadonlyArray<number>) => {
      const [one = 0, two = 0, three = 0] = at.toSorted((left, right) => left - right)
      return [
        letters.slice(0, one),
        letters.slice(one, two),
        letters.slice(two, three),
        letters.slice(three)
      ]
    }
    return forAll([joined, cuts, posted()], (parts, at, callback) => {
      // A joined text with three bars of its own can be cut into four texts in several ways with
      // one checksum.
      const cut = split(parts.join(""), at)
      fc.pre(cut.some((each) => each.includes("|")))
      expect(answer(request({ ...callback, tokens: cut.map(text) }))).toBe(400)
    })
  })
})

describe("a verified callback outside the grammar", () => {
  const odd = fc
    .oneof(
      word,
      fc.constantFrom("1e2", "+10", "010", "10.001", "NaN", "１０", ".5", "10.", "10,00")
    )
    .map(text)
  const oddAmount = odd.filter(({ text }) => !/^(?:0|[1-9]\d{0,17})(?:\.\d\d?0{0,6})?$/.test(text))
  const oddCurrency = word.filter((each) => !/^[A-Z]{3}$/.test(each)).map(text)
  const oddId = fc
    .oneof(
      fc.constantFrom(".", ".."),
      word.map((each) => each.repeat(129))
    )
    .map(text)
  const oddStatus = fc.oneof(storable, fc.constant("toString")).filter((each) => !isStatus(each))

  it.each([
    ["amount", posted({ amount: oddAmount })],
    ["currency", posted({ currency: oddCurrency })],
    ["transactionId", posted({ transactionId: oddId })],
    ["transactionStatus", posted({ status: oddStatus })]
  ])(
    "A16: is put in quarantine for its %s if it verifies, else refused with 401",
    (field, callbacks) =>
      forAll([callbacks], { numRuns: repeats(300) }, (callback) => {
        const incoming = request(callback)
        const { claim, quarantine } = Result.getOrThrow(verify(incoming))
        expect({ claim, quarantine }).toEqual({ claim: undefined, quarantine: field })
        expect(answer({ ...incoming, checksum: "x" })).toBe(401)
      })
  )

  it("A14: is put in quarantine for a NUL or a lone surrogate in any field if it verifies, else refused with 401", () => {
    const bad = fc
      .tuple(storable, fc.constantFrom("\0", "\ud800", "\udfff"), storable)
      .map(([before, letter, after]) => `${before}${letter}a${after}`)
    const place = (value: string) =>
      fc.constantFrom<Posted["extra"]>(
        { note: value },
        { [value]: 1 },
        { metadata: { [value]: "a" } },
        { list: [[{ a: [value] }]] }
      )
    return forAll([posted(), bad.chain(place)], (callback, found) => {
      const incoming = request({ ...callback, extra: { ...callback.extra, ...found } })
      const { claim, quarantine } = Result.getOrThrow(verify(incoming))
      expect({ claim, quarantine }).toEqual({
        claim: undefined,
        quarantine: "text that cannot be stored"
      })
      expect(answer({ ...incoming, checksum: "x" })).toBe(401)
    })
  })
})

it("the secrets are tried with the current one first, and the callback names the one that matched", () => {
  const key = fc.constantFrom("one", "two", "three")
  return forAll([posted(), key, key, key], (callback, current, previous, used) => {
    const matched = Result.map(
      verifierOf(current, previous).verify(request(callback, used)),
      ({ secret }) => secret
    )
    const expected = used === current ? "current" : used === previous ? "previous" : undefined
    expect(Result.getOrElse(matched, () => undefined)).toBe(expected)
    expect(Result.isSuccess(verifierOf(current).verify(request(callback, current)))).toBe(true)
    expect(Result.isSuccess(verifierOf(current).verify(request(callback, previous)))).toBe(
      previous === current
    )
  })
})

it("any request has a result without an exception, and is never accepted unsigned", () => {
  const junk = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map(bytes),
    fc.string({ unit: character }).map(bytes),
    posted().map((callback) => request(callback).body)
  )
  return forAll(
    [
      fc.record({
        method: fc.constantFrom("POST", "POST", "POST", "GET", "TRACE"),
        search: fc.oneof(
          fc.string({ unit: character }),
          fc.constantFrom("?paymentMethod=card", "?paymentMethod=apm")
        ),
        contentType: fc.oneof(fc.string(), fc.constant("application/json"), fc.constant(undefined)),
        contentEncoding: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.string()),
        checksum: fc.oneof(fc.base64String(), fc.string(), fc.constant(undefined)),
        body: junk
      })
    ],
    { numRuns: repeats(1000) },
    (incoming) => {
      expect([400, 401, 405, 415]).toContain(answer(incoming))
    }
  )
})
