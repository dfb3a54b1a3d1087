import { forAll, optional } from "@pawl/test-support/Properties"
import fc from "fast-check"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Codecs from "../src/internal/records/Codecs.ts"
import type { Collection } from "../src/internal/records/Records.ts"
import { repeats } from "@pawl/test-support/Repeats"
import { kindsOf, type Method, methodOf } from "@pawl/core/Kind"
import { type Status, statuses } from "@pawl/core/Status"
import * as Codes from "../src/internal/documents/Codes.ts"
import * as Fields from "../src/internal/documents/Fields.ts"
import * as RequestDocument from "../src/internal/documents/RequestDocument.ts"
import * as TransactionDocument from "../src/internal/documents/TransactionDocument.ts"
import * as Fact from "../src/internal/rule/Fact.ts"
import { lanes, type Ordered } from "../src/internal/rule/Row.ts"
import type { RequestRow } from "../src/internal/rule/RequestRow.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import { rowFields } from "./anyRow.ts"
import * as StoredRow from "../src/internal/rule/StoredRow.ts"

const wordsOf = <Word extends string>({ entries }: Fields.Codes<Word>) =>
  fc.constantFrom(...entries.map(([word]) => word as Word))

/** Any UTF-16 code units: lone surrogates, NUL, and characters that the format uses. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."\n\r\t,\\\0~=+-.k\u2028\ud800\udfff"),
      fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 })
    ),
    { maxLength: 12 }
  )
  .map((units) => units.join(""))

/** Any number but NaN, which no field has. A document has one zero. */
const numbers = fc.oneof(
  fc.nat({ max: 9 }),
  fc.maxSafeInteger(),
  fc.maxSafeInteger().map((value) => 2 ** 53 + Math.abs(value) * 4),
  fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value))
)
const time = numbers
const status = fc.constantFrom(...statuses)
const perStatus = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<Partial<Record<Status, A>>> =>
  fc.dictionary(status, arbitrary, { maxKeys: 3, noNullPrototype: true })

const orders: fc.Arbitrary<Ordered> = fc.record(
  { requestId: texts, account: texts, amount: texts, currency: texts },
  { requiredKeys: [] }
)

const numbered = fc.maxSafeInteger().map((value) => Math.abs(value) % 2 ** 40)
const kinds = wordsOf(Codes.kinds)
const events = fc.oneof(
  fc.record({ fact: fc.constant("registered" as const), kind: kinds, status: optional(status) }),
  fc.record({ fact: fc.constant("accepted" as const), status }),
  fc.record({
    fact: fc.constant("asked" as const),
    result: fc.oneof(status, fc.constantFrom("404", "no answer", "-"), texts),
    kind: optional(kinds)
  }),
  fc.record({
    fact: fc.constant("called" as const),
    sequence: numbered,
    to: status,
    evidence: numbered,
    read: optional(status)
  }),
  fc.record({ fact: fc.constantFrom("told", "failed"), sequence: numbers, to: status }),
  fc.record({
    fact: fc.constant("parked" as const),
    reason: wordsOf(Codes.deadLetters),
    to: optional(status)
  }),
  fc.record({ fact: fc.constant("redriven" as const), by: optional(texts), why: optional(texts) }),
  fc.record({ fact: fc.constant("more" as const) })
)

const keptFacts: fc.Arbitrary<Fact.Kept> = fc
  .tuple(
    events,
    fc.record({
      at: time,
      lastAt: optional(time),
      count: numbers,
      number: numbered,
      from: optional(kinds)
    })
  )
  .map(([event, more]) => ({ ...event, ...more }))

const rowOf = (method: Method, transactionId: string): fc.Arbitrary<StoredRow.StoredRow> => {
  const own = fc.constantFrom(method, ...kindsOf[method])
  const signed = fc.record({
    account: texts,
    amount: texts,
    currency: texts,
    transactionId: fc.constant(transactionId)
  })
  return fc.record({
    row: own.chain((scope) =>
      fc.record({
        ...rowFields(time, wordsOf(Codes.deadLetters)),
        method: fc.constant(methodOf(scope)),
        scope: fc.constant(scope),
        transactionId: fc.constant(transactionId),
        kind: own,
        ordered: optional(orders),
        evidence: fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 2 ** 20 })),
        createdAt: time,
        newestCallbacks: perStatus(
          fc.record({ at: time, signed: optional(signed), size: optional(numbers) })
        )
      })
    ),
    dueAt: optional(time),
    lane: fc.constantFrom(...lanes),
    lease: optional(fc.record({ id: numbers, until: time, evidence: fc.nat({ max: 2 ** 20 }) })),
    bodies: fc.constant({}),
    // The facts of a joined row have their own numbers, which may be higher.
    facts: fc
      .tuple(fc.array(keptFacts, { maxLength: 4 }), fc.nat({ max: 3 }))
      .map(([kept, more]) => ({
        number: kept.reduce(
          (most, { from, number }) => (from === undefined ? Math.max(most, number) : most),
          more
        ),
        kept
      })),
    accepted: perStatus(fc.record({ at: time, count: numbers }))
  })
}

