import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import { describe, expect, it } from "vitest"
import * as Metrics from "../src/internal/wire/Metrics.ts"
import type * as Pawl from "../src/Pawl.ts"
import * as Memory from "./support/memory.ts"

const measured = <A>(
  service: Memory.Service,
  calls: ReadonlyArray<Effect.Effect<unknown, unknown, Pawl.Services>>,
  then: Effect.Effect<A>
): Promise<A> =>
  Effect.forEach(calls, (call) => Memory.settled(Effect.exit(call))).pipe(
    Effect.provide(Memory.client(service)),
    Effect.andThen(then),
    Memory.virtual
  )

const series = Effect.map(Metric.snapshot, (snapshots) =>
  Object.fromEntries(
    snapshots.map(({ attributes = {}, id, state }) => [
      [id, ...Object.values({ ...attributes, unit: undefined })].join(" ").trimEnd(),
      "count" in state ? Number(state.count) : Number.NaN
    ])
  )
)

describe("the metrics", () => {
  it("count every attempt by its outcome, every retry, and every call once", async () => {
    const service = new Memory.Service({ faults: ["reset after", "500 before"] })
    const counts = await measured(service, [Memory.pay(), Memory.readStatus()], series)
    expect(
      Object.fromEntries(Object.entries(counts).filter(([name]) => name.startsWith("pawl.")))
    ).toEqual({
      "pawl.http.attempts authenticate Success": 1,
      "pawl.http.call.duration authenticate Success": 1,
      "pawl.http.token.refreshes Success": 1,
      "pawl.http.attempts createApmPayment Unreachable": 1,
      "pawl.http.attempts createApmPayment ServiceFailed": 1,
      "pawl.http.attempts createApmPayment Success": 1,
      "pawl.http.retries createApmPayment": 2,
      "pawl.http.call.duration createApmPayment Success": 1,
      "pawl.http.attempts readApmPaymentStatus Success": 1,
      "pawl.http.call.duration readApmPaymentStatus Success": 1
    })
  })

  it("have the error of a call, and of a failed request for a token, as outcome", async () => {
    const lost = new Memory.Service({ answer: () => Memory.answer(500, "") })
    expect(await measured(lost, [Memory.pay()], series)).toMatchObject({
      "pawl.http.attempts createApmPayment ServiceFailed": 4,
      "pawl.http.retries createApmPayment": 3,
      "pawl.http.call.duration createApmPayment OutcomeUnknown": 1
    })
    const refused = new Memory.Service({ auth: () => Memory.answer(401, "") })
    expect(await measured(refused, [Memory.pay()], series)).toMatchObject({
      "pawl.http.token.refreshes Unauthorized": 1,
      "pawl.http.call.duration createApmPayment Unauthorized": 1
    })
    const defect = new Memory.Service({ answer: () => Effect.die(new Error("broken")) })
    expect(await measured(defect, [Memory.pay()], series)).toMatchObject({
      "pawl.http.call.duration createApmPayment Defect": 1
    })
  })

  it("measure a call in seconds, with all its attempts and waits, at any time", async () => {
    const service = Memory.answering(
      Effect.delay(Memory.answer(503, ""), "2 seconds"),
      Effect.delay(Memory.status("NEW"), "2 seconds")
    )
    const { max, min } = await measured(
      service,
      // The first call takes an hour of virtual time.
      [Effect.void, Memory.readStatus()],
      Metric.value(Metrics.callDuration("readApmPaymentStatus", "Success"))
    )
    expect(min).toBe(max)
    expect(min).toBeGreaterThanOrEqual(4.16)
    expect(min).toBeLessThanOrEqual(4.25)
  })
})

it("counters only rise, durations have buckets in seconds, and each metric has a description", async () => {
  // No other test has this operation: its metrics are made here.
  const operation = "measured"
  const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
  const snapshots = await Effect.all([
    Metric.update(Metrics.attempts(operation, "Success"), 1),
    Metric.update(Metrics.retries(operation), 1),
    Metric.update(Metrics.tokenRefreshes(operation), 1),
    Metric.update(Metrics.leniencies(operation, "metadata"), 1),
    Metric.update(Metrics.callDuration(operation, "Success"), 1),
    Metric.update(Metrics.requestDuration({ operation }), 1)
  ]).pipe(Effect.andThen(Metric.snapshot), Memory.virtual)
  const shown = snapshots.map(
    ({ attributes, description, id, state }): readonly [string, ...ReadonlyArray<unknown>] => [
      `${id}: ${description}`,
      attributes,
      "incremental" in state && state.incremental,
      id === "pawl.http.call.duration" &&
        "buckets" in state &&
        state.buckets.map(([bound]) => bound)
    ]
  )
  const outcome = "Success"
  expect(shown.toSorted(([one], [two]) => one.localeCompare(two))).toEqual([
    [
      "http.client.request.duration: Seconds from a request to its response",
      { operation, unit: "s" },
      false,
      false
    ],
    ["pawl.http.attempts: Attempts of calls", { operation, outcome }, true, false],
    [
      "pawl.http.call.duration: Seconds a call takes, with its attempts and waits",
      { operation, outcome, unit: "s" },
      false,
      durations
    ],
    [
      "pawl.http.leniencies: Response fields that were not as documented and read anyway",
      { operation, field: "metadata" },
      true,
      false
    ],
    ["pawl.http.retries: Attempts after a failed attempt", { operation }, true, false],
    ["pawl.http.token.refreshes: Requests for an access token", { outcome: operation }, true, false]
  ])
})

it.each([
  ["the requestId of a create", Memory.pay(), "createApmPayment", { requestId: "order-1" }],
  ["the id of a read", Memory.readStatus("7"), "readApmPaymentStatus", { transactionId: "7" }]
] as const)("log lines have the reason of each retry, and %s", async (_, call, operation, id) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ fiber, message }) => {
    lines.push([String(message), fiber.getRef(References.CurrentLogAnnotations)])
  })
  const service = Memory.answering(Memory.answer(500, ""))
  await Memory.settled(Effect.exit<unknown, unknown, Pawl.Services>(call)).pipe(
    Effect.provide(Layer.mergeAll(Memory.client(service), Logger.layer([logger]))),
    Effect.provideService(References.MinimumLogLevel, "All"),
    Memory.virtual
  )
  expect(lines.length).toBe(3)
  for (const line of lines)
    expect(line).toEqual([
      expect.stringMatching(/^Attempt \d failed\. The next attempt is in .*failed with 500/u),
      { operation, ...id }
    ])
})
