import * as ApmPayments from "@pawl/http/ApmPayments"
import * as Promtool from "@pawl/test-support/Promtool"
import { layerMemory } from "@pawl/webhook/Ledger"
import * as Metrics from "@pawl/webhook/Metrics"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { MinimumLogLevel } from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { describe, it } from "vitest"
import * as Fake from "../src/Fake.ts"
import * as Faults from "../src/Faults.ts"

const endpoint = "GET /v1/payments/apm/status/{id}"

const cases: Readonly<Record<string, readonly [fault: Faults.Fault, alert: string]>> = {
  "a service that answers every third request with 503": [
    { endpoint, fault: "503", rate: 0.3 },
    "PawlClientRetries"
  ],
  "a service that answers every tenth request late": [
    { endpoint, fault: "delay", rate: 0.1 },
    "PawlServiceSlow"
  ],
  "a service that refuses access tokens now and then": [
    { endpoint, fault: "401", rate: 0.05 },
    "PawlTokensRefused"
  ]
}

/**
 * Returns `/metrics` every 30 seconds of half an hour, in which a status is read every 6 seconds.
 */
const record = (fault: Faults.Fault) =>
  Effect.gen(function* () {
    const payments = yield* ApmPayments.ApmPayments
    const { transactionId } = yield* payments.create({
      accountId: "4711",
      amount: "10.00",
      currency: "EUR",
      apmPayload: { paymentMethod: "WALLET" }
    })
    const scrapes: Array<string> = []
    for (let half = 0; half < 60; half++) {
      if (half === 10) yield* (yield* Faults.Faults).add(fault)
      scrapes.push(yield* Metrics.scrape)
      for (let read = 0; read < 5; read++) {
        yield* Effect.forkChild(Effect.exit(payments.status(transactionId)))
        yield* TestClock.adjust("6 seconds")
      }
    }
    return scrapes
  }).pipe(
    Effect.provide([Fake.layer({ seed: 1 }), layerMemory]),
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provideService(MinimumLogLevel, "None"),
    Effect.provide(TestClock.layer())
  )

describe.runIf(Promtool.isThere)("the alert rules", () => {
  it.each(Object.entries(cases))("fire for one alert alone, with %s", async (_, [fault, alert]) =>
    Promtool.expectAlerts(await Effect.runPromise(record(fault)), [alert])
  )
})
