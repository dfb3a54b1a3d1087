/**
 * Sends traces, metrics and logs to an OpenTelemetry collector, over Effect's own OTLP: nothing else is
 * to be installed. The usual variables say what goes where:
 *
 * ```sh
 * OTEL_SERVICE_NAME=shop OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318
 * OTEL_TRACES_EXPORTER=otlp OTEL_METRICS_EXPORTER=otlp OTEL_LOGS_EXPORTER=otlp
 * ```
 *
 * A call is a span (`ApmPayments.create`), counts in the metrics of `@pawl/http/Metrics`, and says in the
 * log why it was tried again. Requests to the payments service carry no trace header.
 *
 * `examples/test/otlp.test.ts` runs it beside a collector.
 */
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"

/** Provide it to the whole program, outside of everything else. */
export const telemetry = Otlp.layerFromConfig().pipe(
  Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer])
)
