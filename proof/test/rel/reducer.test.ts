import type { Reducer } from "@pawl/testkit/Laws/Reducer"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { judge } from "../../src/rel/reducer.ts"
import { fresh } from "./support.ts"

const wanted = { count: 300, seed: fresh, say: () => {} }

it("no sequence and no evidence diverges from the laws (R14)", async () => {
  const { figures, misses } = await Effect.runPromise(judge(wanted, 4001))
  expect(misses).toEqual([])
  expect(figures.values).toBeGreaterThan(5000)
})

it("finds a reducer that keeps what came last", async () => {
  const last: Reducer = (seen) => ({
    status: seen.at(-1)?.status,
    confirmed: true,
    conflict: null
  })
  const { misses } = await Effect.runPromise(judge(wanted, 4001, () => last))
  expect(misses.join()).toContain("the order of arrival does not matter")
})
