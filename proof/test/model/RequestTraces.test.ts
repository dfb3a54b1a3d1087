import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { bugs, missOf, recordTraces } from "../../src/model/RequestTraces.ts"
import { seed } from "../rel/support.ts"

// Vitest maps every frame of the many errors of a recording.
Error.stackTraceLimit = 1

const record = (seed: number, bug?: string) => Effect.runPromise(recordTraces(seed, 40, bug))

it("the model accepts traces of real requests, and refuses them with an event that is missing or doubled", async () => {
  const refused = { missing: 0, doubled: 0, other: 0 }
  const traces = [...(await record(1)), ...(await record(seed))]
  for (const { effects, events, id } of traces) {
    expect(missOf({ id, effects, events })).toBeUndefined()
    const at = events.findIndex(({ label }) => label.includes(": "))
    const [event] = events.slice(at)
    if (event === undefined) continue
    const isRefused = (changed: typeof events) =>
      Number(missOf({ id, effects, events: changed }) !== undefined)
    refused.missing += isRefused(events.toSpliced(at, 1))
    refused.doubled += isRefused(events.toSpliced(at, 0, event))
    refused.other += Number(missOf({ id, effects: effects + 2, events }) !== undefined)
  }
  expect(traces.length).toBeGreaterThan(50)
  expect(refused).toEqual({ missing: traces.length, doubled: traces.length, other: traces.length })
}, 120_000)

it("the traces have what a request may meet", async () => {
  const traces = [...(await record(1)), ...(await record(2)), ...(await record(3))]
  const labels = traces.flatMap(({ events }) => events.map(({ label }) => label))
  for (const part of [
    "a caller gives up",
    "a caller takes the request over",
    "a caller sends the request again",
    "leased in doubt",
    "the response is lost",
    "the request is refused",
    "the request is cancelled",
    "a callback names the request",
    "a person redrives the request"
  ])
    expect(labels).toContainEqual(expect.stringContaining(part))
}, 120_000)

for (const bug of Object.keys(bugs)) {
  it(`a planted bug leaves a trace of a request that the model refuses: ${bug}`, async () => {
    const misses = (await record(1, bug)).flatMap((trace) => missOf(trace) ?? [])
    expect(misses).not.toEqual([])
  }, 120_000)
}
