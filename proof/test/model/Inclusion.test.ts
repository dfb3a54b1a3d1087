import { isTerminal, statuses } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { missOf } from "../../src/model/Protocol.ts"
import { sources } from "../../src/model/Sources.ts"
import * as Traces from "../../src/model/Traces.ts"
import { checkBugs, checkTraces } from "../../src/rel/model.ts"
import { seed, stores } from "../rel/support.ts"

const terminal = statuses.filter(isTerminal)

const quiet = { log: () => {} }

/** The sources, each with a few traces, and the least events of a trace. */
const all = [
  ["memory", 20, 20],
  ["sqlite", 6, 20],
  ["postgres", 3, 20],
  ["simulation", 12, 10]
] as const
const withStores = stores("postgres").length > 0 ? all : all.filter(([name]) => name !== "postgres")

it.for(withStores)(
  "the model accepts traces of the real receivers: %s",
  async ([name, count, leastEvents]) => {
    const { figures, misses } = await Effect.runPromise(
      checkTraces({ ...quiet, count, seed }, name)
    )
    expect(misses).toEqual([])
    expect(figures["accepted"]).toBeGreaterThanOrEqual(count)
    expect(figures["events"]).toBeGreaterThan(leastEvents * count)
  }
)

it("the model refuses a trace of which one event is missing, doubled or changed", async () => {
  const traces = await Effect.runPromise(sources.memory.record(3, 8))
  const refused = { missing: 0, doubled: 0, unconfirmed: 0 }
  let ends = 0
  for (const { events } of traces) {
    expect(missOf(events)).toBeUndefined()
    const told = events.findLastIndex((event) => event.includes(" told "))
    const committed = events.findLastIndex((event) => event.includes(" committed "))
    const without = events.toSpliced(committed, 1)
    const doubled = events.toSpliced(told, 0, events[told] ?? "")
    // Only an end is never told before the worker knows its confirmation.
    const isEnd = (event: string) =>
      terminal.some((status) => event.includes(` told ${status}, confirmed,`))
    const unconfirmed = events.map((event) =>
      isEnd(event) ? event.replace("confirmed", "claimed") : event
    )
    if (events.some(isEnd)) ends++
    if (missOf(without) !== undefined) refused.missing++
    if (missOf(doubled) !== undefined) refused.doubled++
    if (missOf(unconfirmed) !== undefined) refused.unconfirmed++
  }
  expect(refused.missing).toBe(traces.length)
  expect(refused.doubled).toBe(traces.length)
  expect(refused.unconfirmed).toBe(ends)
  expect(ends).toBeGreaterThan(8)
})

it("the model refuses an empty trace, and one that ends before the end is told", () => {
  expect(missOf([])).toBe("the trace is empty")
  expect(missOf(["service moved to SUCCEED"])).toBe("event 2: no step of the model: the end")
})

const posted = (status: string) => [
  `service moved to ${status}`,
  `arrived ${status}`,
  `accepted ${status}, new`,
  `answered ${status}`
]

it("a process that works on a row may claim it again, and leaves that lease to run out (simulation, seed 1243381514)", () => {
  const claimed = ["a clock ended the lease of worker 1", "the time of a lease passed"]
  const eventsWith = (...before: ReadonlyArray<string>) => [
    ...posted("NEW"),
    ...before,
    "worker 1 called for NEW",
    "the time of a lease passed",
    "worker 1 read no answer"
  ]
  expect(missOf(eventsWith(...claimed))).toBeUndefined()
  expect(missOf(eventsWith())).toBeDefined()
})

it("a worker may tell what it knew before its read, though a registration came meanwhile (memory, seed 26)", () => {
  const told = (confirmation: string) => [
    ...posted("PENDING"),
    "registered PENDING",
    "worker 0 read no answer",
    "worker 0 called for PENDING",
    "worker 0 committed PENDING",
    `worker 0 told PENDING, ${confirmation}, alone`
  ]
  expect(missOf(told("claimed"))).toBeUndefined()
  expect(missOf(told("confirmed"))).toBeUndefined()
})

describe("the end of a lease", () => {
  const claimed = {
    _tag: "Claimed",
    id: "1",
    lease: 1,
    by: 0,
    at: 0,
    until: 30_000,
    now: 0
  } as const
  const eventsOf = (...notes: ReadonlyArray<Traces.Note>) => {
    const traces = Traces.make()
    for (const note of [claimed, ...notes]) traces.write(note)
    return traces.all().flatMap(({ events }) => events)
  }
  const claimedAt = (at: number, now = at): Traces.Note => ({
    ...claimed,
    lease: 2,
    by: 1,
    at,
    until: at + 30_000,
    now
  })

  it("is seen when a worker claims a row that was not released, after the time that was asked for", () => {
    expect(eventsOf(claimedAt(29_999))).toEqual([])
    expect(eventsOf(claimedAt(30_000))).toEqual(["the time of a lease passed"])
    const changed = { _tag: "Changed", id: "1", lease: 1 } as const
    const renewed = { ...changed, to: { end: "none", until: 40_000, now: 10_000 } } as const
    const released = { ...changed, to: { end: "released" } } as const
    expect(eventsOf(renewed, claimedAt(39_999))).toEqual([])
    expect(eventsOf({ _tag: "Shifted", until: 20_000 }, claimedAt(20_000, 30_000))).toEqual([
      "the time of a lease passed"
    ])
    expect(eventsOf(released, claimedAt(30_000))).toEqual([])
    expect(eventsOf({ ...released, lease: 9 }, claimedAt(30_000))).toEqual([
      "the time of a lease passed"
    ])
  })

  it("comes early for a living worker only by a clock, also by one that was set back", () => {
    const early = ["a clock ended the lease of worker 0", "the time of a lease passed"]
    expect(eventsOf(claimedAt(30_000, 29_999))).toEqual(early)
    const shifted = { _tag: "Shifted", until: 20_000 } as const
    expect(eventsOf(shifted, claimedAt(20_000, 29_999))).toEqual(early)
  })

  const called = [...posted("PENDING"), "worker 0 called for PENDING"]
  it.for<readonly [name: string, events: ReadonlyArray<string>, isAccepted: boolean]>([
    ["nothing", [], false],
    ["time alone", ["the time of a lease passed"], false],
    ["the end of the process alone", ["receiver 0 ended"], false],
    ["the end of the process and time", ["receiver 0 ended", "the time of a lease passed"], true],
    ["a silent store alone", ["the store gave worker 0 no answer"], false],
    [
      "a silent store and time",
      ["the store gave worker 0 no answer", "the time of a lease passed"],
      true
    ],
    ["a clock", ["a clock ended the lease of worker 0"], true]
  ])("lets another worker call the handler: %s", ([, events, isAccepted]) => {
    const trace = [...called, ...events, "worker 1 called for PENDING"]
    expect(missOf(trace) === undefined).toBe(isAccepted)
  })
})

it.for([
  ["memory", ["a claim is told without confirmation"]],
  ["simulation", ["a claim is told without confirmation"]],
  ["requests", sources.requests.bugs]
] as const)("a planted bug leaves a trace that the model refuses: %s", async ([name, bugs]) => {
  const { figures, misses } = await Effect.runPromise(
    checkBugs({ ...quiet, count: 1, seed: 1 }, name, bugs)
  )
  expect(misses).toEqual([])
  expect(figures).toEqual({ bugs: bugs.length, caught: bugs.length })
  expect(sources[name].bugs.length).toBeGreaterThanOrEqual(3)
})
