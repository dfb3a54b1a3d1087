import * as Effect from "effect/Effect"
import { readFileSync, rmSync } from "node:fs"
import { expect, it } from "vitest"
import { kinds, simulate } from "../../src/rel/sim.ts"
import { bugs } from "../../src/simulation/Bugs.ts"
import { marks as expectedMarks } from "../../src/simulation/CoverageMarks.ts"
import type { Plan } from "../../src/simulation/Plan.ts"
import type { Size } from "../../src/simulation/PlanGenerator.ts"
import { finding, freshSeed, shortRun } from "./support.ts"

const run = (seed: number, names: ReadonlyArray<keyof typeof kinds>) =>
  Effect.runPromise(
    simulate(
      { ...shortRun(1), seed },
      () => Object.fromEntries(names.map((name) => [name, kinds[name]])),
      {},
      { maxRuns: 100 }
    )
  )
const withoutMarks = (misses: ReadonlyArray<string>) =>
  misses.filter((miss) => !miss.startsWith("never met"))

/** The first three together meet every mark; more follow in case a change moves them. */
const seeds = [3, 4, 6, 1, 2, 5, 7, 8, 9, 10, 11, 12]

it("a month of crashes, faults and forgeries breaks no invariant, and a few months meet every coverage mark (R09, R10, R11, R12, S1 to S16, C1 to C7)", async () => {
  const met = new Set<string>()
  const missing = () => expectedMarks.filter((mark) => !met.has(mark))
  for (const seed of seeds) {
    const { figures, marks, misses } = await run(seed, ["month"])
    expect(withoutMarks(misses)).toEqual([])
    expect(figures.transactions).toBeGreaterThan(kinds.month.days)
    for (const [mark, times] of marks) if (times > 0) met.add(mark)
    if (missing().length === 0) break
  }
  expect(missing()).toEqual([])
}, 600_000)

it("a day, two days and a week under a new seed break no invariant", async () => {
  const { misses } = await run(freshSeed, ["day", "two days", "week"])
  expect({ finding, misses: withoutMarks(misses) }).toEqual({ finding, misses: [] })
}, 600_000)

it("reports a mark that was never met, and saves a plan that violates an invariant", async () => {
  const day: Size = { days: 1, operationsPerDay: 1, faults: 0, forgeries: 1 }
  const options = { ...shortRun(2), seed: 1 }
  const { misses } = await Effect.runPromise(simulate({ ...options, count: 1 }, () => ({ day })))
  expect(misses).toContain("never met: crash: client")
  const bug = bugs["a claim is told without confirmation"] ?? {}
  const broken = await Effect.runPromise(simulate(options, () => ({ day }), bug, { maxRuns: 50 }))
  expect(broken.misses[0]).toMatch(/^seed 1, day: S9 does not hold/u)
  const saved = /keep (\S+\.json) in proof\/test\/simulation\/regressions/u
  const [, file = ""] = saved.exec(broken.misses.join()) ?? []
  const { operations } = JSON.parse(readFileSync(file, "utf8")) as Plan
  expect(operations.length).toBe(1)
  rmSync(file)
})
