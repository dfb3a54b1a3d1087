import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { simulate } from "../../src/rel/sim.ts"
import { bugs } from "../../src/simulation/Bugs.ts"
import { marks as expectedMarks } from "../../src/simulation/CoverageMarks.ts"
import type { Size } from "../../src/simulation/PlanGenerator.ts"
import { freshSeed } from "./support.ts"

// A simulation makes many errors, and Vitest maps every frame of their stack traces.
Error.stackTraceLimit = 1

/** Denser than a year of `rel sim`, so that fewer months meet every mark. */
const month: Size = { days: 30, operationsPerDay: 1, faults: 8, forgeries: 2 }

/** After the fresh seed come three that together meet every mark, and more in case a change moves them. */
const seeds = [freshSeed, 3, 4, 6, 1, 2, 5, 7, 8, 9, 10, 11, 12]

it("a month of crashes, faults and forgeries breaks no invariant, and a few months meet every coverage mark (S1 to S10, C1 to C7)", async () => {
  const met = new Set<string>()
  const missing = () => expectedMarks.filter((mark) => !met.has(mark))
  for (const seed of seeds) {
    const { figures, marks, misses } = await Effect.runPromise(
      simulate({ count: 1, seed, log: () => {} }, month, {}, { maxRuns: 100 })
    )
    expect(misses.filter((miss) => !miss.startsWith("never met"))).toEqual([])
    expect(figures.transactions).toBeGreaterThan(month.days)
    for (const [mark, times] of marks) if (times > 0) met.add(mark)
    if (missing().length === 0) break
  }
  expect(missing()).toEqual([])
}, 600_000)

it("reports a mark that was never met, and saves a plan that violates an invariant", async () => {
  const day: Size = { days: 1, operationsPerDay: 1, faults: 0, forgeries: 1 }
  const { misses } = await Effect.runPromise(simulate({ count: 1, seed: 1, log: () => {} }, day))
  expect(misses).toContain("never met: crash: client")
  const bug = bugs["a claim is told without confirmation"] ?? {}
  const broken = await Effect.runPromise(
    simulate({ count: 2, seed: 1, log: () => {} }, day, bug, { maxRuns: 50 })
  )
  expect(broken.misses[0]).toMatch(/^seed 1: S9 does not hold/u)
  expect(broken.misses.join()).toMatch(/keep \S+\.json in proof\/test\/simulation\/regressions/u)
})
