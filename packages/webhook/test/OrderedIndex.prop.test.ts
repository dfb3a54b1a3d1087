import { forAll } from "@pawl/test-support/Properties"
import fc from "fast-check"
import { expect, it } from "vitest"
import * as OrderedIndex from "../src/internal/records/OrderedIndex.ts"

interface Value {
  readonly key: number
}

/** A prime: the multiples of a smaller number differ modulo it. */
const prime = 9973

/** Values for several pages, of which each `kept`th stays. */
const changes = fc.record({
  count: fc.nat({ max: 1500 }),
  step: fc.integer({ min: 1, max: prime - 1 }),
  kept: fc.constantFrom(1, 3, 50, Infinity),
  place: fc.nat({ max: prime })
})

it("has the values that were added and not removed, in their order, before and behind any place", () =>
  forAll([changes], ({ count, kept: each, place, step }) => {
    const index = OrderedIndex.make<Value>((one, two) => one.key - two.key)
    const values = Array.from({ length: count }, (_, at) => ({ key: (at * step) % prime }))
    const removed = values.filter((_, position) => position % each !== 0)
    values.forEach(index.add)
    removed.forEach(index.remove)
    removed.slice(0, 9).forEach(index.add)

    const kept = values.filter((value) => !removed.slice(9).includes(value))
    const sorted = kept.toSorted((one, two) => one.key - two.key)
    expect(index.size()).toBe(sorted.length)
    expect([...index.from()]).toEqual(sorted)
    const isBefore = ({ key }: Value) => key < place
    expect([...index.from(isBefore)]).toEqual(sorted.filter(({ key }) => key >= place))
    expect([...index.backFrom(isBefore)]).toEqual(sorted.filter(isBefore).toReversed())
  }))
