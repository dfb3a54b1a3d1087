import type { Kind } from "@pawl/core/Kind"
import { expect, it } from "vitest"
import * as Fact from "../src/internal/rule/Fact.ts"
import { blank } from "../src/internal/rule/Row.ts"
import * as StoredRow from "../src/internal/rule/StoredRow.ts"

const told = (at: number): Fact.Event => ({ fact: "told", at, sequence: 1, to: "SUCCEED" })
const failed = (at: number): Fact.Event => ({ fact: "failed", at, sequence: 1, to: "SUCCEED" })
const factsOf = (...events: ReadonlyArray<Fact.Event>) => events.reduce(Fact.add, Fact.none)
const shown = ({ kept }: Fact.Facts) => kept.map(({ at, fact, from }) => [fact, at, from])

it("the facts of a joined row are kept beside equal ones of the row, each once", () => {
  const own = factsOf(told(1))
  const joined = Fact.join(own, factsOf(told(2), failed(3)), "card")
  expect(shown(joined)).toEqual([
    ["told", 1, undefined],
    ["told", 2, "card"],
    ["failed", 3, "card"]
  ])
  expect(joined.number).toBe(own.number)
  expect(Fact.join(joined, factsOf(told(4)), "card")).toEqual(joined)
  const more = Fact.join(joined, factsOf(told(4), Fact.redriven(5)), "card")
  expect(shown(more).slice(3)).toEqual([["redriven", 5, "card"]])
  // A fact that was joined before keeps the row that it came from.
  const again = Fact.join(Fact.none, joined, "card-payment")
  expect(shown(again).map(([, , from]) => from)).toEqual(["card-payment", "card", "card"])
})

it("a repeated fact is counted once for each time", () => {
  const { kept, number } = factsOf(told(1), told(1), told(5), failed(5))
  expect(number).toBe(4)
  expect(kept).toMatchObject([
    { fact: "told", at: 1, lastAt: 5, count: 2, number: 3 },
    { fact: "failed", at: 5, lastAt: 5, count: 1, number: 4 }
  ])
})

it("the last of several callbacks has no time once its body was deleted, and a single one keeps its time", () => {
  const row = { ...blank("card", "1", 0), newestCallbacks: { NEW: { at: 9, signed: undefined } } }
  const accepted = {
    NEW: { at: 1, count: 3 },
    PENDING: { at: 2, count: 1 },
    SUCCEED: { at: 3, count: 2 }
  }
  const { complete, facts } = StoredRow.storyOf({ row, facts: factsOf(told(3)), accepted })
  expect(facts).toMatchObject([
    { fact: "accepted", status: "NEW", at: 1, count: 3, lastAt: 9 },
    { fact: "accepted", status: "PENDING", at: 2, count: 1, lastAt: 2 },
    { fact: "accepted", status: "SUCCEED", at: 3, count: 2, lastAt: undefined },
    { fact: "told", at: 3 }
  ])
  expect(complete).toBe(true)
})

it("a story is incomplete with more events than are kept, and in a row of an older version", () => {
  const row = blank("card", "1", 0)
  const many = (count: number) =>
    factsOf(...Array.from({ length: count }, (_, at) => Fact.redriven(at)))
  const redriven = (count: number) => ({ row, accepted: {}, facts: many(count) })
  expect(StoredRow.storyOf(redriven(Fact.maxFacts)).complete).toBe(true)
  expect(StoredRow.storyOf(redriven(Fact.maxFacts + 1)).complete).toBe(false)
  expect(StoredRow.storyOf(redriven(1), true).complete).toBe(false)
  // Further events are counted, and one that is known is repeated.
  const full = many(Fact.maxFacts + 2)
  expect(full.kept.at(-1)).toMatchObject({ fact: "more", at: 64, lastAt: 65, count: 2, number: 66 })
  const again = Fact.add(full, Fact.redriven(0))
  expect(again.kept[0]).toMatchObject({ at: 0, count: 1, number: 67 })
  expect(Fact.add(full, undefined)).toEqual(full)
})

it("a story is found by its kind, by its method, and else that of the unknown kind", () => {
  const storyOf = (kind: Kind) =>
    StoredRow.storyOf({ row: blank(kind, "1", 0), facts: Fact.none, accepted: {} })
  const unknown = storyOf("card")
  const payment = storyOf("card-payment")
  const payout = storyOf("card-payout")
  const all = [payout, unknown, payment]
  expect(StoredRow.findStory(all, "card-payout")).toBe(payout)
  expect(StoredRow.findStory(all, "card-refund")).toBe(unknown)
  expect(StoredRow.findStory(all, "card")).toBe(payment)
  expect(StoredRow.findStory([unknown, payout], "card")).toBe(payout)
  expect(StoredRow.findStory([payout], "card-refund")).toBeUndefined()
  const apm = storyOf("apm-payment")
  expect(StoredRow.findStory([storyOf("apm"), apm], "apm")).toBe(apm)
})
