import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { codeBugs } from "../../src/model/CodeBugs.ts"
import * as Inclusion from "../../src/model/Inclusion.ts"
import { record } from "../../src/model/Recording.ts"
import { checkBugs, checkTraces } from "../../src/rel/model.ts"
import { freshSeed } from "../rel/support.ts"

// A recording makes many errors, and Vitest maps every frame of their stack traces.
Error.stackTraceLimit = 1

const quiet = { log: () => {} }

it("the model accepts traces of the real receivers", async () => {
  const { figures, misses } = await Effect.runPromise(
    checkTraces({ ...quiet, count: 25, seed: freshSeed })
  )
  expect(misses).toEqual([])
  expect(figures["accepted"]).toBe(25)
  expect(figures["events"]).toBeGreaterThan(500)
}, 240_000)

it("the model refuses a trace of which one event is missing, doubled or changed", async () => {
  const accepts = Inclusion.make()
  const traces = await Effect.runPromise(record(3, 8))
  const refused = { missing: 0, doubled: 0, unconfirmed: 0 }
  for (const { events, path } of traces) {
    expect(accepts({ path, events }).accepted).toBe(true)
    const told = events.findLastIndex((event) => event.includes(" told "))
    const committed = events.findLastIndex((event) => event.includes(" committed "))
    const without = events.toSpliced(committed, 1)
    const doubled = events.toSpliced(told, 0, events[told] ?? "")
    const unconfirmed = events.map((event) => event.replace(", confirmed,", ", claimed,"))
    if (!accepts({ path, events: without }).accepted) refused.missing++
    if (!accepts({ path, events: doubled }).accepted) refused.doubled++
    if (!accepts({ path, events: unconfirmed }).accepted) refused.unconfirmed++
  }
  expect(refused.missing).toBe(traces.length)
  expect(refused.doubled).toBe(traces.length)
  expect(refused.unconfirmed).toBe(traces.length)
}, 240_000)

it("the model refuses an empty trace, and one that ends before the end is told", () => {
  const accepts = Inclusion.make()
  expect(accepts({ path: ["SUCCEED"], events: [] }).accepted).toBe(false)
  expect(accepts({ path: ["SUCCEED"], events: ["service moved to SUCCEED"] })).toEqual({
    accepted: false,
    at: 1,
    reason: "the end of the transaction was not told"
  })
})

it("a planted bug leaves a trace that the model refuses", async () => {
  const name = "a claim is told without confirmation"
  const report = await Effect.runPromise(
    checkBugs({ ...quiet, count: 1, seed: 1 }, { [name]: codeBugs[name] ?? {} })
  )
  expect(report.misses).toEqual([])
  expect(Object.keys(codeBugs).length).toBeGreaterThanOrEqual(8)
}, 240_000)
