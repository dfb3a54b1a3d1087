import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Inclusion from "../../src/model/Inclusion.ts"
import * as Killed from "../../src/model/Killed.ts"
import { labels } from "../../src/model/Step.ts"
import { seed } from "../rel/support.ts"

it("the model accepts traces of processes that are killed, and refuses one of a commit that is missing", async () => {
  const traces = await Effect.runPromise(Killed.record(seed, 1))
  const accepts = Inclusion.make()
  expect(traces.filter((trace) => !accepts(trace).accepted)).toEqual([])
  expect(traces.filter(({ events }) => events.includes(labels.ended(0)))).not.toEqual([])
  for (const { events, path } of traces) {
    const committed = events.findLastIndex((event) => event.includes(" committed "))
    expect(accepts({ path, events: events.toSpliced(committed, 1) }).accepted).toBe(false)
  }
}, 240_000)
