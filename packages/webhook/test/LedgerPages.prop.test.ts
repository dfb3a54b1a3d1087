/** Lists and deletions that go through more documents than one page has. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { kindsOf } from "@pawl/core/Kind"
import { test } from "@pawl/test-support/Tests"
import { repeats } from "@pawl/test-support/Repeats"
import * as LedgerOperations from "../src/internal/ledger/LedgerOperations.ts"
import * as Engines from "../src/internal/records/Engines.ts"
import * as MemoryStore from "../src/internal/records/MemoryStore.ts"
import { Records } from "../src/internal/records/Records.ts"
import * as Fact from "../src/internal/rule/Fact.ts"
import { blank, type Parked } from "../src/internal/rule/Row.ts"
import type { PlannedKey, PlannedPage, RowKey } from "../src/internal/rule/RowPages.ts"
import type { StoredRow } from "../src/internal/rule/StoredRow.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"

const build = Effect.map(Layer.build(Layer.fresh(layerMemory)), (context) => ({
  ledger: Context.get(context, Ledger),
  records: Context.get(context, Records).own[0]
}))

const reasons = ["handler-failed", "amount-mismatch"] as const
const scopes = ["card", ...kindsOf.card] as const

const parkedRow = fc.record({
  scope: fc.constantFrom(...scopes),
  reason: fc.constantFrom(...reasons),
  // Few times, so that many dead letters have the same one.
  at: fc.option(fc.nat({ max: 3 }), { nil: undefined })
})
const parkedRows = fc.array(
  fc.uniqueArray(parkedRow, { selector: ({ scope }) => scope, maxLength: 3 }),
  {
    minLength: 1,
    maxLength: 25
  }
)

const storedRow = (
  id: string,
  { at, reason, scope }: typeof parkedRow extends fc.Arbitrary<infer Value> ? Value : never
): StoredRow => ({
  row: {
    ...blank("card", id, 1000),
    scope,
    deadLetter: at === undefined ? undefined : { reason, at, to: undefined }
  },
  dueAt: undefined,
  lane: "retry",
  lease: undefined,
  bodies: {},
  facts: Fact.none,
  accepted: {}
})

const placeOf = ({ deadLetter, scope, transactionId }: Parked) =>
  [deadLetter.at, transactionId, scope, deadLetter.reason] as const

type Documents = typeof parkedRows extends fc.Arbitrary<infer Value> ? Value : never

/** Compares the pages of a list with the rows that were written. */
const listAll = (
  documents: Documents,
  limit: number,
  reason: (typeof reasons)[number] | undefined
) =>
  Effect.gen(function* () {
    const { ledger, records } = yield* build
    const stored = documents.map((rows, id) => rows.map((row) => storedRow(`${id}`, row)))
    for (const [id, value] of stored.entries()) {
      if (value.length > 0)
        yield* records.change("transactions", `${id}\tcard`, () => ({
          value,
          result: undefined
        }))
    }
    const found: Array<ReturnType<typeof placeOf>> = []
    let after: Parameters<typeof ledger.deadLetters>[0]["after"]
    for (;;) {
      const page = yield* ledger.deadLetters({ after, limit, reason })
      found.push(...page.map(placeOf))
      const last = page.at(-1)
      if (last === undefined) break
      const { deadLetter, scope, transactionId } = last
      after = { at: deadLetter.at, scope, transactionId }
    }
    const expected = stored
      .flat()
      .flatMap(({ row }) => (row.deadLetter === undefined ? [] : [placeOf(row as Parked)]))
      .filter(([, , , each]) => each === (reason ?? each))
    expect(found.map(([at]) => at)).toEqual(
      expected.map(([at]) => at).toSorted((one, two) => one - two)
    )
    expect(found.map(String).toSorted()).toEqual(expected.map(String).toSorted())
  }).pipe(Effect.scoped, Effect.runPromise)

