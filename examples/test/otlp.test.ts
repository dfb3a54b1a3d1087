import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ApmPayments } from "@pawl/http/ApmPayments"
import { live } from "@pawl/test-support/Tests"
import * as Fake from "@pawl/testkit/Fake"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import * as Metrics from "@pawl/webhook/Metrics"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import { createServer } from "node:http"
import { expect } from "vitest"
import { checkout } from "../src/checkout.ts"
import { telemetry } from "../src/otlp.ts"
import * as Collector from "../src/otlp/Collector.ts"
import * as TestRequests from "./requests.ts"

/** Serves a collector. Returns its URL and the received samples. */
const collector = Effect.gen(function* () {
  const samples: Array<Collector.Sample> = []
  const collect = (sample: Collector.Sample) => Effect.sync(() => void samples.push(sample))
  const context = yield* Layer.build(
    HttpRouter.serve(Collector.route(collect), {
      disableLogger: true,
      disableListenLog: true
    }).pipe(Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })))
  )
  const { address } = Context.get(context, HttpServer.HttpServer)
  return { url: HttpServer.formatAddress(address), samples }
})

const prometheusNameOf = ({ kind, name, unit = "" }: Collector.Sample): string => {
  const base = name.replaceAll(".", "_")
  const unitSuffix = unit === "s" ? "_seconds" : ""
  const ratio = unit === "1" && kind === "gauge" ? "_ratio" : ""
  return `${base}${unitSuffix}${ratio}${kind === "sum" ? "_total" : ""}`
}

live(
  "sends the spans, the metrics and the logs of a payment to the collector, under the names of /metrics",
  function* () {
    const { samples, url } = yield* collector
    const env = {
      OTEL_SERVICE_NAME: "shop",
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp"
    }
    // The layer exports the rest when its scope ends.
    const scraped = yield* Effect.gen(function* () {
      expect(yield* checkout("order-1", "10.00")).toEqual({
        goTo: expect.stringContaining("https://pay.invalid/apm/")
      })
      const payments = yield* ApmPayments
      yield* Effect.flip(payments.status("999999"))
      yield* Effect.logInfo("paid").pipe(Effect.annotateLogs({ requestId: "order-1" }))
      const ledger = Context.get(yield* Layer.build(layerMemory), Ledger)
      return yield* Effect.provideService(Metrics.scrape, Ledger, ledger)
    }).pipe(
      Effect.provide(
        Layer.merge(Layer.provideMerge(TestRequests.layer, Fake.layer()), telemetry).pipe(
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
        )
      ),
      Effect.scoped,
      Effect.provideService(References.MinimumLogLevel, "Info")
    )
    const of = (signal: Collector.Sample["signal"]) =>
      samples.filter((sample) => sample.signal === signal)
    const spans = of("span").map(({ name }) => name)
    expect(spans).toEqual(
      expect.arrayContaining(["checkout", "Requests.send", "ApmPayments.status"])
    )
    expect(of("span").flatMap(({ attributes }) => Object.keys(attributes))).toContain(
      "pawl.requestId"
    )
    expect(of("metric")).toContainEqual({
      signal: "metric",
      kind: "sum",
      name: "pawl.http.attempts",
      unit: "1",
      value: 1,
      attributes: { operation: "createApmPayment", outcome: "Success" }
    })
    expect(of("log").map(({ name }) => name)).toContain("paid")
    const inMetrics = Array.from(scraped.matchAll(/^# TYPE (\w+)/gmu), ([, name]) => name)
    expect(inMetrics).toContain("pawl_webhook_dead_letters")
    expect(new Set(of("metric").map(prometheusNameOf))).toEqual(new Set(inMetrics))
    expect(JSON.stringify(samples)).not.toContain("sandbox-secret")
  }
)
