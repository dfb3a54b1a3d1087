import { forAll } from "@pawl/test-support/Properties"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as DueSearch from "../src/internal/records/DueSearch.ts"
import { nowhere } from "../src/internal/records/Known.ts"
import { laneCount } from "../src/internal/records/Records.ts"
import { repeats } from "@pawl/test-support/Repeats"

const start = Number.MIN_SAFE_INTEGER
/** No search asks for the last lane. */
const limits = Array.from({ length: laneCount }, (_, lane) =>
  lane === laneCount - 1 ? undefined : 1
)

/** The beginning and the end of a search, and a document that becomes due so much later than now. */
const steps = fc.array(
  fc.oneof(fc.constantFrom("begin", "end"), fc.integer({ min: -9000, max: 9000 })),
  { maxLength: 40, size: "max" }
)

it("a search begins 5 seconds before the last one, at the first document that became due until then, or at the start", () =>
  forAll([steps, fc.constantFrom(0n, 10n ** 18n)], { numRuns: repeats(1000) }, (all, interval) => {
    const search = DueSearch.make(interval)
    const due: Array<number> = []
    const running: Array<() => number> = []
    let [at, lastAt] = [1e6, start]
    for (const step of all) {
      if (typeof step === "number") {
        due.push(at + step)
        search.note("requests", { ...nowhere, due: [undefined, at + step] })
      } else if (step === "begin") {
        at += 1000
        const asked = { at, limits }
        const begun = Effect.runSync(search.begin("requests", asked))
        const first = Math.min(...due)
        const from = interval === 0n ? start : Math.min(first, lastAt)
        expect(begun.from).toEqual(limits.map((limit) => (limit === undefined ? start : from)))
        running.push(() => {
          search.end("requests", begun, first)
          return asked.at - 5000
        })
      } else lastAt = running.shift()?.() ?? lastAt
    }
  }))
