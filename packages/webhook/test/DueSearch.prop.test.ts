import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as DueSearch from "../src/internal/records/DueSearch.ts"
import { nowhere } from "../src/internal/records/Known.ts"
import { laneCount } from "../src/internal/records/Records.ts"
import { repeats } from "@pawl/test-support/Repeats"

const limits = Array.from({ length: laneCount }, () => 1)

/** The beginning and the end of a search, and a document that becomes due so much later than now. */
const steps = fc.array(
  fc.oneof(fc.constantFrom("begin", "end"), fc.integer({ min: -9000, max: 9000 }))
)

it("a search begins 5 seconds before the last one, or at the first document that became due until then", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const search = DueSearch.make(10n ** 18n)
      const due: Array<number> = []
      const running: Array<() => number> = []
      let [at, lastAt] = [1e6, Number.MIN_SAFE_INTEGER]
      for (const step of all) {
        if (typeof step === "number") {
          due.push(at + step)
          search.note("requests", { ...nowhere, due: [undefined, at + step] })
        } else if (step === "begin") {
          at += 1000
          const asked = { at, limits }
          const begun = Effect.runSync(search.begin("requests", asked))
          const first = Math.min(...due)
          expect(begun.from).toEqual(limits.map(() => Math.min(first, lastAt)))
          running.push(() => {
            search.end("requests", begun, first)
            return asked.at - 5000
          })
        } else lastAt = running.shift()?.() ?? lastAt
      }
    }),
    { numRuns: repeats(100) }
  )
})
