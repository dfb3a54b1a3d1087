import type { Reducer } from "@pawl/testkit/Laws/Reducer"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { checkReducer } from "../../src/rel/reducer.ts"
import { holds, seed, shortRun } from "./support.ts"

const options = { ...shortRun(300), seed }

holds(
  "every sequence and every evidence satisfies the laws of the reducer (R14)",
  checkReducer(options, 4001),
  (figures) => expect(figures["values"]).toBeGreaterThan(5000)
)

it("a reducer that keeps the last observation causes misses", async () => {
  const last: Reducer = (observations) => ({
    status: observations.at(-1)?.status,
    confirmed: true,
    conflict: null
  })
  const { misses } = await Effect.runPromise(checkReducer(options, 4001, () => last))
  expect(misses.join()).toContain("the order of arrival does not matter")
})