describe("a ledger in memory", () => {
  it("lists each dead letter once by pages of any size, oldest first, and those of one reason", () =>
    fc.assert(
      fc.asyncProperty(
        parkedRows,
        fc.integer({ min: 1, max: 4 }),
        fc.option(fc.constantFrom(...reasons), { nil: undefined }),
        (documents, limit, reason) => listAll(documents, limit, reason)
      ),
      { numRuns: repeats(200) }
    ))

  it("skips no dead letter of a reason behind a later one in a document that is listed before it", () => {
    const [payment, payout] = ["card", "card-payout"] as const
    const failed = { scope: payment, reason: "handler-failed", at: 0 } as const
    const mismatch = { scope: payout, reason: "amount-mismatch", at: 1 } as const
    const first = { ...mismatch, scope: payment, at: 0 }
    return listAll([[failed], [failed, mismatch], [failed], [first]], 1, "amount-mismatch")
  })

  it("lists each row once by pages of any size, whatever documents have none", () =>
    fc.assert(
      fc.asyncProperty(parkedRows, fc.integer({ min: 1, max: 4 }), (documents, limit) =>
        Effect.gen(function* () {
          const { ledger, records } = yield* build
          const stored = documents.map((rows, id) => rows.map((row) => storedRow(`${id}`, row)))
          for (const [id, value] of stored.entries())
            yield* records.change("transactions", `${id}\tcard`, () => ({ value, result: 0 }))
          const found: Array<string> = []
          let after: RowKey | undefined
          do {
            const page = yield* ledger.page({ after, limit, from: 0, before: 2000 })
            found.push(...page.rows.map(({ scope, transactionId }) => `${transactionId} ${scope}`))
            after = page.last
          } while (after !== undefined)
          const expected = stored.flat().map(({ row }) => `${row.transactionId} ${row.scope}`)
          expect(found).toEqual(expected.toSorted())
        }).pipe(Effect.scoped, Effect.runPromise)
      ),
      { numRuns: repeats(200) }
    ))

  it("brings each planned read of two shards forward, by pages of any size", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 4 }),
        (times, limit) =>
          Effect.gen(function* () {
            const engines = Engines.make([
              yield* MemoryStore.makeEngine,
              yield* MemoryStore.makeEngine
            ])
            const ledger = LedgerOperations.make(engines)
            const planned = storedRow("", {
              scope: "card",
              reason: "handler-failed",
              at: undefined
            })
            for (const [id, time] of times.entries()) {
              const row = { ...blank("card", `${id}`, 1000) }
              const key = { method: "card", transactionId: `${id}` } as const
              yield* engines.of(key).change("transactions", `${id}\tcard`, () => ({
                value: [{ ...planned, row, dueAt: 1e6 + time, lane: "watch" as const }],
                result: 0
              }))
            }
            let after: PlannedKey | undefined = { dueAt: 1000, transactionId: "", scope: "card" }
            for (let dueAt = 1000; after !== undefined; dueAt += limit * 100) {
              const page: PlannedPage = {
                lane: "watch",
                after,
                readSince: 0,
                dueAt,
                rate: 10,
                limit
              }
              after = yield* ledger.bringForward(page)
            }
            const { rows } = yield* ledger.page({ limit: 99, from: 0, before: 2000 })
            expect(rows.filter(({ pollAt = Infinity }) => pollAt >= 1e6)).toEqual([])
            expect(rows).toHaveLength(times.length)
          }).pipe(Effect.scoped, Effect.runPromise)
      ),
      { numRuns: repeats(200) }
    ))

  test("deletes as many old transactions as its limit allows, however many pages they fill", function* () {
    const { ledger, records } = yield* build
    const old = storedRow("", { scope: "card", reason: "handler-failed", at: undefined })
    for (let id = 0; id < 450; id++) {
      const row = { ...blank("card", `${id}`, 1000), told: "SUCCEED", newStatusAt: 1000 } as const
      yield* records.change("transactions", `${id}\tcard`, () => ({
        value: [{ ...old, row }],
        result: undefined
      }))
    }
    expect(yield* ledger.deleteOld({ before: 1000, limit: 1000 })).toBe(0)
    expect(yield* ledger.deleteOld({ before: 1001, limit: 250 })).toBe(250)
    expect(yield* ledger.deleteOld({ before: 1001, limit: 1000 })).toBe(200)
  })

  test("keeps no document of a transaction that it did not know when it was erased", function* () {
    const { ledger, records } = yield* build
    yield* ledger.erase("card", "1")
    expect((yield* records.page("transactions", { after: "", limit: 9 })).found).toEqual([])
  })
})