interface Keyed<Value> {
  readonly key: string
  readonly value: Value
}

const transactionIds = fc.stringMatching(/^[\w-]{1,8}$/u)

const transactions: fc.Arbitrary<Keyed<StoredRow.StoredRows>> = fc
  .tuple(wordsOf(Codes.methods), transactionIds)
  .chain(([method, transactionId]) =>
    fc.record({
      key: fc.constant(Fields.keyOf({ method, transactionId })),
      value: fc.array(rowOf(method, transactionId), { minLength: 1, maxLength: 3 })
    })
  )

const requests: fc.Arbitrary<Keyed<RequestRow>> = texts.chain((requestId) =>
  fc.record({
    key: fc.constant(requestId),
    value: fc.record({
      requestId: fc.constant(requestId),
      kind: wordsOf(Codes.requestKinds),
      digest: texts,
      hasCardData: fc.boolean(),
      ordered: optional(orders),
      body: optional(texts),
      createdAt: time,
      retryFrom: time,
      expiresAt: optional(time),
      begunAt: optional(time),
      attempts: numbers,
      refusals: optional(fc.record({ reason: texts, count: numbers, since: time })),
      dueAt: optional(time),
      lease: optional(fc.record({ id: numbers, until: time, inDoubt: fc.boolean() })),
      outcome: optional(
        fc.oneof(
          fc.record({ _tag: fc.constantFrom("Answered", "Refused"), text: optional(texts) }),
          fc.record({ _tag: fc.constant("Found" as const) }),
          fc.record({ _tag: fc.constant("NotSent" as const), reason: wordsOf(Codes.notSent) })
        )
      ),
      settledAt: optional(time),
      transaction: optional(fc.record({ method: wordsOf(Codes.methods), transactionId: texts })),
      deniedTransactionId: optional(texts),
      parked: optional(fc.record({ reason: wordsOf(Codes.parkReasons), at: time }))
    })
  })
)

/** JSON has no undefined, so an unknown reason is left out. */
const quarantine: fc.Arbitrary<Keyed<Fields.Quarantined>> = fc.record({
  key: texts,
  value: fc.array(
    fc.record({
      name: texts,
      print: texts,
      method: wordsOf(Codes.methods),
      reason: optional(texts),
      secret: fc.constantFrom("current", "previous"),
      firstAt: fc.maxSafeInteger(),
      newestAt: fc.maxSafeInteger()
    }),
    { maxLength: 4 }
  )
})

const settings: fc.Arbitrary<Keyed<unknown>> = fc.record({
  key: texts,
  value: fc.oneof(fc.maxSafeInteger(), texts, fc.dictionary(texts, fc.maxSafeInteger()))
})

const numRuns = repeats(500)

const arbitraries: Readonly<Record<Collection, fc.Arbitrary<Keyed<unknown>>>> = {
  transactions,
  requests,
  quarantine,
  settings
}
const collections = ["transactions", "requests", "quarantine", "settings"] as const
const codecs = Codecs.texts

const check = (
  collection: Collection,
  law: (document: string, keyed: Keyed<unknown>) => void,
  runs = numRuns
) =>
  forAll([arbitraries[collection]], { numRuns: runs }, (keyed) =>
    law(codecs[collection].encode(keyed.value), keyed)
  )

const isRefused = (collection: Collection, key: string, document: string) =>
  Result.isFailure(Result.try(() => codecs[collection].decode(document, key)))

describe.each(collections)("a document of %s", (collection) => {
  it("is read as it was written", () =>
    check(collection, (document, { key, value }) => {
      const read = codecs[collection].decode(document, key)
      // An undefined member may be left out.
      expect(read).toEqual(value)
      expect(codecs[collection].encode(read)).toBe(document)
    }))

  it("has no character that a database refuses", () =>
    check(collection, (document) => {
      expect(document.isWellFormed()).toBe(true)
      expect(document).not.toContain("\0")
    }))

  it("is refused after a change of any character, and after it was cut off anywhere", () =>
    check(
      collection,
      (document, { key }) => {
        for (let at = 0; at < document.length; at++) {
          const head = document.slice(0, at)
          const changed = [document.charCodeAt(at) ^ 1, 10, 48, 126].map(
            (unit) => head + String.fromCharCode(unit) + document.slice(at + 1)
          )
          for (const damaged of [head, ...changed]) {
            if (damaged === document || isRefused(collection, key, damaged)) continue
            expect(damaged).toBe("refused")
          }
        }
      },
      Math.ceil(numRuns / 25)
    ))
})

