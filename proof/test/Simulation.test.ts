import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Simulation from "../src/Simulation.ts"

/** Another in every run, and printed. */
const { seed: fresh = 1 } = fc.readConfigureGlobal()

const run = (plan: Simulation.Plan, options?: Simulation.Options) =>
  Effect.runPromise(Effect.provide(Simulation.run(plan, options), NodeHmac.layer))

/** A week in which most things go wrong. */
const week: Simulation.Size = { days: 7, perDay: 3, faults: 8, forgeries: 1 }
const days: Simulation.Size = { ...week, days: 2 }

describe("a simulation", () => {
  it("breaks no invariant, and has the same trace again under the same seed (D1)", async () => {
    const plan = Simulation.draw(fresh, week)
    const one = await run(plan)
    expect(one.broken).toEqual([])
    expect(one.told).toBeGreaterThan(plan.operations.length)
    const two = await run(Simulation.draw(fresh, week))
    expect(two).toEqual(one)
  })

  it("has another trace under another seed, and when one fault is left out", async () => {
    const plan = Simulation.draw(1, days)
    const { hash } = await run(plan)
    expect((await run(Simulation.draw(2, days))).hash).not.toBe(hash)
    expect((await run({ ...plan, faults: [] })).hash).not.toBe(hash)
  })

  it("is plain data: what is read from a file is the same plan", async () => {
    const plan = Simulation.draw(3, days)
    const kept = JSON.parse(JSON.stringify(plan)) as Simulation.Plan
    expect((await run(kept)).hash).toBe((await run(plan)).hash)
  })
})

describe("a planted bug", () => {
  it.for(Object.entries(Simulation.bugs))("is found: %s", async ([, bug]) => {
    for (let seed = 1; seed <= 8; seed++) {
      const { broken } = await run(Simulation.draw(seed, week), { bug, isBrief: true })
      if (broken.length > 0) return
    }
    expect.unreachable("no invariant broke in eight weeks")
  })

  it("is shown by a plan that is shrunk to one operation", async () => {
    const bug = Simulation.bugs["what a callback claims is believed"] ?? {}
    const plan = Simulation.draw(1, week)
    const shrinking = Simulation.shrink(plan, "S9", { bug, millis: 20_000 })
    const short = await Effect.runPromise(Effect.provide(shrinking, NodeHmac.layer))
    expect(short.operations).toHaveLength(1)
    expect(short.faults).toEqual([])
    const { broken } = await run(short, { bug, isBrief: true })
    expect(broken.map(({ invariant }) => invariant)).toContain("S9")
  })
})

describe("docs/simulation.md", () => {
  const page = readFileSync(`${import.meta.dirname}/../../../docs/simulation.md`, "utf8")

  it("names every planted bug and every mark", () => {
    const named = [...Object.keys(Simulation.bugs), ...Simulation.marks]
    expect(named.filter((name) => !page.includes(name))).toEqual([])
  })
})

describe("what once broke", () => {
  const folder = `${import.meta.dirname}/regressions`
  it.for(readdirSync(folder).filter((name) => name.endsWith(".json")))(
    "holds: %s",
    async (name) => {
      const plan = JSON.parse(readFileSync(`${folder}/${name}`, "utf8")) as Simulation.Plan
      const { broken, transactions } = await run(plan)
      expect(broken).toEqual([])
      expect(transactions).toBeGreaterThan(0)
    }
  )
})
