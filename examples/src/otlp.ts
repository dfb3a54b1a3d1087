/**
 * Shows how to send traces, metrics and logs to an OpenTelemetry collector with Effect's OTLP exporter; no
 * other package is needed. The standard variables configure it:
 *
 * ```sh
 * OTEL_SERVICE_NAME=shop OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318
 * OTEL_TRACES_EXPORTER=otlp OTEL_METRICS_EXPORTER=otlp OTEL_LOGS_EXPORTER=otlp
 * ```
 *
 * Each call has a span (`ApmPayments.create`), counts in the metrics of the client, and logs the
 * reason of each retry. Requests to the payments service have no trace header.
 *
 * `collector.ts` prints what arrives, and `examples/test/otlp.test.ts` checks it.
 */
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"

/** Layer that exports telemetry. Provide it to the whole program, as the outermost layer. */
export const telemetry = Otlp.layerFromConfig().pipe(
  Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer])
)
