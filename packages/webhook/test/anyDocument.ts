import { kindsOf, type Method, methodOf } from "@pawl/core/Kind"
import { type Status, statuses } from "@pawl/core/Status"
import { optional } from "@pawl/test-support/Properties"
import fc from "fast-check"
import * as Codes from "../src/internal/documents/Codes.ts"
import { type Codes as Table, keyOf, type Quarantined } from "../src/internal/documents/Fields.ts"
import type { Kept } from "../src/internal/rule/Fact.ts"
import { lanes, type Ordered } from "../src/internal/rule/Row.ts"
import type { RequestRow } from "../src/internal/rule/RequestRow.ts"
import { rowFields } from "./anyRow.ts"
import type { StoredRow, StoredRows } from "../src/internal/rule/StoredRow.ts"

const wordsOf = <Word extends string>({ entries }: Table<Word>) =>
  fc.constantFrom(...entries.map(([word]) => word as Word))

/** Any UTF-16 code units: lone surrogates, NUL, and characters that the format uses. */
export const texts = fc
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

const keptFacts: fc.Arbitrary<Kept> = fc
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

const rowOf = (method: Method, transactionId: string): fc.Arbitrary<StoredRow> => {
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
        evidence: fc.nat({ max: 2 ** 20 }),
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

export interface Keyed<Value> {
  readonly key: string
  readonly value: Value
}

const transactionIds = fc.stringMatching(/^[\w-]{1,8}$/u)

export const transactions: fc.Arbitrary<Keyed<StoredRows>> = fc
  .tuple(wordsOf(Codes.methods), transactionIds)
  .chain(([method, transactionId]) =>
    fc.record({
      key: fc.constant(keyOf({ method, transactionId })),
      value: fc.array(rowOf(method, transactionId), { minLength: 1, maxLength: 3 })
    })
  )

export const requests: fc.Arbitrary<Keyed<RequestRow>> = texts.chain((requestId) =>
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
export const quarantined: fc.Arbitrary<Keyed<Quarantined>> = fc.record({
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

export const settings: fc.Arbitrary<Keyed<unknown>> = fc.record({
  key: texts,
  value: fc.oneof(fc.maxSafeInteger(), texts, fc.dictionary(texts, fc.maxSafeInteger()))
})
