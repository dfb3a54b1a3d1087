/**
 * The alert rules, evaluated on what `/metrics` of a client with a receiver says while the service has a fault: the rule
 * of the fault fires, and no other.
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as ApmPayments from "@pawl/http/ApmPayments"
import * as Promtool from "@pawl/test-support/Promtool"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Metrics from "@pawl/webhook/Metrics"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { describe, it } from "vitest"
import * as Fake from "../src/Fake.ts"
import * as Faults from "../src/Faults.ts"

const endpoint = "GET /v1/payments/apm/status/{id}"

const cases: ReadonlyArray<{
  readonly alerts: ReadonlyArray<string>
  readonly name: string
  readonly fault?: Faults.Fault
}> = [
  { name: "no fault", alerts: [] },
  {
    name: "a service that answers a few requests with 503",
    alerts: [],
    fault: { endpoint, fault: "503", rate: 0.02 }
  },
  {
    name: "a service that answers every third request with 503",
    alerts: ["PawlClientRetries"],
    fault: { endpoint, fault: "503", rate: 0.3 }
  },
  {
    name: "a service that answers every tenth request late",
    alerts: ["PawlServiceSlow"],
    fault: { endpoint, fault: "delay", rate: 0.1 }
  },
  {
    name: "a service that refuses access tokens now and then",
    alerts: ["PawlTokensRefused"],
    fault: { endpoint, fault: "401", rate: 0.05 }
  },
  {
    name: "a service that answers no read",
    alerts: ["PawlServiceSilent"],
    fault: { endpoint, fault: "reset-before" }
  }
]

const order = {
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" }
}

/** A merchant with a client and a receiver. */
const merchant = Fake.layerReceiver.pipe(
  Layer.provideMerge(Receiver.layer()),
  Layer.provide([
    Verifier.layer({ current: Redacted.make("sandbox-secret") }),
    Handler.layer(() => Effect.void)
  ]),
  Layer.provideMerge(Ledger.layerMemory),
  Layer.provide(NodeHmac.layer),
  Layer.provideMerge(Fake.layer({ seed: 1 }))
)

/** Returns what `/metrics` says every 30 seconds of 40 minutes, in which a payment is made each, and one is read every 6 seconds. */
const record = (fault: Faults.Fault | undefined) =>
  Effect.gen(function* () {
    const payments = yield* ApmPayments.ApmPayments
    const { transactionId } = yield* payments.create(order)
    const scrapes: Array<string> = []
    for (let half = 0; half < 80; half++) {
      if (half === 20 && fault !== undefined) yield* (yield* Faults.Faults).add(fault)
      scrapes.push(yield* Metrics.scrape)
      const paid = payments.create({ ...order, callbackUrl: "https://shop.example/callback" })
      yield* Effect.forkChild(Effect.exit(paid))
      for (let read = 0; read < 5; read++) {
        yield* Effect.forkChild(Effect.exit(payments.status(transactionId)))
        yield* TestClock.adjust("6 seconds")
      }
    }
    return scrapes
  }).pipe(
    Effect.provide(merchant),
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provideService(MinimumLogLevel, "None"),
    Effect.scoped,
    Effect.provide(TestClock.layer())
  )

describe.runIf(Promtool.isThere)("the alert rules", () => {
  it.each(cases)("fire for $alerts, and for nothing else, with $name", async ({ alerts, fault }) =>
    Promtool.expectAlerts(await Effect.runPromise(record(fault)), alerts)
  )
})
