/** Compares claims and the backlog with the rows that were written. */
import { repeats } from "@pawl/test-support/Repeats"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { lanes } from "../src/internal/rule/Row.ts"
import type { StoredRow } from "../src/internal/rule/StoredRow.ts"
import { build, documentsOf, scopes, storedRow } from "./memoryLedger.ts"

const now = 5
const until = 99

const documents = documentsOf(
  fc.record({
    scope: fc.constantFrom(...scopes),
    lane: fc.constantFrom(...lanes),
    dueAt: fc.option(fc.nat({ max: 8 }), { nil: undefined }),
    at: fc.option(fc.nat({ max: 8 }), { nil: undefined })
  })
)

/** Makes a ledger of some shards with the rows of the documents, and returns it with these rows. */
const stored = Effect.fnUntraced(function* (all: Documents, shards: number) {
  const { ledger, write } = yield* build(shards)
  const rows: Array<StoredRow> = []
  for (const [place, each] of all.entries()) {
    const value = each.map(({ dueAt, lane, ...row }) => {
      return { ...storedRow(`${place}`, row), dueAt, lane }
    })
    rows.push(...value)
    if (value.length > 0) yield* write(`${place}`, value)
  }
  return { ledger, rows }
})

type Documents = typeof documents extends fc.Arbitrary<infer Value> ? Value : never

const ascending = (one: number, two: number) => one - two
const timesOf = (rows: ReadonlyArray<StoredRow>) =>
  rows.flatMap(({ dueAt }) => dueAt ?? []).toSorted(ascending)
const isDue = ({ dueAt = Infinity }: StoredRow) => dueAt <= now

it("the backlog counts the due rows and the dead letters of all shards", () =>
  fc.assert(
    fc.asyncProperty(documents, fc.constantFrom(1, 2), (all, shards) =>
      Effect.gen(function* () {
        const { ledger, rows } = yield* stored(all, shards)
        expect(yield* ledger.backlog(now)).toEqual({
          due: rows.filter(isDue).length,
          oldestDueAt: timesOf(rows.filter(isDue))[0],
          deadLetters: rows.filter(({ row }) => row.deadLetter !== undefined).length
        })
      }).pipe(Effect.scoped, Effect.runPromise)
    ),
    { numRuns: repeats(200) }
  ))

it("a claim leases the oldest due rows of each lane within its limit, and says when the next is due", () =>
  fc.assert(
    fc.asyncProperty(
      documents,
      fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 4 }), fc.nat({ max: 4 })),
      (all, [tell, ask, watch]) =>
        Effect.gen(function* () {
          const { ledger, rows } = yield* stored(all, 1)
          const limit = { tell, ask, retry: 2, repeat: 0, watch }
          const claimed = yield* ledger.claim({ at: now, until, limit })
          const keyOf = ({ scope, transactionId }: StoredRow["row"]) => `${scope} ${transactionId}`
          const leased = new Set(claimed.rows.map(keyOf))
          const left = rows.filter(({ row }) => !leased.has(keyOf(row)))
          expect(leased.size).toBe(claimed.rows.length)
          for (const lane of lanes) {
            const inLane = rows.filter((each) => each.lane === lane)
            const taken = inLane.filter(({ row }) => leased.has(keyOf(row)))
            const oldest = timesOf(inLane.filter(isDue)).slice(0, limit[lane])
            expect([lane, timesOf(taken)]).toEqual([lane, oldest])
          }
          const byKey = new Map(rows.map((each) => [keyOf(each.row), each.dueAt ?? Infinity]))
          const times = claimed.rows.map((row) => byKey.get(keyOf(row)) ?? Infinity)
          expect(times).toEqual(times.toSorted(ascending))
          // A lease may end, and then the row is due again.
          const ends = claimed.rows.map(() => until)
          const next = [...timesOf(left.filter(({ lane }) => limit[lane] > 0)), ...ends]
          expect(claimed.dueAt).toBe(next.toSorted(ascending)[0])
          // The rows that were not leased are due still.
          const rest = yield* ledger.claim({ at: now, until, limit: 99 })
          expect(rest.rows.length).toBe(left.filter(isDue).length)
        }).pipe(Effect.scoped, Effect.runPromise)
    ),
    { numRuns: repeats(200) }
  ))