/** Numbers of fields that no version has. */
const newFields = [..."!#$%&*;?@ZWYHIJK\u00e4\u{1f600}"]

const withLines = (document: string, added: ReadonlyArray<readonly [number, string]>): string => {
  const lines = document.split("\n").slice(0, -1)
  for (const [at, line] of added) lines.splice(1 + (at % lines.length), 0, line)
  const text = lines.join("\n")
  return `${text}\n~${Fields.hashOf(text).toString(36)}`
}

const linesOf = (document: string) => document.split("\n").slice(0, -1).toSorted()

const newLinesOf = (document: string) =>
  document.split("\n").filter((line) => newFields.some((field) => line.startsWith(field)))

describe.each(["transactions", "requests"] as const)("a document of %s", (collection) => {
  it("keeps each field of a newer version byte for byte", () =>
    forAll(
      [
        arbitraries[collection],
        fc.array(
          fc.tuple(
            fc.nat(),
            fc
              .tuple(fc.constantFrom(...newFields), texts)
              .map(([field, text]) => field + text.replaceAll(/[\n\0]|\p{Cs}/gu, " "))
          ),
          { minLength: 1, maxLength: 3 }
        )
      ],
      { numRuns },
      ({ key, value }, added) => {
        const document = withLines(codecs[collection].encode(value), added)
        const again = codecs[collection].encode(codecs[collection].decode(document, key))
        expect(linesOf(again)).toEqual(linesOf(document))
        expect(newLinesOf(again)).toEqual(newLinesOf(document))
      }
    ))
})

it("the key of a document names its transaction", () =>
  forAll([wordsOf(Codes.methods), transactionIds], (method, transactionId) => {
    const transaction = { method, transactionId }
    expect(Fields.transactionOf(Fields.keyOf(transaction))).toEqual(transaction)
  }))

it("R49: a fact of an unknown kind is kept, and the next fact gets a number behind its own", () => {
  const document = withLines(TransactionDocument.encode([StoredRow.newRow("card", "1", 0)]), [
    [0, "x1,5,Qa"]
  ])
  const [stored] = TransactionDocument.decode(document, { method: "card", transactionId: "1" })
  const facts = Fact.add(stored?.facts ?? Fact.none, Fact.redriven(3))
  const changed = TransactionDocument.encode(stored ? [{ ...stored, facts }] : []).split("\n")
  expect(changed).toContain("x1,5,Qa")
  expect(changed).toContainEqual(expect.stringMatching(/^x2,.*,v/u))
})

describe("a field", () => {
  const transaction = { method: "card", transactionId: "1" } as const
  const refused = /^(?:no|not a) \w+$/u

  it("with its default is left out", () => {
    const [facts, at] = [Fact.add(Fact.none, Fact.redriven(5)), 5]
    const row = StoredRow.newRow("card", "1", at)
    const some = { ...row, facts, accepted: { NEW: { at, count: 1 } } }
    expect(TransactionDocument.encode([some])).toBe(Fields.seal(["kc,5", "b00", "x1,0,v-\t-"]))
    const written = { requestId: "1", kind: "refund", digest: "d", hasCardData: false } as const
    const request = { ...RequestRule.write(written, at, undefined), ordered: { amount: "1.00" } }
    const found = { ...request, dueAt: undefined, outcome: { _tag: "Found" } } as const
    expect(RequestDocument.encode(found)).toBe(Fields.seal(["kr,5", "gd", "m1.00", "of"]))
  })

  it.each(["h1", "h1,2", "b0", "q0", "q01,a,b", "x1", "x1,0,c0-", "x1,0,c0-1"])(
    "without a part that it needs is refused: %s",
    (line) => {
      const document = Fields.seal(["kc,5", line])
      expect(() => TransactionDocument.decode(document, transaction)).toThrow(refused)
    }
  )

  it.each(["kr", "kr,5 h1", "kr,5 x1", "kr,5 x1,2", "tr,5"])(
    "of a request without a part that it needs is refused: %s",
    (lines) => {
      expect(() => RequestDocument.decode(Fields.seal(lines.split(" ")), "1")).toThrow(refused)
    }
  )

  it("of a fact without words is kept", () => {
    const rows = TransactionDocument.decode(Fields.seal(["kc,5", "x1,0"]), transaction)
    expect(TransactionDocument.encode(rows).split("\n")).toContain("x1,0")
  })
})
