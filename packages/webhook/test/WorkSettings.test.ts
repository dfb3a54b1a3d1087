import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as WorkLimits from "../src/internal/rule/WorkLimits.ts"
import * as WorkSettings from "../src/internal/work/WorkSettings.ts"

const unchanged = { limits: WorkLimits.defaults, switches: {}, sentences: [] }
const none = {
  handlerCalls: "",
  reads: "",
  readsPerSecond: "",
  leaseSeconds: "",
  pollIntervalMinutes: ""
}

it("each setting is read from its variable", () => {
  const read = (env: Record<string, string>) => {
    const provider = ConfigProvider.fromUnknown(env)
    const texts = Effect.runSync(Config.all(WorkSettings.environment).parse(provider))
    return WorkSettings.make(texts, 1)
  }
  expect(read({})).toEqual(unchanged)
  expect(
    read({
      PAWL_HANDLER_CALLS: "2",
      PAWL_READS: "10000",
      PAWL_READS_PER_SECOND: "7",
      PAWL_LEASE_SECONDS: "600",
      PAWL_POLL_INTERVAL_MINUTES: "5, 10,9999"
    })
  ).toEqual({
    ...unchanged,
    limits: { ...WorkLimits.defaults, calls: 2, reads: 10_000, readsPerSecond: 7, lease: 600_000 },
    switches: { pollIntervals: [5, 10, 9999].map(Duration.minutes) }
  })
})

it("a setting that cannot be used is refused by its variable", () => {
  expect(WorkSettings.make(none, 4)).toEqual(unchanged)
  expect(WorkSettings.make(none, 40).sentences).toEqual([])
  const least = { ...none, handlerCalls: "8", reads: "16" }
  expect(WorkSettings.make(least, 4)).toMatchObject({
    limits: { calls: 8, reads: 16 },
    sentences: []
  })
  const given = {
    handlerCalls: "x8",
    reads: "15",
    readsPerSecond: "3",
    leaseSeconds: "5",
    pollIntervalMinutes: "5,x"
  }
  const unlimited = WorkSettings.make({ ...none, readsPerSecond: "none" }, 4)
  expect(unlimited.limits.readsPerSecond).toBe(Infinity)
  const { limits, sentences } = WorkSettings.make(given, 4)
  expect(limits).toEqual(WorkLimits.defaults)
  const advice = "cannot be used: give a whole number from"
  expect(sentences[1]).toBe(`PAWL_HANDLER_CALLS ${advice} 8 to 10000.`)
  expect(sentences[3]).toBe(`PAWL_READS_PER_SECOND ${advice} 4 to 1000000, or none.`)
  expect(sentences.map((sentence) => sentence.split(" ")[0])).toEqual([
    "PAWL_POLL_INTERVAL_MINUTES",
    "PAWL_HANDLER_CALLS",
    "PAWL_READS",
    "PAWL_READS_PER_SECOND",
    "PAWL_LEASE_SECONDS"
  ])
})
