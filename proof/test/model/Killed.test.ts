import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Killed from "../../src/model/Killed.ts"
import { missOf } from "../../src/model/Protocol.ts"
import * as Traces from "../../src/model/Traces.ts"
import { seed } from "../rel/support.ts"

/** Returns the calls of the handler that a kill interrupted before their effects were committed. */
const interruptedIn = (events: ReadonlyArray<string>) =>
  events.filter((event, index) => {
    const [, by] = /^worker (\d) called for /u.exec(event) ?? []
    const end = events.indexOf(`receiver ${by} ended`, index)
    const isOfCall = (later: string) => later.startsWith(`worker ${by} `)
    return by !== undefined && end !== -1 && !events.slice(index + 1, end).some(isOfCall)
  })

it("the model accepts traces of processes that are killed, and refuses one of a commit that is missing (R02, S5)", async () => {
  const traces = await Effect.runPromise(Killed.record(seed, 16))
  expect(traces.filter(({ events }) => missOf(events) !== undefined)).toEqual([])
  expect(traces.flatMap(({ events }) => interruptedIn(events))).not.toEqual([])
  for (const { events } of traces) {
    const committed = events.findLastIndex((event) => event.includes(" committed "))
    expect(missOf(events.toSpliced(committed, 1))).toBeDefined()
  }
})

/**
 * Traces a process that is killed after some steps, and another one that claims the row before the
 * lease ends.
 */
const claimedEarly = (steps: ReadonlyArray<string>, end?: "releasing" | "released") => {
  const traces = Traces.make()
  const id = "100016"
  const see = (...events: ReadonlyArray<string>) => {
    for (const event of events) traces.write({ _tag: "Seen", id, event })
  }
  const claim = (lease: number, by: 0 | 1) =>
    traces.write({ _tag: "Claimed", id, lease, by, at: lease, until: lease + 30_000, now: lease })
  see("service moved to PENDING")
  see("arrived PENDING", "accepted PENDING, new", "answered PENDING")
  claim(1, 0)
  see(...steps)
  if (end !== undefined) traces.write({ _tag: "Changed", id, lease: 1, to: { end } })
  traces.write({ _tag: "Ended", by: 0 })
  see("service moved to FAILED")
  see("arrived FAILED", "accepted FAILED, new", "answered FAILED")
  claim(2, 1)
  see("worker 1 read FAILED", "worker 1 called for FAILED", "worker 1 committed FAILED")
  see("worker 1 told FAILED, confirmed, alone")
  return traces.all()
}

it("a row may be claimed before the lease of a killed process ends only if that process was about to release it (seeds 5008, 6007)", () => {
  const accepted = (end: Parameters<typeof claimedEarly>[1], ...steps: ReadonlyArray<string>) =>
    claimedEarly(steps, end).map(({ events }) => missOf(events) === undefined)
  const called = "worker 0 called for PENDING"
  const committed = "worker 0 committed PENDING"
  expect(accepted("releasing", called, committed)).toEqual([true])
  expect(accepted("released", called, committed)).toEqual([true])
  expect(accepted("releasing", called)).toEqual([true])
  expect(accepted(undefined, called, committed)).toEqual([false])
  expect(accepted(undefined, called)).toEqual([false])
})
