import * as Simulation from "../../src/Simulation.ts"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { live, year } from "../../src/rel/sim.ts"
import { fresh } from "./support.ts"

const patience = 20_000

const lived = (count: number) =>
  Effect.runPromise(live({ count, seed: fresh, say: () => {} }, year, {}, patience))

it("a year of crashes, faults and forgeries loses nothing, doubles nothing and tells nothing wrong (S1 to S10, C1 to C7)", async () => {
  const { figures, misses } = await lived(1)
  expect(misses.filter((miss) => !miss.startsWith("never met"))).toEqual([])
  expect(figures.transactions).toBeGreaterThan(year.days)
  // One year in hundreds has none of the rarest; three do not.
  expect(misses.length === 0 ? misses : (await lived(3)).misses).toEqual([])
}, 600_000)

it("what was never met is a miss, and so is a plan that breaks, which is kept", async () => {
  const day = { ...year, days: 1, faults: 0 }
  const { misses } = await Effect.runPromise(live({ count: 1, seed: 1, say: () => {} }, day))
  expect(misses).toContain("never met: crash: client")
  const bug = Simulation.bugs["what a callback claims is believed"] ?? {}
  const broken = await Effect.runPromise(live({ count: 2, seed: 1, say: () => {} }, day, bug))
  expect(broken.misses[0]).toMatch(/^seed 1: S9 does not hold/u)
  expect(broken.misses.join()).toMatch(/keep \S+\.json in packages\/testkit\/test\/regressions/u)
})
