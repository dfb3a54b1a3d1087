import { ApmPayments } from "@pawl/http/ApmPayments"
import { readText, serve } from "@pawl/test-support/Listener"
import * as Fake from "@pawl/testkit/Fake"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import { expect, it } from "vitest"
import { checkout } from "../src/checkout.ts"
import { telemetry } from "../src/otlp.ts"
import * as TestRequests from "./requests.ts"

/** Serves a collector that keeps the received bodies by path. */
const collector = Effect.suspend(() => {
  const received = new Map<string, string>()
  return Effect.map(
    serve((request, response) => {
      void (async () => {
        const body = await readText(request)
        const path = request.url ?? ""
        received.set(path, (received.get(path) ?? "") + body)
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      })()
    }),
    (port) => ({ url: `http://127.0.0.1:${port}`, received })
  )
})

it("sends the spans, the metrics and the logs of a payment to the collector", () =>
  Effect.gen(function* () {
    const { received, url } = yield* collector
    const env = {
      OTEL_SERVICE_NAME: "shop",
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp"
    }
    // The layer exports the rest when its scope ends.
    yield* Effect.gen(function* () {
      expect(yield* checkout("order-1", "10.00")).toEqual({
        goTo: expect.stringContaining("https://pay.invalid/apm/")
      })
      const payments = yield* ApmPayments
      yield* Effect.flip(payments.status("999999"))
      yield* Effect.logInfo("paid").pipe(Effect.annotateLogs({ requestId: "order-1" }))
    }).pipe(
      Effect.provide(
        Layer.merge(Layer.provideMerge(TestRequests.layer, Fake.layer()), telemetry).pipe(
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
        )
      ),
      Effect.provideService(References.MinimumLogLevel, "Info")
    )
    const bodyAt = (path: string) => received.get(path) ?? ""
    for (const span of ["checkout", "Requests.send", "ApmPayments.status"])
      expect(bodyAt("/v1/traces")).toContain(`"name":"${span}"`)
    expect(bodyAt("/v1/traces")).toContain("pawl.requestId")
    for (const metric of [
      "pawl_http_attempts",
      "pawl_http_call_duration_seconds",
      "pawl_http_token_refreshes",
      "createApmPayment",
      "NotFound"
    ])
      expect(bodyAt("/v1/metrics")).toContain(metric)
    expect(bodyAt("/v1/logs")).toContain("paid")
    expect([...received.values()].join("")).not.toContain("sandbox-secret")
  }).pipe(Effect.scoped, Effect.runPromise))
