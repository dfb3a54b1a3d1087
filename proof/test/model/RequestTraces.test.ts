import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { missOf } from "../../src/model/Requests.ts"
import { recordTraces } from "../../src/model/RequestTraces.ts"
import { seed } from "../rel/support.ts"

const record = (seed: number) => Effect.runPromise(recordTraces(seed, 40))

it("the model accepts traces of real requests, and refuses them with an event that is missing or doubled", async () => {
  const refused = { missing: 0, doubled: 0, other: 0 }
  const traces = [...(await record(1)), ...(await record(seed))]
  for (const { events } of traces) {
    expect(missOf(events)).toBeUndefined()
    const at = events.findIndex((event) => event.includes(": "))
    const isRefused = (changed: typeof events) => Number(missOf(changed) !== undefined)
    refused.missing += isRefused(events.toSpliced(at, 1))
    refused.doubled += isRefused(events.toSpliced(at, 0, events[at] ?? ""))
    refused.other += isRefused([...events.slice(0, -1), "2 transactions"])
  }
  expect(traces.length).toBeGreaterThan(50)
  expect(refused).toEqual({ missing: traces.length, doubled: traces.length, other: traces.length })
})

it("the traces have what a request may meet", async () => {
  const traces: Array<Awaited<ReturnType<typeof record>>[number]> = []
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) traces.push(...(await record(seed)))
  const seen = traces.flatMap(({ events }) => events)
  for (const part of [
    "release: due in 0",
    "take over: ",
    "restart: ",
    "leased in doubt",
    "the response is lost",
    "the request is refused",
    "cancel: cancelled",
    "find: Found",
    "redrive: "
  ])
    expect(seen).toContainEqual(expect.stringContaining(part))
})
