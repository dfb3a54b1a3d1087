/**
 * Simulates a shop, its receivers and the payments service in virtual time, under one seed. Every
 * invariant of `docs/proof.md` must hold.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { seedOfPart } from "../Numbers.ts"
import type { Bug } from "../simulation/Bugs.ts"
import * as CoverageMarks from "../simulation/CoverageMarks.ts"
import * as PlanGenerator from "../simulation/PlanGenerator.ts"
import * as Simulation from "../simulation/Simulation.ts"
import { report, type Run, type RunOptions } from "./Run.ts"

export const year: PlanGenerator.Size = { days: 365, operationsPerDay: 1, faults: 4, forgeries: 1 }

const dense = { operationsPerDay: 3, faults: 8, forgeries: 1 }
const month: PlanGenerator.Size = { days: 30, operationsPerDay: 1, faults: 8, forgeries: 2 }

export const kinds = {
  day: { ...dense, days: 1 },
  "two days": { ...dense, days: 2 },
  week: { ...dense, days: 7 },
  "week under the policy always": { ...dense, days: 7, forgeries: 8, policy: "always" },
  "week with outages": { ...dense, days: 7, outages: 8 },
  month,
  "month with outages": { ...month, outages: 5 }
} as const satisfies Kinds

type Kinds = Readonly<Record<string, PlanGenerator.Size>>

/** Only every eighth year has outages, because the watch for them wakes every minute. */
const withOutages = (seed: number, size: PlanGenerator.Size): PlanGenerator.Size => ({
  ...size,
  outages: seed % 8 === 0 ? Math.ceil(size.days / 7) : 0
})

/** A plan that violates an invariant is shrunk within `shrinkLimits` and ends the run. */
export const simulate = (
  { count, log, progress, seed }: Omit<RunOptions, "stores">,
  kindsOf: (seed: number) => Kinds,
  bug: Bug = {},
  shrinkLimits: { readonly maxRuns: number; readonly timeout?: number } = {
    maxRuns: 2000,
    timeout: 600_000
  }
) =>
  Effect.gen(function* () {
    const marks = new Map(CoverageMarks.marks.map((mark) => [mark, 0]))
    const ended = yield* report(function* (miss) {
      const figures = { transactions: 0, told: 0 }
      const plans = Array.from({ length: count }, (_, index) => seedOfPart(seed, index)).flatMap(
        (planSeed) =>
          Object.entries(kindsOf(planSeed)).map(([kind, size]) => ({
            kind,
            seed: planSeed,
            size
          }))
      )
      for (const [done, { kind, seed: planSeed, size }] of plans.entries()) {
        const name = `seed ${planSeed}, ${kind}`
        const plan = PlanGenerator.draw(planSeed, size)
        const outcome = yield* Simulation.run(plan, { bug })
        for (const [mark, times] of outcome.marks) marks.set(mark, (marks.get(mark) ?? 0) + times)
        figures.transactions += outcome.transactions
        figures.told += outcome.told
        progress(`${done + 1} of ${plans.length} plans`)
        for (const { at, invariant, message } of outcome.violations) {
          miss(`${name}: ${invariant} does not hold at ${at}: ${message}`)
        }
        const [first] = outcome.violations
        if (first === undefined) continue
        log(`${first.invariant} does not hold: looking for the shortest plan that shows it`)
        const short = yield* Simulation.shrink(plan, first.invariant, { bug, ...shrinkLimits })
        const file = join(tmpdir(), `${first.invariant}-${planSeed}.json`)
        writeFileSync(file, `${JSON.stringify(short, null, 2)}\n`)
        miss(`keep ${file} in proof/test/simulation/regressions`)
        break
      }
      for (const [mark, times] of marks) {
        log(`${String(times).padStart(8)} ${mark}`)
        if (times === 0) miss(`never met: ${mark}`)
      }
      return figures
    })
    return { ...ended, marks }
  }).pipe(Effect.provide(NodeHmac.layer))

export const sim: Run = {
  summary: "years of crashes, faults and forgeries in virtual time: every invariant holds",
  unit: "years",
  count: { memory: 100 },
  make: (options) => simulate(options, (seed) => ({ year: withOutages(seed, year) }))
}

export const plans: Run = {
  summary: "short plans of seven kinds with many faults in virtual time: every invariant holds",
  unit: "plansOfEachKind",
  count: { memory: 10_000 },
  make: (options) => simulate(options, () => kinds)
}
